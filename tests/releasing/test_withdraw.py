"""Releases that were taken back, and the list of those that were not."""

import shutil
from datetime import UTC, datetime

import pytest

from qidguard import UserError
from qidguard.evidence.dsse import unseal
from qidguard.evidence.keys import load_private_key, new_key_pair
from qidguard.evidence.withdrawal import PAYLOAD_TYPE, Notice
from qidguard.ledger import LedgerError, open_ledger
from qidguard.releasing.history.published import published, withdraw
from reaudits import again
from releases import judged, people, policy, verified


@pytest.mark.slow
def test_a_release_that_is_gone_blocks_until_it_is_withdrawn(place):
    """Nobody can tell a removed folder from a store that is away; a person says which it is."""
    place.release(people(), policy(), release_id="r1")
    shutil.rmtree(place.to / "people" / "r1")
    made = again(place, policy())
    assert "if it was withdrawn, say so with: qidguard withdraw" in made.sentences[0]
    with open_ledger(place.ledger) as ledger:
        assert [p.release_id for p in published(ledger)] == ["r1"]
        withdraw(ledger, "people", "r1", reason="asked for", now=datetime.now(UTC))
        withdraw(ledger, "people", "r1", reason="asked for", now=datetime.now(UTC))
        assert published(ledger) == ()
    assert len(place.entries("withdrawn")) == 1


@pytest.mark.slow
def test_a_withdrawal_needs_a_release_and_a_reason(place):
    """Both are said in a sentence."""
    place.release(people(), policy(), release_id="r1")
    with open_ledger(place.ledger) as ledger:
        with pytest.raises(UserError, match="knows no release 'r9' of 'people'"):
            withdraw(ledger, "people", "r9", reason="x", now=datetime.now(UTC))
        with pytest.raises(UserError, match="needs a reason"):
            withdraw(ledger, "people", "r1", reason=" ", now=datetime.now(UTC))


@pytest.mark.slow
def test_a_withdrawn_release_still_counts_for_the_next(place):
    """What was once out may be kept by anybody."""
    place.release(people(), judged(), release_id="r1")
    with open_ledger(place.ledger) as ledger:
        withdraw(ledger, "people", "r1", reason="asked for", now=datetime.now(UTC))
    assert not place.release(people().iloc[1:], judged(), release_id="r2").is_published


@pytest.mark.slow
def test_a_withdrawn_release_is_not_announced_again(place):
    """Asking for the same release once more is a mistake, not a success."""
    place.release(people(), policy(), release_id="r1", seed=1)
    with open_ledger(place.ledger) as ledger:
        withdraw(ledger, "people", "r1", reason="asked for", now=datetime.now(UTC))
    with pytest.raises(UserError, match="was withdrawn, so it is not announced again"):
        place.release(people(), policy(), release_id="r1", seed=1)


@pytest.mark.slow
def test_a_ledger_that_was_cut_lists_nothing(place):
    """What is published would be a list with holes, and a nightly re-audit green."""
    place.release(people(), policy(), release_id="r1")
    older = (place.home / "ledger.db").read_bytes()
    place.release(people(), policy(), release_id="r2")
    for more in ("ledger.db-wal", "ledger.db-shm"):
        (place.home / more).unlink(missing_ok=True)
    (place.home / "ledger.db").write_bytes(older)
    anchors = place.home / "anchors.jsonl"
    with open_ledger(place.ledger, anchors=anchors) as ledger, pytest.raises(LedgerError, match="older than"):
        published(ledger)
    with open_ledger(place.ledger) as ledger:
        assert [p.release_id for p in published(ledger)] == ["r1"]


@pytest.mark.slow
def test_a_withdrawn_release_is_not_judged(place):
    """It is not out there, whatever stands at its address."""
    place.release(people(), policy(), release_id="r1")
    with open_ledger(place.ledger) as ledger:
        withdraw(ledger, "people", "r1", reason="asked for", now=datetime.now(UTC))
    with pytest.raises(UserError, match="was withdrawn; there is nothing to judge"):
        again(place, policy())


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
    from click.testing import CliRunner

    from qidguard.interfaces.commands.withdraw import withdraw_command

    monkeypatch.setenv("QIDGUARD_HOME", str(place.home))
    made = place.release(people(), policy(), release_id="r1")
    assert verified(made.address, keys=[key.public]) == ()
    for reason in ("a wrong table", "said again"):
        said = CliRunner().invoke(
            withdraw_command,
            ["PEOPLE", "r1", "--reason", reason],
            catch_exceptions=False,
            standalone_mode=False,
        )
        assert "Note" not in said.output
    day = f"{place.entries('withdrawn')[0].at:%Y-%m-%d}"
    (fault,) = verified(made.address, keys=[key.public])
    assert fault == (
        f"A notice beside it, signed by key {key.public.id[:12]}…, says that release r1 of people was"
        f" withdrawn on {day}: a wrong table"
    )
    assert [p.name for p in place.releases()] == ["r1", "r1.withdrawn.json"]
    assert place.release(people(), policy(), release_id="r2").is_published
    shutil.rmtree(place.to / "people")
    said = CliRunner().invoke(withdraw_command, ["people", "r2", "--reason", "x"], standalone_mode=False)
    assert "its notice" in said.output


@pytest.mark.slow
def test_a_notice_is_left_by_python_too(place, key):
    """Where it stands is said; unsigned, or beside another one, it is said that it cannot be relied on."""
    place.release(people(), policy(), release_id="r1")
    with open_ledger(place.ledger) as ledger:
        gone = withdraw(ledger, "people", "r1", reason="a wrong table", now=datetime.now(UTC))
        assert gone.notice == str(place.to / "people" / "r1.withdrawn.json")
        assert "Nobody signed the notice" in gone.notes[0]
        assert noticed(place).reason == "a wrong table"
        again = withdraw(ledger, "people", "r1", reason="x", now=datetime.now(UTC), key=key)
        assert (again.notice, len(again.notes)) == (None, 1)
        assert "another notice stands at" in again.notes[0]
        (place.to / "people" / "r1.withdrawn.json").unlink()
        last = withdraw(ledger, "people", "r1", reason="x", now=datetime.now(UTC), key=key)
    assert (last.notice, last.notes) == (gone.notice, ())
    assert noticed(place).reason == "a wrong table"


@pytest.mark.slow
def test_a_notice_is_left_in_a_store(place, key):
    """Beside a release that is no folder of this machine."""
    made = place.release(people(), policy(), release_id="r1", to="memory://withdrawn-tests")
    with open_ledger(place.ledger) as ledger:
        gone = withdraw(ledger, "people", "r1", reason="over", now=datetime.now(UTC), key=key)
    assert (gone.notice, gone.notes) == (f"{made.address}.withdrawn.json", ())
    (fault,) = verified(made.address, keys=[key.public])
    assert fault.startswith("A notice beside it, signed by key")


def test_a_reason_that_is_published_is_short(place):
    """A notice is read whole, and so is its reason."""
    with open_ledger(place.ledger) as ledger, pytest.raises(UserError, match="at most 2,000 characters"):
        withdraw(ledger, "people", "r1", reason="x" * 2001, now=datetime.now(UTC))
