"""What a policy can ask for: marks, combinations, attackers, presets, populations and fractions."""

import json
from pathlib import Path

import pytest

from qidguard.policy import PRESETS, parse_policy

HEAD = "qidguard: 1\nname: p\nunnamed_columns: insensitive\n"
QIDS = "roles: {quasi_identifiers: [sex, age]}\n"
ROWS = "sex,age,city,d\nf,30,A,x\nf,40,A,y\nm,30,B,x\nm,40,A,y\n"


@pytest.fixture
def judge(run):
    """Return a function that audits ROWS, or another table, by HEAD and more, and returns code and report."""

    def audit(policy: str, rows: str = ROWS) -> tuple[int, dict]:
        Path("t.csv").write_text(rows, encoding="utf-8")
        Path("p.yaml").write_text(HEAD + policy, encoding="utf-8")
        code, out, err = run("audit", "t.csv", "-p", "p.yaml", "--format", "json")
        assert err == ""
        return code, json.loads(out)

    return audit


def figures(report: dict) -> list:
    """Return the measured values in the policy's order."""
    return [threshold["value"] for threshold in report["thresholds"]]


def at_least(limit: float, metric: str = "k_anonymity") -> str:
    """Return a thresholds section with one threshold."""
    return f"thresholds: [{{metric: {metric}, at_least: {limit}}}]\n"


ANONYMIZED = "age,zip\n[20-30),*\n[20-30),4051\n[30-40),*\n[30-40),40*\n"
TWO_METRICS = (
    "roles: {quasi_identifiers: [age, zip]}\n"
    "thresholds:\n- {metric: k_anonymity, at_least: 2}\n- {metric: wildcard_k_anonymity, at_least: 2}\n"
)


def test_a_declared_mark_is_a_value_and_matches_anything_as_a_wildcard(judge):
    """``*`` and 4051 differ for k (1) and match as wildcards (2); 40* and [20-30) stay plain categories."""
    code, report = judge('source: {suppression_mark: "*"}\n' + TWO_METRICS, ANONYMIZED)
    assert (code, figures(report)) == (1, [1, 2])
    assert report["classes"][0]["classes"] == 4
    assert [(c["type"], c["distinct"], c["missing"]) for c in report["columns"]] == [
        ("text", 2, 0),
        ("text", 3, 0),
    ]


def test_a_mark_that_is_not_declared_matches_nothing(judge):
    """Without the declaration ``*`` is an ordinary value in both metrics."""
    assert figures(judge(TWO_METRICS, ANONYMIZED)[1]) == [1, 1]


@pytest.mark.slow
def test_combinations_are_judged_one_by_one(judge):
    """Sex and city make classes of 2, 1 and 1; sex alone 2 and 2: each limit meets its own combination."""
    code, report = judge(
        QIDS
        + "attacker: {knows_any: 1}\n"
        + at_least(2)
        + "combinations:\n"
        + "- name: town\n  quasi_identifiers: [sex, city]\n"
        + "  thresholds: [{metric: sample_uniques, at_most: 2}]\n"
        + "- name: all\n  quasi_identifiers: [sex, age, city]\n  attacker: {knows_any: 2}\n"
        + "  thresholds: [{metric: share_unique, at_most: 0}]\n"
    )
    found = [(t["combination"], t["value"], t["is_met"], t["subsets"]) for t in report["thresholds"]]
    assert found == [("default", 2, True, 2), ("town", 2, True, 1), ("all", 1.0, False, 3)]
    assert code == 1
    assert [c["combination"] for c in report["classes"]] == ["default", "town", "all"]


@pytest.mark.slow
def test_a_preset_brings_its_thresholds_beside_the_own_ones(judge):
    """The preset's k of 5 blocks beside the policy's own limit, which everybody being unique keeps.

    It warns of what is published outside the QIDs.
    """
    name = "pdpc-sg-5"
    code, report = judge(f"preset: {name}\n" + QIDS + "thresholds: [{metric: sample_uniques, at_most: 4}]\n")
    assert (code, report["policy"]["preset"]) == (1, name)
    found = sorted((t["limit"], t["is_met"]) for t in report["thresholds"])
    assert found == [(0.2, False), (4, True), (5, False)]


PERSONS = "id,sex,age\n1,f,30\n1,f,30\n2,f,30\n3,f,40\n4,f,40\n5,m,30\n6,m,30\n7,m,40\n8,m,40\n9,m,40\n"


def test_a_population_is_counted_in_its_entities(judge):
    """Every class of the table holds 2 or 3 persons of the population, so k-map is 2 while k is 1."""
    Path("pop.csv").write_text(PERSONS, encoding="utf-8")
    both = "thresholds:\n- {metric: sample_uniques, at_most: 4}\n- {metric: k_map, at_least: 2}\n"
    code, report = judge(QIDS + "population: {path: pop.csv, entity: id}\n" + both)
    assert (code, figures(report)) == (0, [4, 2])


DANKAR = "thresholds: [{metric: population_uniqueness_dankar, at_most: 0.5}]\n"


@pytest.mark.slow
def test_a_sampling_fraction_gives_population_uniqueness(judge):
    """The whole population (fraction 1) with classes of 2 holds no unique; with four uniques all are."""
    pairs = "sex,age\n" + "f,30\nm,40\n" * 2
    code, report = judge(QIDS + "sampling_fraction: 1\n" + DANKAR, pairs)
    assert (code, figures(report)) == (0, [0])
    code, report = judge(QIDS + "sampling_fraction: 0.1\n" + DANKAR)
    assert code == 1
    assert figures(report)[0] > 0.5


@pytest.mark.slow
@pytest.mark.parametrize(("policy", "words"), [
    (at_least(2, "k_map"), "give the policy a population"),
    ("population: {path: thin.csv}\n" + at_least(2, "k_map"), "no column 'age'"),
    (DANKAR, "sampling_fraction"),
], ids=["no population", "thin population", "no fraction"])  # fmt: skip
def test_what_the_policy_lacks_is_no_number_and_no_pass(judge, policy, words):
    """A threshold that cannot be measured blocks with exit 1, and the reason names what is missing."""
    Path("thin.csv").write_text("sex,x\nf,1\nm,1\n", encoding="utf-8")
    code, report = judge(QIDS + policy)
    assert (code, figures(report)) == (1, [None])
    assert words in report["thresholds"][0]["reason"]


WARNS = (
    "thresholds:\n- {metric: sample_uniques, at_most: 4}\n"
    "- {metric: k_anonymity, at_least: 2, on_miss: warn}\n"
)


@pytest.mark.slow
def test_a_missed_warning_does_not_block(judge):
    """Everybody is unique: the limit of 4 that blocks holds, the k of 2 that warns is missed; it passes."""
    code, report = judge(QIDS + WARNS)
    assert (code, figures(report)) == (0, [4, 1])
    assert [threshold["is_met"] for threshold in report["thresholds"]] == [True, False]
    assert judge(QIDS + WARNS.replace(", on_miss: warn", ""))[0] == 1


@pytest.mark.parametrize(("columns", "threshold", "is_covered"), [
    ("[sex, city]", "metric: sample_uniques, at_most: 2, on_miss: block", True),
    ("[sex, city]", "metric: sample_uniques, at_most: 2, on_miss: warn", False),
    ("[city]", "metric: discernibility, at_most: 1000", False),
], ids=["blocks", "warns", "no risk"])  # fmt: skip
def test_a_combination_that_cannot_block_on_risk_covers_none(judge, columns, threshold, is_covered):
    """The town stands in a combination alone: a warning, or a limit on a cost in detail, covers nothing."""
    code, report = judge(
        "roles: {quasi_identifiers: [sex]}\n"
        + at_least(2)
        + f"combinations:\n- name: town\n  quasi_identifiers: {columns}\n  thresholds: [{{{threshold}}}]\n"
    )
    assert code == (not is_covered)
    said = (
        "No threshold on risk covers the quasi-identifiers 'city'; add one that blocks to thresholds, or"
        " name them in a combination that has one."
    )
    assert [block["sentence"] for block in report["blocks"]] == [said] * (not is_covered)


def test_an_unmeasurable_warning_does_not_block(judge):
    """Without a population table there is no k-map; as a warning that is only reported."""
    wanted = "- {metric: k_map, at_least: 2, on_miss: warn}\n"
    code, report = judge(QIDS + "thresholds:\n- {metric: sample_uniques, at_most: 4}\n" + wanted)
    assert (code, figures(report)) == (0, [4, None])


UNNAMED = "unnamed_columns: {}\nroles: {{quasi_identifiers: {}}}\nrelease: {{drop: [city, d]}}\n"


@pytest.mark.samples(1)
@pytest.mark.parametrize("rule", ["block", "insensitive", "quasi_identifier"])
def test_a_dropped_column_is_decided_on_without_a_role(run, rule):
    """City and d would block, or tell records apart; dropped, they need no role and count as none."""
    Path("t.csv").write_text(ROWS, encoding="utf-8")
    head = HEAD.replace("unnamed_columns: insensitive\n", "")
    Path("p.yaml").write_text(head + UNNAMED.format(rule, "[sex]") + at_least(2), encoding="utf-8")
    code, out, _ = run("audit", "t.csv", "-p", "p.yaml", "--format", "json")
    columns = {column["name"]: column for column in json.loads(out)["columns"]}
    assert columns["city"]["role"] == columns["d"]["role"] == "insensitive"
    assert columns["city"]["decided_by"] == "person"
    assert columns["city"]["reason"] == "dropped before publication"
    # age is neither named nor dropped, so the policy's rule decides
    assert (code, columns["age"]["role"]) == {
        "block": (1, "unclassified"),
        "insensitive": (0, "insensitive"),
        "quasi_identifier": (1, "quasi_identifier"),
    }[rule]


@pytest.mark.slow
def test_a_dropped_column_is_never_recognized_as_a_quasi_identifier(run):
    """With auto, the age that makes everybody unique is left out, because it is never published."""
    rows = "sex,age\nf,30\nf,40\nm,50\nm,60\n"
    Path("t.csv").write_text(rows, encoding="utf-8")
    for drop, expected in (("[]", (1, [1])), ("[age]", (0, [2]))):
        text = HEAD + f"roles: {{quasi_identifiers: auto}}\nrelease: {{drop: {drop}}}\n" + at_least(2)
        Path("p.yaml").write_text(text, encoding="utf-8")
        code, out, _ = run("audit", "t.csv", "-p", "p.yaml", "--format", "json")
        assert (code, figures(json.loads(out))) == expected


@pytest.mark.slow
def test_a_dropped_column_with_a_role_keeps_it(judge):
    """A quasi-identifier that is dropped still counts as risk: that is on the safe side."""
    code, report = judge(QIDS + "release: {drop: [age]}\n" + at_least(2))
    assert (code, figures(report)) == (1, [1])
    assert [c["role"] for c in report["columns"] if c["name"] == "age"] == ["quasi_identifier"]


ATTESTED = [name for name, preset in PRESETS.items() if preset.attest]
ABSENT = "the table has no column 'citty'; did you mean 'city'?"


@pytest.mark.parametrize(("policy", "words"), [
    *(
        (f"preset: {name}\n" + QIDS, f"p.yaml line 4: preset '{name}' asks for what no tool can certify")
        for name in ATTESTED
    ),
    (QIDS + "population: {path: nowhere.csv}\n" + at_least(2, "k_map"), "nowhere.csv"),
    (QIDS + "population: {path: thin.csv, entity: who}\n" + at_least(2, "k_map"), "'who'"),
    (QIDS + "thresholds:\n- metric: k_anonymity\n  at_least: 2\n  on_miss: warn\n",
     "p.yaml line 8: every threshold only warns, so nothing would ever block"),
    (QIDS + "release:\n  drop:\n  - d\n  - citty\n" + at_least(2), f"p.yaml line 8: {ABSENT}"),
    (QIDS + "evidence:\n  columns:\n    citty: x\n" + at_least(2), f"p.yaml line 7: {ABSENT}"),
])  # fmt: skip
def test_a_policy_that_cannot_be_meant_is_exit_2(run, policy, words):
    """No attestation, no population, warnings alone, columns that are absent: a sentence with its line."""
    Path("t.csv").write_text(ROWS, encoding="utf-8")
    Path("thin.csv").write_text("sex,age\nf,30\n", encoding="utf-8")
    Path("p.yaml").write_text(HEAD + policy, encoding="utf-8")
    code, out, err = run("audit", "t.csv", "-p", "p.yaml")
    assert (code, out) == (2, "")
    assert words in err
    assert policy.startswith("preset") or err.count("\n") == 1


def test_the_draft_shows_where_columns_are_dropped(run):
    """Without the comment marks its hint is a release section that loads."""
    Path("t.csv").write_text(ROWS, encoding="utf-8")
    code, out, _ = run("policy", "init", "t.csv", "-q")
    assert code == 0
    assert parse_policy(out).release.drop == ()
    shown = out.replace("# release:", "release:").replace("#   drop: [a_column]", "  drop: [city]")
    assert parse_policy(shown).release.drop == ("city",)
