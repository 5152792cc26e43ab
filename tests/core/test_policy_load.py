"""Policies load from files, texts and mappings, and what is no policy is said in one sentence."""

import hashlib
from pathlib import Path
from typing import Annotated

import pytest
from pydantic import Field

from policy_texts import K5, TEXT, complaint, fields
from qidguard.core.errors import ExitCode, PolicyError
from qidguard.policy import KnowsAny, Policy, load_policy, parse_policy
from qidguard.policy.roles import Roles
from qidguard.policy.section import Section
from qidguard.policy.threshold import Threshold
from qidguard.policy.values import Listed

ROLES = {"quasi_identifiers": ["age", "sex"], "sensitive": ["disease"]}


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
    mapping = fields(ROLES)
    from_mapping = load_policy(mapping)
    assert from_mapping == parse_policy(TEXT)
    assert from_mapping.digest == load_policy(dict(reversed(mapping.items()))).digest
    assert load_policy(from_mapping) is from_mapping
    assert load_policy(from_mapping.model_dump(mode="json")) == from_mapping
    said = complaint({**mapping, "threads": 0})
    assert said == "policy: threads must be at least 1, not 0; write for example threads: 2"


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


@pytest.mark.samples(1)
@pytest.mark.parametrize(("content", "expected"), [
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
])  # fmt: skip
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
    for given, said in {
        tmp_path / "absent.yaml": "there is no such policy file; check the path, or write one with",
        tmp_path: "this is a folder",
        "a\0b": "the policy cannot be read",
        "x" * 5000: "the policy cannot be read",
        TEXT: "use parse_policy for text",
        5: "a policy is a path, a mapping or a Policy, not int",
    }.items():
        with pytest.raises(PolicyError, match=said):
            load_policy(given)


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


MAPPING = fields(
    ROLES, hierarchies={"age": "auto"}, privacy_budget={"epsilon": 0.1}, release={"data_set": "people"}
)


def test_a_mapping_keeps_its_digest_when_a_later_version_knows_more_fields() -> None:
    """An exception is bound to it, and an upgrade is no other policy; a field that is set is one."""
    now, later = load_policy(MAPPING), LaterPolicy.model_validate(MAPPING)
    assert later.model_dump(mode="json") != now.model_dump(mode="json")
    assert later.digest == now.digest
    for changed in (
        {"further": "x"},
        {"later": {"depth": 4}},
        {"roles": ROLES | {"later": "x"}},
        {"thresholds": [K5 | {"later": True}]},
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
