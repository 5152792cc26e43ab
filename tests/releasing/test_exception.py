"""A missed threshold passes only by a recorded, signed, expiring exception, and everybody can see it."""

import json
from datetime import UTC, date, datetime, timedelta

import pytest

from qidguard import UserError
from qidguard.evidence.keys import load_private_key, new_key_pair
from qidguard.ledger import NewEntry, open_ledger
from qidguard.releasing.approve import Consent, make_exception, revoke_exception
from releases import people, policy

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
SMALL = people(size=4)


@pytest.fixture
def officer(tmp_path):
    """The key of the privacy officer, an approver of the policy."""
    new_key_pair(tmp_path / "officer", "officer")
    return load_private_key(tmp_path / "officer" / "officer.key")


@pytest.fixture
def rules(officer):
    """A policy with an approver, which SMALL misses with k = 4."""
    approvers = [{"name": "A. Roe", "key": officer.public.text}]
    return policy(exceptions={"approvers": approvers, "longest_days": 30})


def consent(made, **changes):
    """Return a consent to the blocked release ``made``."""
    fields = {
        "audit_id": made.audit_id,
        "covers": ("k_anonymity",),
        "reason": "pilot with one hospital",
        "expires": date(2026, 12, 1),
    }
    return Consent(**(fields | changes))


def let_through(place, made, key, **changes):
    """Record an exception for the blocked release ``made``."""
    with open_ledger(place.ledger) as ledger:
        return make_exception(ledger, consent(made, **changes), key, NOW)


def test_an_exception_lets_the_named_threshold_pass_and_is_seen_everywhere(place, rules, officer):
    """It stands in the result, the manifest, the attestation, the record and the ledger."""
    blocked = place.release(SMALL, rules, now=NOW)
    approval = let_through(place, blocked, officer)
    made = place.release(SMALL, rules, now=NOW)
    assert made.outcome.value == "passed_by_exception"
    assert [a.id for a in made.approvals] == [approval.id]
    folder = place.releases()[0]
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["outcome"] == "passed_by_exception"
    (seen,) = manifest["exceptions"]
    assert seen["by"] == "A. Roe"
    assert seen["reason"] == "pilot with one hospital"
    assert seen["thresholds"] == ["k_anonymity ≥ 5 (accepted: 4)"]
    record = place.record(made.audit_id)
    assert record["approvals"] == [seen]
    assert record["policy"]["deviations"] == ["k_anonymity ≥ 5 (accepted: 4)"]
    later = place.record(place.release(people(), rules, now=NOW).audit_id)
    assert later["release"]["earlier_approvals"] == [approval.id]
    assert later["policy"]["deviations"] == []
    assert [e.payload["exceptions"] for e in place.entries("audited")] == [[], [seen], []]


def test_a_worse_figure_than_the_accepted_one_is_blocked(place, rules, officer):
    """What was let through at 4 is not let through at 3, and 5 needs nothing."""
    let_through(place, place.release(SMALL, rules, now=NOW), officer)
    assert not place.release(people(size=3), rules, now=NOW).is_published
    assert place.release(people(size=5), rules, now=NOW).approvals == ()


def test_an_exception_ends_after_its_last_day(place, rules, officer):
    """On the last day it holds, on the next it does not, and nobody can go back in time."""
    let_through(place, place.release(SMALL, rules, now=NOW), officer)
    last = datetime(2026, 12, 1, 23, 59, tzinfo=UTC)
    assert place.release(SMALL, rules, now=last).is_published
    assert not place.release(SMALL, rules, now=last + timedelta(minutes=2)).is_published
    with pytest.raises(UserError, match="correct the clock"):
        place.release(SMALL, rules, now=NOW - timedelta(days=1))


def test_an_exception_holds_for_one_policy_and_one_data_set(place, rules, officer):
    """Whoever changes a word of the policy needs a new exception, and so does another data set."""
    let_through(place, place.release(SMALL, rules, now=NOW), officer)
    assert not place.release(SMALL, rules | {"description": "other"}, now=NOW).is_published
    release = rules["release"] | {"data_set": "others"}
    assert not place.release(SMALL, rules | {"release": release}, now=NOW).is_published


def test_other_thresholds_stay_blocked(place, officer):
    """An exception on k-anonymity leaves l-diversity where it was."""
    thresholds = [
        {"metric": "k_anonymity", "at_least": 5},
        {"metric": "distinct_l_diversity", "at_least": 4},
    ]
    approvers = [{"name": "A. Roe", "key": officer.public.text}]
    rules = policy(exceptions={"approvers": approvers}, thresholds=thresholds)
    let_through(place, place.release(SMALL, rules, now=NOW), officer)
    assert not place.release(SMALL, rules, now=NOW).is_published


def test_a_key_that_is_no_approvers_lets_nothing_through(place, rules, tmp_path):
    """Neither when the exception is made, nor when somebody writes one into the ledger by hand."""
    new_key_pair(tmp_path / "stranger", "stranger")
    stranger = load_private_key(tmp_path / "stranger" / "stranger.key")
    blocked = place.release(SMALL, rules, now=NOW)
    with pytest.raises(UserError, match=r"none of the policy's exceptions\.approvers"):
        let_through(place, blocked, stranger)
    approvers = [{"name": "A. Roe", "key": stranger.public.text}]
    theirs = policy(exceptions={"approvers": approvers})
    let_through(place, place.release(SMALL, theirs, now=NOW), stranger)
    assert place.release(SMALL, theirs, now=NOW).is_published
    assert not place.release(SMALL, rules, now=NOW).is_published


def test_an_altered_exception_is_none(place, rules, officer):
    """A copy with a later day does not carry the approver's signature, whatever the ledger says beside it."""
    let_through(place, place.release(SMALL, rules, now=NOW), officer)
    (entry,) = place.entries("exception")
    payload = json.loads(json.dumps(dict(entry.payload)))
    payload["envelope"] = payload["envelope"].replace('"sig":"', '"sig":"A')
    with open_ledger(place.ledger) as ledger:
        revoke_exception(ledger, entry.id, "test", NOW)
        ledger.append(
            NewEntry(id="exception-forged", kind="exception", data_set="people", at=NOW, payload=payload)
        )
        again = dict(entry.payload)
        ledger.append(
            NewEntry(id="exception-copied", kind="exception", data_set="people", at=NOW, payload=again)
        )
    assert not place.release(SMALL, rules, now=NOW).is_published


def test_a_revoked_exception_is_none(place, rules, officer):
    """After the revocation the release is blocked again."""
    approval = let_through(place, place.release(SMALL, rules, now=NOW), officer)
    with open_ledger(place.ledger) as ledger:
        revoke_exception(ledger, approval.id, "the pilot ended", NOW)
    assert not place.release(SMALL, rules, now=NOW).is_published


def test_an_exception_lives_no_longer_than_the_policy_allows(place, rules, officer):
    """Thirty days are allowed, thirty-one are not, and a day that has gone is no day."""
    blocked = place.release(SMALL, rules, now=NOW)
    with pytest.raises(UserError, match="lets an exception live 30 days"):
        let_through(place, blocked, officer, expires=date(2026, 12, 22))
    with pytest.raises(UserError, match="yet to come"):
        let_through(place, blocked, officer, expires=date(2026, 11, 20))
    assert let_through(place, blocked, officer, expires=date(2026, 12, 21)).id


def test_what_is_no_missed_threshold_cannot_be_excepted(place, rules, officer):
    """A metric that held, a release that passed, an audit that does not exist, an empty reason."""
    blocked = place.release(SMALL, rules, now=NOW)
    with pytest.raises(UserError, match="missed no threshold on 'suda'"):
        let_through(place, blocked, officer, covers=("suda",))
    with pytest.raises(UserError, match="needs a reason"):
        let_through(place, blocked, officer, reason="  ")
    passed = place.release(people(), rules, now=NOW)
    with pytest.raises(UserError, match="was not blocked"):
        let_through(place, passed, officer)
    with pytest.raises(UserError, match="There is no audit"):
        let_through(place, blocked, officer, audit_id="audit-none")


def test_a_doubt_cannot_be_excepted(place, officer):
    """An exception covers thresholds; a column that nobody decided blocks whatever was signed."""
    approvers = [{"name": "A. Roe", "key": officer.public.text}]
    rules = policy(exceptions={"approvers": approvers})
    let_through(place, place.release(SMALL, rules, now=NOW), officer)
    assert place.release(SMALL, rules, now=NOW).is_published
    unknown = place.release(SMALL.assign(unknown=1), rules, now=NOW)
    assert not unknown.is_published
    with pytest.raises(UserError, match="covers thresholds only"):
        let_through(place, unknown, officer)
