"""A new table is released as what it is: accepted by the policy, protected by its guarantee, nobody's."""

import json

import pytest

from new_table import ADULTS, Marginals, Unprotected
from plugged import Coarse, Doing, host_with
from qidguard import PluginError
from qidguard.evidence.canonical import EvidenceFault
from qidguard.evidence.statement import read_statement
from qidguard.releasing.reaudit.reaudit import reaudit
from qidguard.releasing.result import Outcome, lines
from qidguard.sdk import NewTable, NewTableKind, Recoded
from releases import at_least, once, people, policy, table_of

HOST = host_with([Marginals(), Unprotected(), Coarse()])
PARAMETERS = {"epsilon": "1", "categories": ADULTS, "contributions": 1}
SENTENCE = (
    "Its records are synthetic, and none of them is a person's: a threshold on class sizes counts synthetic"
    " records as published, not persons, and protects nobody; what protects is the guarantee of differential"
    " privacy."
)
BUDGET = {"epsilon": 30, "unit": "person"}
UNPROTECTED = {"method": "unprotected", "output": "new_table_without_guarantee"}


def rules(made="records", output="new_table", method="marginals", make=once, **more):
    """Return a policy that takes a new table."""
    remedy = {
        "anonymizer": method,
        "parameters": PARAMETERS | {"made": made},
        "output": output,
        "when": "always",
    }
    fields = {"remedy": remedy, "thresholds": at_least(k_anonymity=2)}
    return make(**{**fields, "privacy_budget": BUDGET, **more})


def drawn(place, host=HOST, **more):
    """Release three hundred people as a new table."""
    return place.release(people(size=100), rules(**more), host=host)


@pytest.mark.slow
def test_synthetic_records_are_published_and_told_as_such(place):
    """No key, no name, no person: what is out is drawn, and report, record, ledger and attestation say so.

    What pairs records has no figure; how many came back rests on the source, so only the record has it.
    """
    made = drawn(place)
    table = table_of(made)
    assert (list(table.columns), len(table)) == (["age", "sex", "illness"], 300)
    assert (set(table["age"]) <= {20, 30, 40}, table["age"].dtype.kind) == (True, "i")
    assert SENTENCE in made.report.notes
    assert any("of 300 new records equal one of the source on all columns; of 0" in x for x in lines(made))
    record = place.record(made.audit_id)
    assert record["risk_after"]["new_table"]["sentence"] == SENTENCE
    assert record["suppression"]["new_table"]["kind"] == "synthetic_records"
    utility = record["utility"]
    assert {utility[name] for name in ("records_suppressed", "cells_changed", "columns_changed")} == {None}
    assert (utility["columns_dropped"], utility["columns_published"]) == (2, 3)
    techniques = {c["name"]: c["technique"] for c in record["columns"]}
    assert techniques["name"] == "removed (direct identifier)"
    assert techniques["age"] == f"{Marginals.title}, made anew"
    on_qids, _ = record["suppression"]["reproduced"]
    classes = people(size=100).groupby(["age", "sex"]).size().index
    expected = sum(pair in classes for pair in zip(table["age"], table["sex"], strict=True))
    assert (on_qids["equal"], on_qids["new_records"]) == (expected, 300)
    (audited,), (promise,) = place.entries("audited"), place.entries("releasing")
    assert (audited.payload["new_table"], promise.payload["new_table"]) == (SENTENCE, "synthetic_records")
    assert promise.payload["follows"] == []
    verification = place.verification()
    assert (verification.faults, SENTENCE in verification.notes) == ((), True)
    predicate = verification.statement["predicate"]
    assert predicate["new_table"] == {"kind": "synthetic_records", "counts": None, "sentence": SENTENCE}
    assert predicate["privacy"]["epsilon"] == "3"
    assert predicate["information_loss"]["records_suppressed"] is None
    assert not any(b"reproduced" in path.read_bytes() for path in place.releases()[-1].glob("*.json"))
    assert "reproduced" not in json.dumps(verification.statement)


@pytest.mark.slow
def test_a_table_of_counts_is_published_with_its_counts(place):
    """Every declared combination stands there once; the counts are what noise was drawn for."""
    made = drawn(place, made="counts")
    assert made.is_published
    table = table_of(made)
    assert list(table.columns) == ["age", "sex", "illness", "persons"]
    assert len(table) == len(table.drop_duplicates(["age", "sex", "illness"])) == 18
    assert abs(table["persons"].sum() - 300) < 200
    predicate = place.verification().statement["predicate"]
    assert (predicate["new_table"]["counts"], predicate["privacy"]["without_noise"]) == ("persons", [])


@pytest.mark.slow
@pytest.mark.parametrize(("method", "output", "word"), [
    ("marginals", "records", "write remedy: output: new_table to accept"),
    ("unprotected", "records", "write remedy: output: new_table_without_guarantee to accept"),
    ("unprotected", "new_table", "has no guarantee of differential privacy"),
])  # fmt: skip
def test_a_new_table_that_the_policy_does_not_accept_is_blocked(place, method, output, word):
    """Nothing is published, and one sentence says what to write."""
    made = drawn(place, method=method, output=output)
    assert (made.outcome, place.releases()) == (Outcome.BLOCKED, [])
    [block] = made.report.verdict.blocks
    assert block.rule == "new_table"
    assert word in block.sentence


@pytest.mark.slow
def test_one_without_a_guarantee_is_published_where_the_policy_accepts_that(place):
    """It says that nothing protects."""
    made = drawn(place, **UNPROTECTED)
    assert made.is_published
    assert "no guarantee of differential privacy protects it" in place.verification().notes[-1]


@pytest.mark.slow
def test_a_column_that_the_guarantee_says_nothing_of_is_not_published(place):
    """A guarantee for some columns does not cover a table with more."""

    class Half(Marginals):
        name = "half"

        def privacy_guarantee(self, records, arguments, task):
            only = dict(arguments) | {"categories": {"age": ADULTS["age"]}}
            return super().privacy_guarantee(records, only, task)

    with pytest.raises(PluginError, match="publishes the column 'sex' in a new table"):
        drawn(place, host_with([Half()]), method="half")
    assert place.releases() == []


@pytest.mark.slow
@pytest.mark.parametrize(("metric", "word"), [
    ({"metric": "ncp", "at_most": 0.5}, "records of a new table have none"),
    ({"metric": "intersection_k_anonymity", "at_least": 2}, "no record of a new table is a person's"),
])  # fmt: skip
def test_a_threshold_that_a_new_table_has_no_figure_for_blocks(place, metric, word):
    """What compares records or follows persons is missed, with the reason."""
    thresholds = [*at_least(k_anonymity=2), metric]
    made = drawn(place, thresholds=thresholds)
    assert made.outcome is Outcome.BLOCKED
    assert word in made.report.verdict.thresholds[1].measurement.reason


@pytest.mark.slow
def test_what_the_policy_measures_beside_must_be_published(place):
    """Without the sensitive attribute nobody can tell whether the threshold on it holds."""
    remedy = rules()["remedy"]
    categories = {name: ADULTS[name] for name in ("age", "sex")}
    remedy = remedy | {"parameters": PARAMETERS | {"categories": categories}}
    made = drawn(place, remedy=remedy, thresholds=at_least(distinct_l_diversity=2))
    assert made.outcome is Outcome.BLOCKED
    assert "it leaves out the column 'illness'" in made.reasons[0]


@pytest.mark.slow
def test_a_new_table_is_nobodys_in_the_history(place):
    """Before and after it persons of the same data set are released and judged as if it were not there."""
    first = place.release(people(), policy())
    new = drawn(place, make=policy)
    last = place.release(people(), policy())
    assert [one.is_published for one in (first, new, last)] == [True, True, True]
    record = place.record(last.audit_id)
    assert record["release"]["earlier_releases"] == [first.release_id, new.release_id]


@pytest.mark.slow
def test_later_it_is_judged_as_what_it_is(place):
    """Figures are measured on what is published; a policy that takes it no more blocks it."""
    made = drawn(place)
    options = {"home": str(place.home), "host": HOST}
    again = reaudit("people", made.release_id, policy=rules(), **options)
    assert (again.outcome, again.reasons) == (Outcome.PASSED, ())
    figures = [one.report.verdict.thresholds[0].measurement.value for one in (made, again)]
    assert figures[0] == figures[1]
    assert again.report.new_table.kind is NewTableKind.SYNTHETIC_RECORDS
    refused = reaudit("people", made.release_id, policy=rules(output="records"), **options)
    assert refused.outcome is Outcome.BLOCKED
    assert [block.rule for block in refused.report.verdict.blocks] == ["new_table"]
    stricter = rules(thresholds=at_least(k_anonymity=1000))
    assert reaudit("people", made.release_id, policy=stricter, **options).outcome is Outcome.BLOCKED


@pytest.mark.slow
def test_a_new_table_without_a_guarantee_is_never_told_to_have_one(place):
    """Not by an attestation that was changed, and not later to a policy that takes guaranteed ones only."""
    made = drawn(place, **UNPROTECTED)
    for field, value in (("sentence", SENTENCE), ("counts", "n"), ("kind", "counts")):
        with pytest.raises(EvidenceFault, match="new_table contradicts"):
            read_statement(place.forged(("new_table", field), value))
    asked = rules(method="unprotected")
    again = reaudit("people", made.release_id, policy=asked, home=str(place.home), host=HOST)
    assert again.outcome is Outcome.BLOCKED
    assert [block.rule for block in again.report.verdict.blocks] == ["new_table"]
    assert not again.report.new_table.is_guaranteed


@pytest.mark.slow
def test_an_exception_cannot_let_a_new_table_pass(place, officer):
    """Nobody knows whom a missed threshold concerns in it, so each is told as nobody's to waive."""
    made = drawn(place, thresholds=at_least(k_anonymity=1000), exceptions=officer.exceptions)
    assert made.outcome is Outcome.BLOCKED
    assert place.record(made.audit_id)["persons_concerned"] == [None]


def test_a_new_table_that_the_disk_cannot_hold_leaves_nothing(place):
    """What fails while it is written publishes nothing and leaves no copy behind."""
    half = Doing(
        lambda *_: NewTable(
            kind=NewTableKind.SYNTHETIC_RECORDS,
            columns={"sex": Recoded(codes=people().index.to_numpy() * 0, values=("\ud800",))},
        ),
        name="half_a_character",
    )
    accepted = once(
        remedy={"anonymizer": half.name, "when": "always", "output": "new_table_without_guarantee"}
    )
    with pytest.raises(PluginError, match="values that no table can hold"):
        place.release(people(), accepted, host=host_with([half]))
    assert (place.releases(), place.left_over()) == ([], [])
