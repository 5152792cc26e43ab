"""The two tables that everyone meets first, through the commands in the order in which one meets them."""

import json
from collections import Counter
from pathlib import Path

import pytest

from qidguard.policy import load_policy

pytestmark = pytest.mark.realdata

NAMES = (
    "age, workclass, fnlwgt, education, education_num, marital_status, occupation, relationship, race, sex,"
    " capital_gain, capital_loss, hours_per_week, native_country, income"
)
ADULT = f"""qidguard: 1
name: adult
source:
  header: false
  columns: [{NAMES}]
  missing: ["?"]
  trim: true
roles:
  quasi_identifiers: [age, sex, race, native_country]
  sensitive: [income]
unnamed_columns: insensitive
thresholds:
  - metric: k_anonymity
    at_least: 5
  - metric: distinct_l_diversity
    at_least: 2
"""


@pytest.fixture
def adult(data) -> str:
    """Return the path of the Adult training file: no header, blanks after the commas."""
    return str(data / "adult" / "adult.data")


@pytest.fixture
def hospital(data) -> str:
    """Return the path of the hospital file: 101,766 visits of 71,518 patients."""
    return str(data / "hospital" / "diabetic_data.csv")


def flat(text: str) -> str:
    """Return text with its line breaks and indents as single blanks."""
    return " ".join(text.split())


def oracle(adult: str) -> list[tuple[str, ...]]:
    """Return the QIDs of every record, read by hand."""
    lines = [line.split(",") for line in Path(adult).read_text(encoding="utf-8").splitlines() if line.strip()]
    return [tuple(fields[i].strip() for i in (0, 9, 8, 13)) for fields in lines]


@pytest.mark.slow
def test_adult_is_blocked_and_says_which_threshold_which_qids_and_how_far_off(run, adult):
    """Exit 1; the classes are those of a count by hand."""
    Path("adult.yaml").write_text(ADULT, encoding="utf-8")
    code, out, err = run("audit", adult, "--policy", "adult.yaml")
    words = flat(out)
    sizes = sorted(Counter(oracle(adult)).values())
    assert (code, err) == (1, "")
    assert "BLOCKED 2 of 2 thresholds missed." in words
    assert "over age, sex, race, native_country" in words
    assert f"k-anonymity is {sizes[0]} record, must be at least 5 ({5 - sizes[0]} short)" in words
    assert "distinct l-diversity of income is 1 value, must be at least 2 (1 short)" in words
    assert f"{len(sizes):,} classes" in words
    assert f"{sizes.count(1):,} records" in words


@pytest.mark.slow
def test_hospital_is_described_without_a_policy(run, hospital):
    """Exit 0, roles are suggested, and what a person should decide is noted; nothing is judged."""
    code, out, err = run("audit", hospital)
    words = flat(out)
    assert (code, err) == (0, "")
    assert "DESCRIBED No policy was given, so nothing was judged." in words
    assert "101,766 records, 50 columns" in words
    assert "'weight' (98,569 records)" in words
    assert "'patient_nbr' repeats: 71,518 values in 101,766 records." in words


@pytest.mark.slow
@pytest.mark.parametrize(("table", "code", "words"), [
    ("hospital", 1, "does not name examide"),
    ("adult", 1, "does not name column_2"),
])  # fmt: skip
def test_a_draft_waits_for_a_person(run, request, table, code, words):
    """Drafting ends with 0; the draft blocks, in clear words, until somebody decides."""
    path = request.getfixturevalue(table)
    assert run("policy", "init", path, "-o", "draft.yaml")[0] == 0
    for command in (("policy", "check", "draft.yaml", path), ("audit", path, "-p", "draft.yaml", "-q")):
        ended, out, err = run(*command)
        assert ended == code
        assert words in err or words in out or "named by the policy" in flat(out)


@pytest.mark.slow
def test_the_draft_of_adult_becomes_a_policy_by_its_own_hints(run, adult):
    """Confirm the hints, name the columns, choose QIDs: the verdict is that of the policy written by hand."""
    code, out, _ = run("policy", "init", adult, "--trim")
    assert code == 0
    made_up = f"columns: [{', '.join(f'column_{i}' for i in range(15))}]"
    assert made_up in out
    for old, new in (
        ("#   header:", "  header:"),
        ("#   " + made_up, f"  columns: [{NAMES}]"),
        ("#   missing:", "  missing:"),
        ("unnamed_columns: block", "unnamed_columns: insensitive"),
        ("at_least: 11", "at_least: 5"),
    ):
        assert old in out
        out = out.replace(old, new, 1)
    # what the values gave away stands under the names that were made up
    drafted = out[out.index("  quasi_identifiers:") : out.index("# What a column is")]
    of_roles = drafted[: drafted.index("# What the values of each column are")]
    assert of_roles.count("# content, confidence") == 15
    roles = "  quasi_identifiers: [age, sex, race, native_country]\n  sensitive: [income]\n"
    Path("decided.yaml").write_text(out.replace(drafted, roles), encoding="utf-8")
    Path("adult.yaml").write_text(ADULT, encoding="utf-8")
    assert run("policy", "check", "decided.yaml", adult)[0] == 0
    reports = []
    for policy in ("decided.yaml", "adult.yaml"):
        code, text, _ = run("audit", adult, "-p", policy, "--format", "json")
        assert code == 1
        reports.append(json.loads(text))
    decided, by_hand = reports
    assert decided["thresholds"][0] == by_hand["thresholds"][0]
    assert decided["classes"] == by_hand["classes"]


@pytest.mark.slow
def test_the_draft_of_hospital_becomes_a_policy_that_counts_patients(run, hospital):
    """With its hints confirmed, 71,518 entities are counted and ``?`` is missing, not a value."""
    code, out, _ = run("policy", "init", hospital)
    assert code == 0
    assert "weight (98,569 records)" in out
    for old, new in (
        ("# source:", "source:"),
        ("#   missing:", "  missing:"),
        ("# entity: patient_nbr", "entity: patient_nbr"),
        ("unnamed_columns: block", "unnamed_columns: insensitive"),
    ):
        assert old in out
        out = out.replace(old, new, 1)
    Path("decided.yaml").write_text(out, encoding="utf-8")
    assert load_policy("decided.yaml").roles.entity == "patient_nbr"
    assert run("policy", "check", "decided.yaml", hospital)[0] == 0
    code, text, _ = run("audit", hospital, "-p", "decided.yaml", "--format", "json")
    report = json.loads(text)
    missing = {column["name"]: column["missing"] for column in report["columns"]}
    assert code == 1
    assert (report["table"]["records"], report["table"]["entities"]) == (101_766, 71_518)
    assert report["table"]["person"] == "entities"
    assert (missing["weight"], missing["race"], missing["medical_specialty"]) == (98_569, 2_273, 49_949)
    assert report["thresholds"][0]["unit"] == "entities"
