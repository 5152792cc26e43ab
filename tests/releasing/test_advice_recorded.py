"""What would make a blocked table pass stands in the ledger beside its verdict, and never changes it."""

import json

import pandas as pd
import pytest

from qidguard import anonymize
from qidguard.advising import run as advising
from qidguard.interfaces.cli import main
from qidguard.releasing.deciding.check import check
from qidguard.rendering.audit_document import IsolatedDocument
from released_series import host, moment, months, rules
from releases import judged, once, people

FIVE_AND_FOUR = people(size=5, groups=2)[:9]
"""A class of five and one of four, where five are asked for."""


def fails(error):
    """Return what stands for advising and raises."""

    def fail(*_, **__):
        raise error

    return fail


def blocked_over_time(place, **options):
    """Return a release of people of whom one left and one came, after one of all."""
    first = people(size=6)
    assert place.release(first, judged(), release_id="2026-10").is_published
    second = pd.concat([first[1:], people(groups=1, size=1, first=900)])
    return place.release(second, judged(), release_id="2026-11", **options)


@pytest.fixture
def run(place, monkeypatch, capsys):
    """Run a command in the place's home and return what it says."""
    monkeypatch.setenv("QIDGUARD_HOME", str(place.home))
    monkeypatch.setenv("COLUMNS", "120")

    def call(*arguments):
        assert main(list(arguments)) == 0
        return capsys.readouterr().out

    return call


def test_a_blocked_release_is_recorded_with_advice_and_counts(place, run):
    """One left and one came: the entry, the record, `show` and `history` say who, and what helps."""
    made = blocked_over_time(place, has_advice=True)
    assert not made.is_published
    (entry,) = place.entries("audited")[1:]
    told = entry.payload
    first = "The earlier release and this one isolate 2 of 19 entities below k = 5: 1 left, 1 came."
    assert told["advice"]["sentence"] == first
    assert told["advice"]["lines"][:2] == ["What would make it pass", f"  {first}"]
    assert told["isolated"][0]["by_release"] == [
        {"release_id": "2026-10", "isolated": {"persons": 2, "left": 1, "came": 1, "stayed": 0}}
    ]
    record = place.record(made.audit_id)
    isolated = IsolatedDocument.of(made.report.isolated[0]).model_dump(mode="json")
    assert record["risk_after"]["isolated"] == told["isolated"] == [isolated]
    assert record["advice"]["isolated"] == told["isolated"][0]
    advice = made.advice()
    assert advice is made.advised.advice
    # no level brings back who left, so no change is audited
    (reason,) = advice.hindrances
    assert reason.startswith(
        "No change of levels mends differencing_k_anonymity: 2 are isolated at any level"
    )
    assert (advice.audited, advice.changes) == (0, ())
    published = [path.read_text("utf-8", "replace") for path in place.to.rglob("*") if path.is_file()]
    assert [text for text in published if "isolate" in text] == []
    assert first in str(made)
    assert first in run("show", made.audit_id)
    assert json.loads(run("history", "--format", "json"))[-1]["advice"] == first
    assert place.faults() == ()


@pytest.mark.slow
def test_a_change_is_confirmed_against_earlier_releases(place):
    """Five came to a class each of their own kind; where their column is coarser they came together."""
    first = people(groups=2, size=10)
    came = people(groups=5, size=1, first=900).assign(sex="f", age=range(60, 65), illness="flu")
    rules = judged(roles=judged()["roles"], hierarchies={"age": {"intervals": [50]}})
    assert place.release(first, rules).is_published
    made = place.release(pd.concat([first, came]), rules, has_advice=True)
    best = made.advice().changes[0]
    assert {one.column for one in best.columns} <= {"age", "sex"}
    mended = place.release(pd.concat([first, came]), rules | _remedy(best.lines))
    assert mended.is_published


def _remedy(lines):
    from ruamel.yaml import YAML

    return YAML(typ="safe").load("\n".join(lines))


@pytest.mark.slow
def test_nobody_is_made_to_wait_who_did_not_ask(place, monkeypatch):
    """In Python advice is for those who ask; the counts of whom releases isolate are kept all the same."""
    monkeypatch.setattr(advising, "advise", fails(AssertionError("it was asked for")))
    made = blocked_over_time(place)
    told = place.entries("audited")[-1].payload
    assert (made.advised, "advice" in told, told["isolated"][0]["isolated"]["persons"]) == (None, False, 2)


def test_a_failing_advice_changes_no_verdict(place, monkeypatch):
    """It is one line without a value of the table, in the entry, too."""
    monkeypatch.setattr(advising, "advise", fails(ValueError("Zanzibar")))
    made = place.release(FIVE_AND_FOUR, once(), has_advice=True)
    line = "There is no advice: internal error (ValueError)."
    told = place.entries("audited")[0].payload
    assert (made.outcome.value, told["outcome"], told["advice"]) == (
        "blocked",
        "blocked",
        {"sentence": line, "lines": [line]},
    )


def test_whoever_stops_the_advice_finds_the_verdict(place, monkeypatch):
    """A run that is ended while it looks for advice has recorded that it was blocked, without any."""
    monkeypatch.setattr(advising, "advise", fails(SystemExit(143)))
    with pytest.raises(SystemExit):
        place.release(FIVE_AND_FOUR, once(), has_advice=True)
    (entry,) = place.entries()
    assert (entry.kind, entry.payload["outcome"], "advice" in entry.payload) == ("audited", "blocked", False)


@pytest.mark.slow
def test_checks_and_trials_are_recorded_with_it(place):
    """An audit alone and a method that does not do; what passes has none."""
    options = {"home": str(place.home), "has_advice": True}
    found = check(FIVE_AND_FOUR, policy=once(), **options)
    with anonymize(FIVE_AND_FOUR, once(), recode={"age": 0}, is_recorded=True, **options) as trial:
        assert trial.advised.advice.below == 4
    check(people(), policy=once(), **options)
    kept = ["advice" in entry.payload for entry in place.entries("checked")]
    assert (found.advised.advice.below, kept) == (4, [True, True, False])


@pytest.mark.slow
def test_a_remedy_that_keeps_the_series_is_tried_where_it_was_not_used(place):
    """An audit is of the table as it is; the advice says what a release would come to, and records none."""
    first, second = months(60, 2)
    options = {"host": host(), "home": str(place.home)}
    asked = rules(left_on="left_on", came_on="came_on")
    assert place.release(first, asked, host=host(), now=moment(0)).is_published
    found = check(second, policy=asked, has_advice=True, now=moment(1), **options)
    advice = found.advised.advice
    assert (advice.isolated is None, advice.changes) == (False, ())
    told = advice.for_series
    assert (told.anonymizers, told.is_tried, told.is_passed) == (("groups_kept",), True, True)
    assert [entry.kind for entry in place.entries()][-2:] == ["released", "checked"]
    assert "The policy's remedy groups_kept would pass" in found_lines(place)


def found_lines(place):
    """Return the lines of advice of the last entry as one text."""
    lines = place.entries("checked")[-1].payload["advice"]["lines"]
    return " ".join(line.strip() for line in lines)
