"""Judging without publishing: the same decision as a release, and an entry in the ledger."""

import json

import pandas as pd
import pytest

from qidguard import DataError, PolicyError, UserError
from qidguard.core.errors import ExitCode
from qidguard.releasing.deciding import check as module
from qidguard.releasing.deciding.check import check
from qidguard.releasing.history.timeline import events
from releases import once, people, policy


def options(place, **more):
    """Return the options of a place."""
    return {"home": str(place.home), **more}


def test_a_table_that_passes_is_recorded_and_nothing_is_published(place):
    """The entry carries the figures, what started it, and the whole report; no release is promised."""
    origin = {"door": "airflow", "dag_id": "nightly"}
    made = check(people(), policy=once(), **options(place, origin=origin))
    assert (made.is_passed, made.exit_code, made.sentences) == (True, ExitCode.PASSED, ())
    (entry,) = place.entries()
    assert (entry.kind, entry.id, entry.data_set) == ("checked", made.audit_id, "people")
    said = entry.payload
    assert (said["outcome"], said["exit_code"], said["records"], said["entities"]) == ("passed", 0, 15, 15)
    assert [(f["metric"], f["value"], f["limit"]) for f in said["figures"]] == [("k_anonymity", 5, 5)]
    assert {"door": "airflow", "dag_id": "nightly"}.items() <= said["by"].items()
    assert (place.record(made.audit_id)["risk_after"]["table"]["records"], place.releases()) == (15, [])


def test_a_blocked_table_says_why_and_no_value(place):
    """The sentence is the audit's, and the history shows it; entry and report hold nothing of the table."""
    made = check(people(size=4).assign(illness="MARK-77"), policy=policy(), **options(place))
    sentence = "k-anonymity is 4 entities, must be at least 5 (1 short), over age, sex."
    assert (made.is_passed, made.exit_code, made.sentences) == (False, ExitCode.BLOCKED, (sentence,))
    (entry,) = place.entries()
    (event,) = events([entry])
    assert (event.what, event.detail) == ("audit blocked", sentence)
    kept = json.dumps([dict(entry.payload), place.record(made.audit_id)])
    assert [word for word in ("MARK-77", "Name 1") if word in kept] == []


@pytest.mark.slow
def test_it_decides_as_the_release_would(place):
    """Without a watch on earlier releases the second one would be blocked, and so is its check."""
    rules = once(release={"data_set": "people"})
    assert check(people(), policy=rules, **options(place)).is_passed
    assert place.release(people(), rules, release_id="r1").is_published
    made = check(people(), policy=rules, **options(place))
    released = place.release(people(), rules, release_id="r2")
    assert made.reasons == released.reasons != ()
    assert not made.is_passed
    entry = place.entries("checked")[-1]
    assert (entry.payload["outcome"], entry.payload["blocks"]) == ("blocked", list(made.reasons))


@pytest.mark.slow
def test_a_remedy_is_not_used_but_known(place):
    """Blocked by thresholds alone, with a remedy in the policy: curable; with another reason it is not."""
    table = pd.concat([people(groups=5), people(1, 1, first=900).assign(age=99)])
    remedy = {"anonymizer": "small_class_suppression", "parameters": {"k": 5}}
    made = check(table, policy=policy(remedy=remedy), **options(place))
    assert (made.is_passed, made.is_remediable, made.report.records) == (False, True, 26)
    assert not check(table, policy=policy(), **options(place)).is_remediable
    late = check(table, policy=policy(remedy=remedy, review_by="2020-01-01"), **options(place))
    assert (late.is_passed, late.is_remediable) == (False, False)


def test_no_key_and_no_destination_are_needed(place):
    """A policy that demands a signature can be judged where no key is."""
    rules = policy(release={"data_set": "people", "earlier_releases": "unrelated", "signature": "required"})
    assert check(people(), policy=rules, **options(place)).is_passed


@pytest.mark.slow
def test_an_exception_lets_a_check_pass(place, officer):
    """As it lets the release pass; the entry names it."""
    rules = policy(exceptions=officer.exceptions)
    blocked = place.release(people(size=4), rules, release_id="r1")
    approval = officer.let_through(place, blocked.audit_id, origin={"responder": "ann"})
    (entry,) = place.entries("exception")
    assert (entry.id, entry.payload["recorded_by"]["responder"]) == (approval.id, "ann")
    made = check(people(size=4), policy=rules, **options(place))
    assert (made.is_passed, made.outcome.value, made.exit_code) == (True, "passed_by_exception", 0)
    assert [e["id"] for e in place.entries("checked")[0].payload["exceptions"]] == [approval.id]


def test_what_cannot_be_read_is_recorded_as_a_failure(place):
    """The error is the user's to hear, and the ledger's to keep."""
    with pytest.raises(DataError):
        check(people().iloc[:0], policy=policy(), **options(place))
    (entry,) = place.entries()
    assert (entry.kind, entry.payload["exit_code"], entry.payload["release_id"]) == ("failed", 2, None)


def test_a_foreign_error_keeps_its_words(place, monkeypatch):
    """Only the kind of an error that is not our own is kept: its words could hold values of the table."""

    def broken(*_, **__):
        raise RuntimeError("secret value 4711")

    monkeypatch.setattr(module, "decide", broken)
    with pytest.raises(RuntimeError):
        check(people(), policy=policy(), **options(place))
    (entry,) = place.entries()
    assert entry.payload["error"] == "internal error (RuntimeError)"
    assert "secret" not in json.dumps(dict(entry.payload))


def test_the_policy_says_where_the_table_is(place, tmp_path, monkeypatch):
    """Relative to its own file, wherever the process runs."""
    folder = tmp_path / "policies"
    folder.mkdir()
    people().to_csv(folder / "people.csv", index=False)
    text = json.dumps(policy(source={"path": "people.csv"}))
    (folder / "people.yaml").write_text(text, encoding="utf-8")
    monkeypatch.chdir("/")
    made = check(policy=str(folder / "people.yaml"), **options(place))
    assert (made.is_passed, made.report.source) == (True, str(folder / "people.csv"))


@pytest.mark.parametrize(("given", "rules", "kind", "said"), [
    ([], policy(), UserError, "There is no table; name one, or write source: path:"),
    ([people()], policy(release={}), PolicyError, "the data set needs a name"),
], ids=["no table", "no name"])  # fmt: skip
def test_without_a_table_and_a_name_nothing_is_judged(place, given, rules, kind, said):
    """Neither the call nor the policy gives them; a frame has no file name."""
    with pytest.raises(kind, match=said):
        check(*given, policy=rules, **options(place))
