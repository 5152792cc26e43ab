"""Nothing is decided on a ledger in which a row was relabeled, taken away or changed."""

from datetime import UTC, datetime, timedelta

import pytest

from noise import Spending
from plugged import host_with
from qidguard.ledger import LedgerError, open_ledger
from qidguard.releasing.deciding.approve import Consent, make_exception, revoke_exception
from qidguard.releasing.deciding.check import check
from qidguard.releasing.history.published import published, withdraw
from qidguard.releasing.reaudit.reaudit import reaudit
from qidguard.sdk import UserError
from quick import mostly_slow
from raw_ledger import Raw
from releases import judged, people, policy

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)

TAMPERINGS = {
    "data_set": "UPDATE entry SET data_set = 'elsewhere' WHERE kind = 'releasing'",
    "kind": "UPDATE entry SET kind = 'checked' WHERE kind = 'releasing'",
    "deleted": "DELETE FROM entry WHERE kind = 'releasing'",
    "payload": "UPDATE entry SET payload = replace(payload, 'people', 'others') WHERE kind = 'releasing'",
    "id": "UPDATE entry SET id = 'releasing-x' WHERE kind = 'releasing'",
    "renumbered": "UPDATE entry SET sequence = 999 WHERE kind = 'releasing'",
}

HIDING = [
    "UPDATE entry SET kind = 'checked' WHERE kind = '{kind}'",
    "UPDATE entry SET data_set = 'elsewhere' WHERE kind = '{kind}'",
    "DELETE FROM entry WHERE kind = '{kind}'",
]


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def url(request, place):
    """Return where the ledger is, in each kind of database."""
    if request.param == "sqlite":
        return place.ledger
    return request.getfixturevalue("postgres_url")


@pytest.fixture(params=[True, False], ids=["seen", "unseen"])
def tamper(request, place, url):
    """Return what runs a statement behind the ledger's back, with what this machine has seen or without."""

    def run(statement):
        Raw(url).without_triggers(statement)
        if not request.param:
            (place.home / "anchors.jsonl").unlink()

    return run


def elsewhere(place):
    """Return a destination at which no release stands that a run could see."""
    return str(place.root / "elsewhere")


@pytest.mark.slow
@pytest.mark.parametrize("how", mostly_slow(TAMPERINGS, quick=2))
def test_an_earlier_release_cannot_be_hidden(place, url, tamper, how):
    """One person less than before is blocked; with the earlier release hidden it would be published."""
    place.release(people(), judged(), ledger=url, release_id="r1")
    without_one = people().iloc[1:]
    rules = judged(thresholds=[{"metric": "differencing_k_anonymity", "at_least": 5}])
    assert not place.release(without_one, rules, to=elsewhere(place), ledger=url).is_published
    tamper(TAMPERINGS[how])
    with pytest.raises(LedgerError, match=r"history --(check|accept)"):
        place.release(without_one, rules, to=elsewhere(place), ledger=url)
    assert not (place.root / "elsewhere" / "people").exists()


def test_bytes_in_the_place_of_text_are_found(place):
    """SQLite keeps a kind that is bytes, which no filter by text finds."""
    place.release(people(), judged(), release_id="r1")
    raw = Raw(place.ledger)
    raw.without_triggers("UPDATE entry SET kind = CAST(kind AS BLOB) WHERE kind = 'releasing'")
    with pytest.raises(LedgerError, match="does not hold: entry 2 was changed"):
        place.release(people().iloc[1:], judged(), to=elsewhere(place))


@pytest.mark.slow
@pytest.mark.parametrize("statement", mostly_slow(HIDING))
def test_a_revoked_exception_does_not_come_back_to_life(place, url, officer, tamper, statement):
    """Its revocation is hidden, and nothing is published by it."""
    rules = policy(exceptions=officer.exceptions)
    blocked = place.release(people(size=4), rules, ledger=url, now=NOW)
    made = officer.let_through(place, blocked.audit_id, NOW, url=url)
    with open_ledger(url, anchors=place.home / "anchors.jsonl") as ledger:
        revoke_exception(ledger, made.id, "a mistake", NOW)
    assert not place.release(people(size=4), rules, ledger=url, now=NOW).is_published
    tamper(statement.format(kind="revoked"))
    with pytest.raises(LedgerError, match=r"history --(check|accept)"):
        place.release(people(size=4), rules, ledger=url, now=NOW)
    assert place.releases() == []


@pytest.mark.slow
@pytest.mark.parametrize("statement", mostly_slow(HIDING))
def test_what_was_spent_cannot_be_hidden(place, url, tamper, statement):
    """The budget was used up, and its row is gone or says that it is something else's."""
    host = host_with([Spending()])
    remedy = {"anonymizer": "noise", "parameters": {"epsilon": 0.1}}
    rules = policy(remedy=remedy, privacy_budget={"epsilon": 0.1})
    source = people(groups=2, size=6).iloc[:-3]
    assert place.release(source, rules, host=host, ledger=url).is_published
    tamper(statement.format(kind="spent"))
    with pytest.raises(LedgerError, match=r"history --(check|accept)"):
        place.release(source, rules, host=host, ledger=url)
    assert len(place.releases()) == 1


@pytest.mark.slow
def test_no_door_decides_on_it(place, url, tamper):
    """Recorded audits, exceptions, revocations, withdrawals, re-audits, and the list of what is out."""
    place.release(people(), policy(), ledger=url, release_id="r1", now=NOW)
    blocked = place.release(people(size=4), policy(), ledger=url, now=NOW)
    tamper("UPDATE entry SET data_set = 'elsewhere' WHERE kind = 'released'")
    where = {"home": str(place.home), "ledger": url}
    later = NOW + timedelta(minutes=1)
    consent = Consent(audit_id=blocked.audit_id, covers=("k_anonymity",), reason="x", expires=later.date())
    with open_ledger(url) as ledger:
        doors = [
            lambda: check(people(), policy=policy(), **where, now=later),
            lambda: reaudit("people", "r1", policy=policy(), **where, now=later),
            lambda: make_exception(ledger, consent, None, later),
            lambda: revoke_exception(ledger, "exception-1", "x", later),
            lambda: withdraw(ledger, "people", "r1", reason="x", now=later),
            lambda: published(ledger),
        ]
        for door in doors:
            with pytest.raises(LedgerError, match=r"history --(check|accept)"):
                door()
    assert len(Raw(url).execute("SELECT sequence FROM entry")) == 4


@pytest.mark.slow
def test_a_ledger_that_holds_goes_on(place, url):
    """The same statements without a change refuse nothing."""
    place.release(people(), judged(), ledger=url, release_id="r1")
    Raw(url).without_triggers("UPDATE entry SET kind = kind, data_set = data_set, payload = payload")
    assert place.release(people(), judged(), ledger=url, release_id="r2").is_published
    with pytest.raises(UserError, match="made from another source"):
        place.release(people(size=6), judged(), ledger=url, release_id="r2")
