"""Releases that were taken back, and the list of those that were not."""

import shutil
from datetime import UTC, datetime

import pytest

from qidguard import UserError
from qidguard.ledger import LedgerError, open_ledger
from qidguard.releasing.history.published import published, withdraw
from reaudits import again
from releases import judged, people, policy, verified


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


def test_a_withdrawal_needs_a_release_and_a_reason(place):
    """Both are said in a sentence."""
    place.release(people(), policy(), release_id="r1")
    with open_ledger(place.ledger) as ledger:
        with pytest.raises(UserError, match="knows no release 'r9' of 'people'"):
            withdraw(ledger, "people", "r9", reason="x", now=datetime.now(UTC))
        with pytest.raises(UserError, match="needs a reason"):
            withdraw(ledger, "people", "r1", reason=" ", now=datetime.now(UTC))


def test_a_withdrawn_release_still_counts_for_the_next(place):
    """What was once out may be kept by anybody."""
    place.release(people(), judged(), release_id="r1")
    with open_ledger(place.ledger) as ledger:
        withdraw(ledger, "people", "r1", reason="asked for", now=datetime.now(UTC))
    assert not place.release(people().iloc[1:], judged(), release_id="r2").is_published


def test_a_withdrawn_release_is_not_announced_again(place):
    """Asking for the same release once more is a mistake, not a success."""
    place.release(people(), policy(), release_id="r1", seed=1)
    with open_ledger(place.ledger) as ledger:
        withdraw(ledger, "people", "r1", reason="asked for", now=datetime.now(UTC))
    with pytest.raises(UserError, match="was withdrawn, so it is not announced again"):
        place.release(people(), policy(), release_id="r1", seed=1)


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


def test_a_withdrawn_release_is_not_judged(place):
    """It is not out there, whatever stands at its address."""
    place.release(people(), policy(), release_id="r1")
    with open_ledger(place.ledger) as ledger:
        withdraw(ledger, "people", "r1", reason="asked for", now=datetime.now(UTC))
    with pytest.raises(UserError, match="was withdrawn; there is nothing to judge"):
        again(place, policy())


def test_a_notice_is_left_beside_the_release(place, monkeypatch):
    """It names release and day, and not why; whoever verifies the files learns of it without a ledger."""
    from click.testing import CliRunner

    from qidguard.interfaces.commands.withdraw import withdraw_command

    monkeypatch.setenv("QIDGUARD_HOME", str(place.home))
    made = place.release(people(), policy(), release_id="r1")
    assert verified(made.address) == ()
    arguments = ["people", "r1", "--reason", "p000001 complained"]
    for _ in range(2):
        CliRunner().invoke(withdraw_command, arguments, catch_exceptions=False, standalone_mode=False)
    (fault,) = verified(made.address)
    assert "was withdrawn on" in fault
    assert "p000001" not in (place.to / "people" / "r1.withdrawn.json").read_text()
    assert [p.name for p in place.releases()] == ["r1", "r1.withdrawn.json"]
    assert place.release(people(), policy(), release_id="r2").is_published
    shutil.rmtree(place.to / "people")
    said = CliRunner().invoke(withdraw_command, ["people", "r2", "--reason", "x"], standalone_mode=False)
    assert "its notice" in said.output
