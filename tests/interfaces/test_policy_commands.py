import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from qidguard.policy import PRESETS, load_policy, parse_policy


@pytest.mark.slow
def test_a_draft_names_every_column_and_is_a_policy_once_decided(run, table):
    """What init writes loads, and check finds nothing but the columns that were left open."""
    code, out, err = run("policy", "init", table)
    assert (code, err) == (0, "")
    assert all(name in out for name in ("sex", "age", "city", "illness"))
    Path("draft.yaml").write_text(out, encoding="utf-8")
    assert load_policy("draft.yaml").name == "table"
    assert run("policy", "check", "draft.yaml", table)[0] in {0, 1}


def test_a_draft_remembers_how_the_table_was_read(run, tmp_path):
    """The options of reading go into the policy's source section, so that an audit reads alike."""
    (tmp_path / "raw.txt").write_text("30;f\n?;m\n41;f\n30;m\n", encoding="utf-8")
    options = ("--delimiter", ";", "--no-header", "--columns", "age,sex", "--missing", "?")
    code, _, _ = run("policy", "init", "raw.txt", *options, "--name", "raw", "-o", "draft.yaml")
    source = load_policy("draft.yaml").source
    assert code == 0
    found = (source.delimiter, source.header, source.columns, source.missing)
    assert found == (";", False, ("age", "sex"), ("?",))
    assert run("policy", "check", "draft.yaml", "raw.txt")[0] == 0


def test_a_draft_does_not_overwrite_a_policy(run, table, write_policy):
    """A file that exists may be reviewed work: exit 2, and it stays."""
    policy = write_policy(2)
    before = Path(policy).read_bytes()
    code, _, err = run("policy", "init", table, "-o", policy)
    assert code == 2
    assert "not overwritten" in err
    assert before == Path(policy).read_bytes()


def test_a_draft_shows_no_value(run, table, secret):
    """Roles come from names and counts."""
    assert secret not in run("policy", "init", table)[1]


def test_check_measures_nothing(run, table, write_policy):
    """A policy that the table misses still fits it: exit 0."""
    code, out, _ = run("policy", "check", write_policy(1000), table)
    assert (code, out) == (0, "OK: policy clinic fits: 4 columns, 1 threshold to judge.\n")


def test_check_says_what_leaving_noise_out_means(run, table, write_policy):
    """A table that no noise is drawn for is measured over all columns."""
    text = Path(write_policy(2)).read_text(encoding="utf-8")
    asked = text.replace("at_least: 2", "at_least: 2\n    noised: left_out")
    code, out, _ = run("policy", "check", write_policy(text=asked), table)
    assert code == 0
    assert "Noise: 1 threshold leaves QIDs with noise out, and no remedy of the policy draws noise" in out


def test_check_says_which_columns_will_block(run, table, write_policy):
    """A column without a role blocks: exit 1, and its name."""
    text = Path(write_policy(2)).read_text(encoding="utf-8").replace("[city]", "[]")
    code, out, _ = run("policy", "check", write_policy(text=text), table)
    assert code == 1
    assert out.startswith("BLOCKED: policy clinic fits, but does not name city;")


def test_check_refuses_to_leave_noise_out_of_a_loss(run, table, write_policy):
    """It would hide what was lost: exit 2, as an audit's."""
    text = Path(write_policy(2)).read_text(encoding="utf-8").replace("k_anonymity", "ncp")
    asked = text.replace("at_least: 2", "at_most: 0.5\n    noised: left_out")
    code, out, err = run("policy", "check", write_policy(text=asked), table)
    assert (code, out) == (2, "")
    assert "a column that is left out would hide it" in err


@pytest.mark.parametrize(("old", "new", "words"), [
    ("name:", "review_by: 2020-01-01\nname:", "reviewed by 2020-01-01"),
    ("metric: k_anonymity", "metric: k_map", "without a population table"),
])  # fmt: skip
def test_check_says_what_can_never_pass(run, table, write_policy, old, new, words):
    """A policy past its review date, or one that lacks a population, is exit 1 without measuring."""
    text = Path(write_policy(2)).read_text(encoding="utf-8").replace(old, new, 1)
    Path("policy.yaml").write_text(text, encoding="utf-8")
    code, out, _ = run("policy", "check", "policy.yaml", table)
    assert code == 1
    assert words in " ".join(out.split())


def test_presets_are_listed_with_source_and_mark(run):
    """Every preset has its name, its k, its source and whether the source was read."""
    code, out, _ = run("policy", "presets")
    words = " ".join(out.split())
    assert code == 0
    for name, preset in PRESETS.items():
        assert name in words
        assert f"{' '.join(preset.source.split())} ({preset.mark})" in words


def test_presets_as_json(run):
    """One object a preset, in a versioned document."""
    code, out, _ = run("policy", "presets", "--json")
    document = json.loads(out)
    assert (code, document["format"]) == (0, "qidguard-presets/1")
    assert [preset["name"] for preset in document["presets"]] == list(PRESETS)


def test_the_policy_schema_is_a_schema(run):
    """Both commands print the same valid JSON Schema."""
    code, out, _ = run("policy", "schema")
    assert code == 0
    Draft202012Validator.check_schema(json.loads(out))
    assert run("schema", "policy")[1] == out


def test_check_shows_what_a_person_accepted(run, table, write_policy):
    """What is accepted stands where the policy is looked at, with its reason and who said so."""
    policy = Path(write_policy(2))
    accepted = "accepted: [{columns: [age], tells: sex, reason: it is public anyway, by: A. Roe}]\n"
    policy.write_text(policy.read_text("utf-8") + accepted, encoding="utf-8")
    _, out, _ = run("policy", "check", str(policy), table)
    assert "Accepted: 'age' tells 'sex': it is public anyway (A. Roe)" in out


def test_presets_say_what_has_to_be_attested_before_they_are_used(run):
    """Who names hipaa-expert in a policy learns of the statement beforehand."""
    assert "needs an attestation that" in run("policy", "presets")[1]
    rows = json.loads(run("policy", "presets", "--json")[1])["presets"]
    assert {row["name"]: tuple(row["attest"]) for row in rows} == {n: p.attest for n, p in PRESETS.items()}


@pytest.mark.parametrize(("remedy", "words"), [
    ("{anonymizer: smal_class_suppression}", "did you mean 'small_class_suppression'"),
    ("{anonymizer: small_class_suppression, parameters: {kk: 5}}", "unknown parameter 'kk'"),
    ("{anonymizer: small_class_suppression, parameters: {k: 5}, attacks: [linkag]}", "did you mean 'linkage'")
     ,
])  # fmt: skip
@pytest.mark.parametrize(
    "command", [("audit", "{table}", "-p", "p.yaml"), ("policy", "check", "p.yaml", "{table}")]
)
def test_a_misspelled_remedy_is_found_before_a_release(run, table, write_policy, command, remedy, words):
    """Audit and check look at what only a release would run."""
    text = Path(write_policy(2)).read_text("utf-8") + f"remedy: {remedy}\n"
    Path("p.yaml").write_text(text, encoding="utf-8")
    code, _, err = run(*(part.format(table=table) for part in command))
    assert code == 2
    assert words in err


def test_a_draft_names_the_published_systems_of_its_quasi_identifiers(run, tmp_path):
    """A code or place among them has the hierarchy of its system, and the draft can be loaded."""
    rows = [f"{number},{code},{place}" for number, (code, place) in enumerate(zip(ZIPS, STATES, strict=True))]
    (tmp_path / "people.csv").write_text("\n".join(["age,zip,state", *rows * 3]) + "\n", encoding="utf-8")
    code, out, _ = run("policy", "init", "people.csv")
    assert code == 0
    assert "hierarchies:\n  zip: {ready: us_zip3}\n  state: {ready: us_states}\n" in out
    assert parse_policy(out, "draft.yaml").hierarchies["zip"].ready == "us_zip3"


ZIPS = ["02138", "10001", "94103", "60611", "73301", "33101", "30301", "48201"] * 4
STATES = ["MA", "NY", "CA", "IL", "TX", "FL", "GA", "MI"] * 4
