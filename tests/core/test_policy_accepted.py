"""The ``accepted`` section: what a person accepts of published columns."""

import pytest

from policy_texts import complaint
from qidguard.policy import Acceptance, parse_policy
from qidguard.policy.rewriting import with_quasi_identifiers

TEXT = """\
qidguard: 1
name: demo
roles: {quasi_identifiers: [age, sex], insensitive: [year, visit], direct_identifiers: [id], sensitive: [ill]}
thresholds: [{metric: k_anonymity, at_least: 5}]
release: {drop: [ward]}
accepted:
"""
WHY = "it is public anyway"


def test_what_is_accepted_is_found_by_its_columns_in_any_order_and_what_they_tell() -> None:
    """Exactly these columns for exactly this QID; a column's own acceptance is another one."""
    policy = parse_policy(
        f"{TEXT}  - {{columns: [visit, year], tells: age, reason: {WHY}, by: A. Roe}}\n"
        f"  - {{columns: [visit], reason: {WHY}}}\n"
    )
    pair, own = policy.accepted
    assert pair == Acceptance(columns=("visit", "year"), tells="age", reason=WHY, by="A. Roe")
    assert policy.acceptance_of(("year", "visit"), "age") is pair
    assert policy.acceptance_of(["visit"]) is own
    assert policy.acceptance_of(["visit"], "age") is None
    assert policy.acceptance_of(["year", "visit"], "sex") is None
    assert (pair.text, own.text) == ("'visit' and 'year' tell 'age'", "'visit'")


def test_an_accepted_column_must_be_in_the_table() -> None:
    """The policy mentions what it accepts, so a column that is not there is an error on its line."""
    policy = parse_policy(f"{TEXT}  - columns: [extra]\n    tells: age\n    reason: {WHY}\n")
    assert policy.mentioned_columns == ("age", "sex", "ill", "id", "year", "visit", "ward", "extra")
    assert policy.line_of(*policy.path_of_column("extra")) == 7


@pytest.mark.parametrize(("entry", "expected"), [
    ("{columns: [visit], reason: ok}", "accepted[0].reason must say in words why, not 'ok'"),
    ("{columns: [visit], reason: '1 2 3'}", "must say in words why"),
    ("{columns: [visit]}", "accepted[0] lacks 'reason'"),
    (f"{{reason: {WHY}}}", "accepted[0] lacks 'columns'"),
    (f"{{columns: [], reason: {WHY}}}", "must name at least one column"),
    (f"{{columns: visit, reason: {WHY}}}", "must be a list"),
    (f"{{columns: [a, b, c], reason: {WHY}}}", "names 3 columns; accept one column, or two together"),
    (f"{{columns: [visit, year], reason: {WHY}}}", "write the QID as tells"),
    (f"{{columns: [ward], reason: {WHY}}}", "column 'ward' is accepted, but the policy drops it"),
    (f"{{columns: [id], reason: {WHY}}}", "column 'id' is accepted, but it is a direct identifier"),
    (f"{{columns: [age], tells: age, reason: {WHY}}}", "column 'age' cannot tell itself"),
    (f"{{columns: [year], tells: aeg, reason: {WHY}}}", "'aeg' has no role; did you mean 'age'?"),
    (f"{{columns: [year], tells: ill, reason: {WHY}}}", "column 'ill' is sensitive"),
    (f"{{columns: [year], tell: age, reason: {WHY}}}", "there is no field accepted[0].tell; did"),
])  # fmt: skip
def test_an_acceptance_that_cannot_mean_anything_is_an_error_on_its_line(entry: str, expected: str) -> None:
    """Each is one sentence with the line and what to write."""
    said = complaint(f"{TEXT}  - {entry}\n", "p.yaml")
    assert expected in said
    assert said.startswith("p.yaml line 7: ")


def test_the_same_thing_is_accepted_once() -> None:
    """A second acceptance of the same columns for the same QID is an error."""
    twice = "".join(
        f"  - {{columns: [{pair}], tells: age, reason: {WHY}}}\n" for pair in ("year, visit", "visit, year")
    )
    said = "p.yaml line 8: 'visit' and 'year' tell 'age' is accepted twice; keep one of them"
    assert complaint(TEXT + twice, "p.yaml") == said


def test_a_reason_may_be_written_without_spaces() -> None:
    """Some scripts put none between words."""
    assert parse_policy(f"{TEXT}  - {{columns: [visit], reason: 年份是公开的}}\n").accepted[0].by is None


def test_what_recognizers_choose_may_be_told() -> None:
    """Where the QIDs are not known yet, any column without a role may become the one that is told."""
    text = TEXT.replace("[age, sex]", "auto")
    assert parse_policy(f"{text}  - {{columns: [year], tells: month, reason: {WHY}}}\n").accepted[0].tells


def test_added_quasi_identifiers_leave_what_is_accepted() -> None:
    """Writing QIDs into a policy changes nothing else."""
    text = f"{TEXT}  - columns: [visit]  # looked at in May\n    reason: {WHY}\n"
    written = with_quasi_identifiers(text, {"postcode": "found"})
    assert written.endswith(text.partition("accepted:")[2])
    assert parse_policy(written).accepted == parse_policy(text).accepted
