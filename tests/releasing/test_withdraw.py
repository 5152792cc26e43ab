"""Releases that were taken back, and the list of those that were not."""

import shutil
from datetime import UTC, datetime

import pytest
from click.testing import CliRunner

from qidguard import UserError
from qidguard.evidence.dsse import unseal
from qidguard.evidence.keys import load_private_key, new_key_pair
from qidguard.evidence.withdrawal import PAYLOAD_TYPE, Notice
from qidguard.interfaces.commands.withdraw import withdraw_command
from qidguard.ledger import LedgerError, open_ledger
from qidguard.releasing.history.published import published, withdraw
from quick import mostly_slow
from reaudits import again
from releases import judged, people, policy, verified


def take_back(place, release_id="r1", **more):
    """Withdraw a release, and return what is said of it."""
    with open_ledger(place.ledger) as ledger:
        asked = {"reason": "asked for", "now": datetime.now(UTC)} | more
        return withdraw(ledger, "people", release_id, **asked)


def listed(place, **options):
    """Return the ids of the releases that are out."""
    with open_ledger(place.ledger, **options) as ledger:
        return [one.release_id for one in published(ledger)]


@pytest.mark.slow
def test_a_release_that_is_gone_blocks_until_it_is_withdrawn(place):
    """Nobody can tell a removed folder from a store that is away; a person says which it is."""
    place.release(people(), policy(), release_id="r1")
    shutil.rmtree(place.to / "people" / "r1")
    made = again(place, policy())
    assert "if it was withdrawn, say so with: qidguard withdraw" in made.sentences[0]
    assert listed(place) == ["r1"]
    for _ in range(2):
        take_back(place)
    assert listed(place) == []
    assert len(place.entries("withdrawn")) == 1


@pytest.mark.parametrize(("release_id", "reason", "said"), mostly_slow([
    ("r1", "x" * 2001, "at most 2,000 characters"),
    ("r1", " ", "needs a reason"),
    ("r9", "x", "knows no release 'r9' of 'people'"),
]), ids=["too long for a notice", "no reason", "no release"])  # fmt: skip
def test_a_withdrawal_needs_a_release_and_a_short_reason(place, release_id, reason, said):
    """Both are said in a sentence, and nothing is withdrawn."""
    place.release(people(), policy(), release_id="r1")
    with pytest.raises(UserError, match=said):
        take_back(place, release_id, reason=reason)
    assert listed(place) == ["r1"]


@pytest.mark.slow
def test_a_withdrawn_release_counts_and_is_neither_announced_nor_judged_again(place):
    """What was once out may be kept by anybody; whatever stands at its address is out there no more."""
    place.release(people(), judged(), release_id="r1", seed=1)
    take_back(place)
    assert not place.release(people().iloc[1:], judged(), release_id="r2").is_published
    with pytest.raises(UserError, match="was withdrawn, so it is not announced again"):
        place.release(people(), judged(), release_id="r1", seed=1)
    with pytest.raises(UserError, match="was withdrawn; there is nothing to judge"):
        again(place, judged())


@pytest.mark.slow
def test_a_ledger_that_was_cut_lists_nothing(place):
    """What is published would be a list with holes, and a nightly re-audit green."""
    place.release(people(), policy(), release_id="r1")
    older = (place.home / "ledger.db").read_bytes()
    place.release(people(), policy(), release_id="r2")
    for more in ("ledger.db-wal", "ledger.db-shm"):
        (place.home / more).unlink(missing_ok=True)
    (place.home / "ledger.db").write_bytes(older)
    with pytest.raises(LedgerError, match="older than"):
        listed(place, anchors=place.home / "anchors.jsonl")
    assert listed(place) == ["r1"]


def noticed(place, release_id="r1"):
    """Return what the notice beside a release says."""
    content = (place.to / "people" / f"{release_id}.withdrawn.json").read_bytes()
    return Notice.read(unseal(content, PAYLOAD_TYPE).payload)


@pytest.fixture
def key(place):
    """Return the key that signs releases, in the home folder."""
    new_key_pair(place.home / "keys", "signing")
    return load_private_key(place.home / "keys" / "signing.key")


@pytest.mark.slow
def test_a_signed_notice_is_left_by_the_command(place, key, monkeypatch):
    """It names release, day and reason, and stays as it is; whoever verifies the files learns of it."""

    def said(*arguments):
        given = {"catch_exceptions": False, "standalone_mode": False}
        return CliRunner().invoke(withdraw_command, [*arguments], **given).output

    monkeypatch.setenv("QIDGUARD_HOME", str(place.home))
    made = place.release(people(), policy(), release_id="r1")
    assert verified(made.address, keys=[key.public]) == ()
    for reason in ("a wrong table", "said again"):
        assert "Note" not in said("PEOPLE", "r1", "--reason", reason)
    day = f"{place.entries('withdrawn')[0].at:%Y-%m-%d}"
    (fault,) = verified(made.address, keys=[key.public])
    assert fault == (
        f"A notice beside it, signed by key {key.public.id[:12]}…, says that release r1 of people was"
        f" withdrawn on {day}: a wrong table"
    )
    assert [p.name for p in place.releases()] == ["r1", "r1.withdrawn.json"]
    assert place.release(people(), policy(), release_id="r2").is_published
    shutil.rmtree(place.to / "people")
    assert "its notice" in said("people", "r2", "--reason", "x")


@pytest.mark.slow
def test_a_notice_is_left_by_python_too(place, key):
    """Where it stands is said; unsigned, or beside another one, it is said that it cannot be relied on."""
    place.release(people(), policy(), release_id="r1")
    gone = take_back(place, reason="a wrong table")
    assert gone.notice == str(place.to / "people" / "r1.withdrawn.json")
    assert "Nobody signed the notice" in gone.notes[0]
    assert noticed(place).reason == "a wrong table"
    beside = take_back(place, key=key)
    assert (beside.notice, len(beside.notes)) == (None, 1)
    assert "another notice stands at" in beside.notes[0]
    (place.to / "people" / "r1.withdrawn.json").unlink()
    last = take_back(place, key=key)
    assert ((last.notice, last.notes), noticed(place).reason) == ((gone.notice, ()), "a wrong table")


@pytest.mark.slow
def test_a_notice_is_left_in_a_store(place, key):
    """Beside a release that is no folder of this machine."""
    made = place.release(people(), policy(), release_id="r1", to="memory://withdrawn-tests")
    gone = take_back(place, reason="over", key=key)
    assert (gone.notice, gone.notes) == (f"{made.address}.withdrawn.json", ())
    (fault,) = verified(made.address, keys=[key.public])
    assert fault.startswith("A notice beside it, signed by key")
