"""Policies load from files, texts and mappings, and every fault is one sentence with its line."""

import hashlib
from pathlib import Path
from typing import Annotated

import pytest
from pydantic import Field

from qidguard.core.errors import ExitCode, PolicyError
from qidguard.policy import KnowsAny, Policy, load_policy, parse_policy
from qidguard.policy.roles import Roles
from qidguard.policy.section import Section
from qidguard.policy.threshold import Threshold
from qidguard.policy.values import Listed

TEXT = """\
qidguard: 1
name: demo
roles:
  quasi_identifiers:
    - age
    - sex
  sensitive: [disease]
thresholds:
  - metric: k_anonymity
    at_least: 5
"""


def complaint(text: str) -> str:
    """Return what is said against ``text``, named policy.yaml."""
    with pytest.raises(PolicyError) as caught:
        parse_policy(text, "policy.yaml")
    return str(caught.value)


def test_a_policy_file_gives_typed_fields(tmp_path: Path) -> None:
    """Every field of a full policy arrives with its type."""
    path = tmp_path / "policy.yaml"
    path.write_text(
        TEXT
        + """\
review_by: 2027-05-01
attestations: [{statement: nobody is known, by: A. Roe, on: 2026-05-01}]
source: {format: csv, delimiter: ";", header: false, columns: [age, sex, disease], missing: ["?"], trim: true}
attacker: {knows_any: 2}
combinations:
  - {name: voters, quasi_identifiers: [sex], thresholds: [{metric: k_anonymity, at_least: 9}]}
population: {path: people.csv, entity: person}
sampling_fraction: 0.5
memory_limit: 4GB
threads: 2
"""
    )
    policy = load_policy(path)
    assert policy.roles.quasi_identifiers == ("age", "sex")
    assert policy.attacker == KnowsAny(knows_any=2)
    assert policy.source.columns == ("age", "sex", "disease")
    assert (policy.source.missing, policy.source.trim, policy.source.header) == (("?",), True, False)
    assert policy.review_by is not None
    assert policy.review_by.isoformat() == "2027-05-01"
    assert policy.attestations[0].on.isoformat() == "2026-05-01"
    assert policy.population is not None
    assert policy.population.entity == "person"
    assert (policy.sampling_fraction, policy.memory_limit, policy.threads) == (0.5, "4GB", 2)
    assert (policy.unnamed_columns, policy.engine, policy.is_auto) == ("block", "duckdb", False)


def test_yaml_is_version_1_2() -> None:
    """Columns named no, on and yes stay text."""
    policy = parse_policy(TEXT.replace("- age", "- no").replace("- sex", "- on\n    - yes"))
    assert policy.roles.quasi_identifiers == ("no", "on", "yes")


def test_a_mapping_gives_the_same_policy_as_its_text() -> None:
    """Python users pass a mapping; only the digest differs, since it has no text."""
    mapping = {
        "qidguard": 1,
        "name": "demo",
        "roles": {"quasi_identifiers": ["age", "sex"], "sensitive": ["disease"]},
        "thresholds": [{"metric": "k_anonymity", "at_least": 5}],
    }
    from_mapping = load_policy(mapping)
    assert from_mapping == parse_policy(TEXT)
    assert from_mapping.digest == load_policy(dict(reversed(mapping.items()))).digest
    assert load_policy(from_mapping) is from_mapping
    assert load_policy(from_mapping.model_dump(mode="json")) == from_mapping
    with pytest.raises(PolicyError) as caught:
        load_policy({**mapping, "threads": 0})
    assert str(caught.value) == "policy: threads must be at least 1, not 0; write for example threads: 2"


def test_the_digest_is_the_sha256_of_the_file(tmp_path: Path) -> None:
    """sha256sum gives the same digest; Windows line ends and a byte order mark do not change it."""
    expected = hashlib.sha256(TEXT.encode()).hexdigest()
    for name, content in (
        ("unix.yaml", TEXT.encode()),
        ("windows.yaml", TEXT.replace("\n", "\r\n").encode()),
        ("mark.yaml", b"\xef\xbb\xbf" + TEXT.encode()),
    ):
        (tmp_path / name).write_bytes(content)
        assert expected == load_policy(str(tmp_path / name)).digest
    assert parse_policy(TEXT + "# reviewed\n").digest != expected


@pytest.mark.parametrize(("old", "new", "expected"), [
    ("at_least: 5", "at_least: five",
     "line 10: thresholds[0].at_least must be a number, not 'five'; write for example at_least: 5"),
    ("at_least: 5", "at_least: '5'",
     "line 10: thresholds[0].at_least must be a number, not '5'; write for example at_least: 5"),
    ("at_least: 5", "at_least: true",
     "line 10: thresholds[0].at_least must be a number, not true; write for example at_least: 5"),
    ("at_least: 5", "at_most: .nan",
     ("line 10: thresholds[0].at_most must be a finite number of at most 1e+15, not nan; write for"
      " example at_most: 0.2")),
    ("at_least: 5", "at_most: .inf",
     ("line 10: thresholds[0].at_most must be a finite number of at most 1e+15, not inf; write for"
      " example at_most: 0.2")),
    ("at_least: 5", "at_least: " + "9" * 400,
     ("line 10: thresholds[0].at_least must be a finite number of at most 1e+15, not a huge number;"
      " write for example at_least: 5")),
    ("at_least: 5", "at_least:",
     ("line 9: thresholds[0] has neither at_least nor at_most; write exactly one of them, for example"
      " at_least: 5")),
    ("at_least: 5", "at_least: 5\n    at_most: 6",
     ("line 9: thresholds[0] has both at_least and at_most; write exactly one of them, for example"
      " at_least: 5")),
    ("at_least: 5", "at_least: 5\n    parameters: {k: [1]}",
     ("line 11: thresholds[0].parameters.k must be a number, text, true or false, not a list; write for"
      " example parameters: {k: 5}")),
    ("  - metric: k_anonymity\n", "  - at_lest: 1\n",
     "line 9: thresholds[0] lacks 'metric', which is required; write for example metric: k_anonymity"),
    ("name: demo", "title: demo", "line 2: there is no field title"),
    ("name: demo", "name:", "line 2: the policy lacks 'name', which is required"),
    ("name: demo", "name: ' '", "line 2: name must not be empty"),
    ("name: demo", "name: 12", "line 2: name must be text, not 12; put it in quotes: '12'"),
    ("name: demo", "name: [a]", "line 2: name must be text, not a list"),
    ("qidguard: 1", "qidguard: 2",
     "line 1: qidguard says format 2, and this qidguard reads format 1; install a newer qidguard"),
    ("qidguard: 1", "qidguard: true", "line 1: qidguard must be the number of the policy format, not true"),
    ("qidguard: 1", "qidguard: 0", "line 1: qidguard must be 1, not 0; write for example qidguard: 1"),
    ("- sex", "- 2020",
     "line 6: roles.quasi_identifiers[1] must be text, not 2020; put it in quotes: '2020'"),
    ("- sex", "- true",
     "line 6: roles.quasi_identifiers[1] must be text, not true; put it in quotes: 'true'"),
    ("- sex", "- age", "line 6: roles.quasi_identifiers[1] names the column 'age' twice; keep one of them"),
    ("quasi_identifiers:\n    - age\n    - sex\n", "target: x\n",
     "line 3: roles lacks 'quasi_identifiers', which is required"),
    ("\n    - age\n    - sex", " []",
     ("line 4: roles.quasi_identifiers must name at least one column; write for example"
      " quasi_identifiers: [age, sex, postcode]")),
    ("\n    - age\n    - sex", " age",
     ("line 4: roles.quasi_identifiers must be a list of columns, or auto, not 'age'; write for example"
      " quasi_identifiers: [age, sex, postcode]")),
    ("  sensitive: [disease]", "  sensitve: [disease]",
     "line 7: there is no field roles.sensitve; did you mean 'sensitive'?"),
    ("  sensitive: [disease]", "  sensitive: disease",
     "line 7: roles.sensitive must be a list, not 'disease'; write for example sensitive: [diagnosis]"),
    ("name: demo", "name: demo\nname: again", "line 3: name stands here for the second time"),
    ("name: demo", "name: demo\n1: x", "line 3: a key of the policy must be text; put it in quotes"),
    ("name: demo", "name: &a demo", "line 2: name uses an anchor or alias (& or *); write the value out"),
    ("name: demo", "name: !!binary demo", "line 2: name uses the tag or key tag:yaml.org,2002:binary"),
    ("name: demo", "name: a: b", "line 2: this is not YAML (mapping values are not allowed here)"),
    ("name: demo", "name: demo\nthreads: 2.5", "line 3: threads must be a whole number, not 2.5"),
    ("name: demo", "name: demo\nthreads: no", "line 3: threads must be a whole number, not 'no'"),
    ("name: demo", "name: demo\nmemory_limit: 4",
     "line 3: memory_limit must be a size such as 4GB or 500MB, not 4"),
    ("name: demo", "name: demo\nmemory_limit: 0GB", "line 3: memory_limit must be a size such as"),
    ("name: demo", "name: demo\nmemory_limit: lots", "line 3: memory_limit must be a size such as"),
    ("name: demo", "name: demo\nsampling_fraction: 1.5",
     "line 3: sampling_fraction must be above 0 and at most 1, not 1.5"),
    ("name: demo", "name: demo\nsampling_fraction: 0", "line 3: sampling_fraction must be above 0"),
    ("name: demo", "name: demo\nreview_by: 2026-13-45", "line 3: review_by must be a day of the calendar"),
    ("name: demo", "name: demo\nreview_by: soon", "line 3: review_by must be a date, not 'soon'"),
    ("name: demo", "name: demo\nattacker: some", "line 3: attacker must be all, or knows_any with a number"),
    ("name: demo", "name: demo\nattacker: {knows_any: 0}",
     "line 3: attacker.knows_any must be at least 1, not 0; write for example knows_any: 2"),
    ("name: demo", "name: demo\nunnamed_columns: blok",
     ("line 3: unnamed_columns must be block, insensitive or quasi_identifier, not 'blok'; did you mean"
      " 'block'?")),
    ("name: demo", "name: demo\nsource: {format: xlsx}",
     "line 3: source.format must be csv, parquet or duckdb"),
    ("name: demo", "name: demo\nsource: {header: no}",
     "line 3: source.header must be true or false, not 'no'"),
    ("name: demo", "name: demo\nsource: {encoding: utf-99}", "line 3: source.encoding must be the name of a"),
    ("name: demo", "name: demo\nsource: {encoding: rot13}", "line 3: source.encoding must be the name of a"),
    ("name: demo", "name: demo\nsource: {delimiter: ;;}", "line 3: source.delimiter must be one character"),
    ("name: demo", "name: demo\nsource: {quote: ''}", "line 3: source.quote must be one character"),
    ("name: demo", "name: demo\nsource: {missing: [-9]}", "line 3: source.missing[0] must be text, not -9"),
    ("name: demo", "name: demo\nsource:\n  missing:\n    - ?",
     "line 5: source.missing[0] holds a bare ?; put it in quotes: '?'"),
    ("name: demo", "name: demo\nsource: {table: a, query: b}", "line 3: source has both a table and a query"),
    ("name: demo", "name: demo\nsource: {header: true, columns: [a]}",
     "line 3: source names columns although the first line does"),
    ("name: demo", "name: demo\nsource: {missing: ['*'], suppression_mark: '*'}",
     "line 3: source reads '*' both as missing and as suppressed"),
    ("name: demo", "name: demo\npopulation: people.csv", "line 3: population must be a mapping"),
    ("name: demo", "name: demo\nthresholds2: []", "line 3: there is no field thresholds2; did you mean"),
])  # fmt: skip
def test_a_wrong_field_is_one_sentence_with_its_line(old: str, new: str, expected: str) -> None:
    """The sentence gives file, line, field, rule, offending value and remedy; nothing of pydantic's shows."""
    assert old in TEXT
    said = complaint(TEXT.replace(old, new, 1)).splitlines()
    assert any(line.startswith(f"policy.yaml {expected}") for line in said)
    for line in said:
        assert "pydantic" not in line
        assert "input_value" not in line


def test_several_faults_stand_on_a_line_each_in_the_order_of_the_text() -> None:
    """Nobody corrects a policy one run at a time."""
    said = complaint(TEXT.replace("at_least: 5", "at_least: x").replace("name: demo", "nam: demo"))
    assert [line.split(":")[0] for line in said.splitlines()] == [
        "policy.yaml line 1",
        "policy.yaml line 2",
        "policy.yaml line 10",
    ]


@pytest.mark.samples(1)
@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "the policy is empty"),
        (b"# nothing yet\n", "the policy is empty"),
        (b"- a\n- b\n", "a policy is a mapping that begins with qidguard: 1, not a list"),
        (b"39, Private, 77516\n", "a policy is a mapping that begins with qidguard: 1, not a single value"),
        (b"PK\x03\x04\x00\x00", "this is not UTF-8 text"),
        ("name: Müller".encode("utf-16"), "this is not UTF-8 text"),
        (b"name: \xfc", "this is not UTF-8 text"),
        (b"name: \x01", "this is not YAML, it holds control characters"),
        (b"%YAML 1.1\n---\nname: no\n", "a policy is YAML 1.2"),
        (b"a: 1\n---\nb: 1\n", "this is not YAML (found another document)"),
        (b"a: " + b"[" * 5000, "nested too deeply"),
        (b"a" * 1_000_001, "larger than a policy may be (1 MB)"),
    ],
)
def test_a_file_that_is_no_policy_is_one_sentence(tmp_path: Path, content: bytes, expected: str) -> None:
    """Empty, binary, wrongly encoded or foreign files end in one line that names the file, exit code 2."""
    path = tmp_path / "p.yaml"
    path.write_bytes(content)
    with pytest.raises(PolicyError) as caught:
        load_policy(path)
    said = str(caught.value)
    assert expected in said
    assert said.startswith(str(path))
    assert "\n" not in said
    assert caught.value.exit_code is ExitCode.USER_ERROR


def test_a_path_that_cannot_be_read_is_one_sentence(tmp_path: Path) -> None:
    """Missing files, folders, impossible names and wrong types are named as such."""
    with pytest.raises(PolicyError, match="there is no such policy file; check the path, or write one with"):
        load_policy(tmp_path / "absent.yaml")
    with pytest.raises(PolicyError, match="this is a folder"):
        load_policy(tmp_path)
    with pytest.raises(PolicyError, match="the policy cannot be read"):
        load_policy("a\0b")
    with pytest.raises(PolicyError, match="the policy cannot be read"):
        load_policy("x" * 5000)
    with pytest.raises(PolicyError, match="use parse_policy for text"):
        load_policy(TEXT)
    with pytest.raises(PolicyError, match="a policy is a path, a mapping or a Policy, not int"):
        load_policy(5)  # type: ignore[arg-type] - the mistake under test


def test_later_errors_find_their_line() -> None:
    """An audit can say where the policy names a column or sets a threshold."""
    policy = parse_policy(TEXT, "policy.yaml")
    assert policy.line_of("thresholds", 0, "at_least") == 10
    assert policy.line_of("thresholds", 0, "parameters", "k") == 9
    assert policy.path_of_column("sex") == ("roles", "quasi_identifiers", 1)
    assert policy.path_of_column("absent") == ()
    error = policy.error("column 'sex' is not in the table", *policy.path_of_column("sex"))
    assert str(error) == "policy.yaml line 6: column 'sex' is not in the table"
    assert isinstance(policy, Policy)


class LaterRoles(Roles):
    """The roles of a later version, with one more optional field."""

    later: str | None = None


class LaterThreshold(Threshold):
    """A threshold of a later version, with one more optional field."""

    later: bool = False


class LaterSettings(Section):
    """A section that only a later version knows."""

    depth: int = 3


class LaterPolicy(Policy):
    """The policy of a later version: more fields in the policy, in a section, in a list, and a section."""

    roles: LaterRoles
    thresholds: Annotated[tuple[LaterThreshold, ...], Listed] = ()
    later: LaterSettings = Field(default_factory=LaterSettings)
    further: str | None = None


MAPPING = {
    "qidguard": 1,
    "name": "demo",
    "roles": {"quasi_identifiers": ["age", "sex"], "sensitive": ["disease"]},
    "thresholds": [{"metric": "k_anonymity", "at_least": 5}],
    "hierarchies": {"age": "auto"},
    "privacy_budget": {"epsilon": 0.1},
    "release": {"data_set": "people"},
}


def test_a_mapping_keeps_its_digest_when_a_later_version_knows_more_fields() -> None:
    """An exception is bound to it, and an upgrade is no other policy; a field that is set is one."""
    now, later = load_policy(MAPPING), LaterPolicy.model_validate(MAPPING)
    assert later.model_dump(mode="json") != now.model_dump(mode="json")
    assert later.digest == now.digest
    asked = {"metric": "k_anonymity", "at_least": 5}
    for changed in (
        {"further": "x"},
        {"later": {"depth": 4}},
        {"roles": MAPPING["roles"] | {"later": "x"}},
        {"thresholds": [asked | {"later": True}]},
    ):
        assert LaterPolicy.model_validate(MAPPING | changed).digest != now.digest


def test_the_digest_of_a_mapping_does_not_change_between_versions() -> None:
    """This one was taken when defaults were left out for the first time."""
    assert load_policy(MAPPING).digest == "da64d82383605dcadbdd321e13ab6e66ae5b3d7736ffec905b302f1a5b1b9bd2"


@pytest.mark.parametrize("change", [
    {"name": "other"}, {"thresholds": [{"metric": "k_anonymity", "at_least": 6}]},
    {"unnamed_columns": "insensitive"}, {"hierarchies": {}}, {"privacy_budget": {"epsilon": 0.2}},
    {"exceptions": {"longest_days": 3}},
])  # fmt: skip
def test_whatever_a_mapping_asks_for_is_in_its_digest(change) -> None:
    """Two mappings of one digest are one policy."""
    assert load_policy(MAPPING | change).digest != load_policy(MAPPING).digest
