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


NOISE = "Noise: 1 threshold leaves QIDs with noise out, and no remedy of the policy draws noise"
ACCEPTED = "accepted: [{columns: [age], tells: sex, reason: it is public anyway, by: A. Roe}]\nthresholds:"


@pytest.mark.parametrize(("old", "new", "code", "words"), [
    # a policy that the table misses still fits it: nothing is measured
    ("at_least: 2", "at_least: 1000", 0, "OK: policy clinic fits: 4 columns, 1 threshold to judge."),
    # a table that no noise is drawn for is measured over all columns; of a loss it would hide what was lost
    ("at_least: 2", "at_least: 2\n    noised: left_out", 0, NOISE),
    ("k_anonymity\n    at_least: 2", "ncp\n    at_most: 0.5\n    noised: left_out", 2,
     "a column that is left out would hide it"),
    ("[city]", "[]", 1, "BLOCKED: policy clinic fits, but does not name city;"),
    # past its review date, or without a population, no table can pass
    ("name:", "review_by: 2020-01-01\nname:", 1, "reviewed by 2020-01-01"),
    ("metric: k_anonymity", "metric: k_map", 1, "without a population table"),
    ("thresholds:", ACCEPTED, 0, "Accepted: 'age' tells 'sex': it is public anyway (A. Roe)"),
])  # fmt: skip
def test_check_says_how_a_policy_fits_without_measuring(run, table, write_policy, old, new, code, words):
    """What fits is exit 0, what can never pass is exit 1 with the reason, what cannot be meant is exit 2."""
    text = Path(write_policy(2)).read_text(encoding="utf-8")
    assert old in text
    Path("policy.yaml").write_text(text.replace(old, new, 1), encoding="utf-8")
    found, out, err = run("policy", "check", "policy.yaml", table)
    assert (found, words in " ".join((err if code == 2 else out).split())) == (code, True)
    assert not (out if code == 2 else err)


def test_presets_are_listed_with_source_mark_and_what_is_to_be_attested(run):
    """Every preset has its name, its source and whether it was read; JSON has an object of each."""
    code, out, _ = run("policy", "presets")
    words = " ".join(out.split())
    said = [(name, f"{' '.join(one.source.split())} ({one.mark})") for name, one in PRESETS.items()]
    assert (code, [word for pair in said for word in pair if word not in words]) == (0, [])
    assert "needs an attestation that" in out
    code, out, _ = run("policy", "presets", "--json")
    document = json.loads(out)
    assert (code, document["format"]) == (0, "qidguard-presets/1")
    rows = [(row["name"], tuple(row["attest"])) for row in document["presets"]]
    assert rows == [(name, one.attest) for name, one in PRESETS.items()]


def test_the_policy_schema_is_a_schema(run):
    """Both commands print the same valid JSON Schema."""
    code, out, _ = run("policy", "schema")
    assert code == 0
    Draft202012Validator.check_schema(json.loads(out))
    assert run("schema", "policy")[1] == out


@pytest.mark.parametrize(("remedy", "words"), [
    ("{anonymizer: smal_class_suppression}", "did you mean 'small_class_suppression'"),
    ("{anonymizer: small_class_suppression, parameters: {kk: 5}}", "unknown parameter 'kk'"),
    ("{anonymizer: blocks, attacks: [linkag]}", "did you mean 'linkage'"),
])  # fmt: skip
@pytest.mark.parametrize("command", ["audit {} -p p.yaml", "policy check p.yaml {}"])
def test_a_misspelled_remedy_is_found_before_a_release(run, table, write_policy, command, remedy, words):
    """Audit and check look at what only a release would run."""
    text = Path(write_policy(2)).read_text("utf-8") + f"remedy: {remedy}\n"
    Path("p.yaml").write_text(text, encoding="utf-8")
    code, _, err = run(*command.format(table).split())
    assert (code, words in err) == (2, True)


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
