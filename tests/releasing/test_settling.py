"""Whatever a run leaves behind, the next one puts right, and never says what is not so."""

import os
import platform
from datetime import timedelta
from functools import partial
from types import SimpleNamespace

import pytest

from qidguard import InternalError, UserError
from qidguard.ledger import LedgerError, NewEntry, open_ledger
from qidguard.ledger.ledger import Ledger
from qidguard.releasing.history.past import abandon, read_past
from qidguard.releasing.publishing import folder as local
from qidguard.releasing.publishing.store import open_store
from releases import Place, once, people, verified
from steps import Paused


@pytest.fixture
def unconfirmed(place, monkeypatch):
    """Return a release r1 that is out, and that its ledger could not confirm."""
    original = Ledger.append

    def fail(self, entry, **more):
        if entry.kind == "released":
            raise LedgerError("The ledger is gone.")
        return original(self, entry, **more)

    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "append", fail)
        return place.release(people(), release_id="r1")


@pytest.mark.slow
@pytest.mark.parametrize("to", [None, "memory://q"])
@pytest.mark.usefixtures("memory")
def test_a_release_in_progress_is_left_alone(place, to):
    """While one thread is about to publish, another publishes; both releases are complete."""
    slow = Paused("publishing", partial(place.release, people(), to=to, release_id="slow"))
    quick = place.release(people(), to=to, release_id="quick")
    slow.end()
    assert [verified(m.address) for m in (quick, *slow.made)] == [(), ()]
    assert place.entries("abandoned") == []


@pytest.mark.slow
def test_a_confirmation_that_cannot_be_written_is_made_up_for(place, unconfirmed):
    """It is published and says so; the next run confirms it."""
    assert unconfirmed.is_published
    assert (unconfirmed.is_confirmed, int(unconfirmed.exit_code)) == (False, 3)
    assert str(unconfirmed).startswith("PUBLISHED, NOT CONFIRMED  people r1")
    assert "run the same release again with the id r1, which confirms it" in unconfirmed.notes[0]
    assert place.entries("released") == []
    again = place.release(people(), release_id="r2")
    assert "it is confirmed" in again.notes[0]
    assert {e.payload["release_id"] for e in place.entries("released")} == {"r1", "r2"}


@pytest.mark.slow
def test_a_flush_that_fails_after_the_rename_does_not_deny_the_release(place, monkeypatch):
    """The release stands there whole: the error says so, nothing is abandoned, the next run confirms it."""
    original = local.to_disk

    def fail(path):
        if path.name == "people":
            raise OSError(5, "Input/output error")
        original(path)

    with monkeypatch.context() as patch:
        patch.setattr(local, "to_disk", fail)
        with pytest.raises(InternalError, match="stands complete"):
            place.release(people(), release_id="r1")
    assert ([f.name for f in place.releases()], place.entries("abandoned")) == (["r1"], [])
    assert (place.release(people(), release_id="r1").is_repeated, len(place.entries("released"))) == (True, 1)


@pytest.mark.slow
@pytest.mark.usefixtures("unconfirmed")
def test_a_destination_that_is_another_folder_today_settles_nothing(place):
    """An unmounted disk is no proof that its release never was; it counts until that disk is back."""
    away = place.to.rename(place.root / "unmounted")
    made = place.release(people(), release_id="r2")
    assert "another folder" in made.notes[0]
    assert place.entries("abandoned") == []
    place.to.rename(place.root / "other")
    away.rename(place.to)
    assert "it is confirmed" in place.release(people(), release_id="r3").notes[0]


@pytest.mark.slow
def test_ends_of_a_release_exclude_each_other(place):
    """Who comes late to give up what another run has confirmed is refused; a forged end does not count."""
    made = place.release(people(), once(), release_id="r1")
    with open_ledger(place.ledger) as ledger:
        (promise,) = read_past(ledger, "people").begun
        late = SimpleNamespace(ledger=ledger, clock=lambda: promise.at)
        with pytest.raises(InternalError, match="recorded as released, so it cannot be abandoned"):
            abandon(late, promise, "its run died")
        assert list(ledger.entries(kinds={"abandoned"})) == []
        payload = {"audit_id": made.audit_id, "release_id": "r1", "reason": "forged"}
        forged = NewEntry(id="x", kind="abandoned", data_set="people", at=promise.at, payload=payload)
        ledger.append(forged)
        assert read_past(ledger, "people").ids == ("r1",)


@pytest.mark.slow
def test_who_is_at_work_in_a_store(place):
    """This process by its list, a dead one not, another machine for a day."""
    store = open_store("memory://q")
    staged = store.stage("people", "r1")
    now = place.release(people()).report and place.entries()[0].at
    assert store.is_in_progress("people", staged.token, now, now)
    machine, process, began, _ = staged.token.rsplit("/", 3)
    assert process == str(os.getpid())
    assert not store.is_in_progress("people", f"{machine}/{process}/{began}/other", now, now)
    assert not store.is_in_progress("people", f"{machine}/4194304/1/x", now, now)
    assert not store.is_in_progress("people", f"{machine}/1/1/x", now, now)
    elsewhere = f"{platform.node()}-2::/1/1/x"
    assert store.is_in_progress("people", elsewhere, now, now + timedelta(hours=23))
    assert not store.is_in_progress("people", elsewhere, now, now + timedelta(hours=25))
    staged.discard()
    assert not store.is_in_progress("people", staged.token, now, now)


def test_files_of_others_are_neither_published_nor_removed(place, memory):
    """Something stands in the release's own place: nothing is written, and it stays."""
    memory.pipe_file("/q/people/r1/mine.csv", b"mine")
    with pytest.raises(UserError, match="left as it is"):
        place.release(people(), to="memory://q", release_id="r1")
    assert memory.find("/q") == ["/q/people/r1/mine.csv"]


@pytest.mark.slow
@pytest.mark.usefixtures("memory")
def test_two_ledgers_do_not_overwrite_each_other(place):
    """A release of the same name that came from another ledger in the meantime is left as it is."""
    slow = Paused("publishing", partial(place.release, people(), to="memory://q", release_id="r1"))
    other = Place(place.root / "other").release(people(groups=4), to="memory://q", release_id="r1")
    slow.end()
    (refused,) = slow.failed
    assert isinstance(refused, UserError)
    assert "left as it is" in str(refused)
    assert verified(other.address) == ()


@pytest.mark.slow
def test_a_lock_of_somebody_else_is_taken_for_one_in_use(place, monkeypatch):
    """A lock file that may not be opened stops no release, and nothing of its owner is removed."""
    place.release(people())
    staging = place.to / "people" / ".staging-theirs"
    staging.mkdir()
    (place.to / "people" / ".lock-theirs").touch()
    original = os.open

    def refuse(path, *arguments, **more):
        if str(path).endswith(".lock-theirs"):
            raise PermissionError(13, "Permission denied")
        return original(path, *arguments, **more)

    monkeypatch.setattr(os, "open", refuse)
    assert place.release(people()).is_published
    assert staging.is_dir()


@pytest.mark.slow
def test_what_dead_runs_left_is_swept(place):
    """A staging folder without a lock, a lock that nobody holds, a draft: gone after the next release."""
    place.release(people())
    there = place.to / "people"
    (there / ".staging-dead").mkdir()
    (there / ".staging-dead" / "people.parquet").write_bytes(b"x")
    (there / ".lock-dead").touch()
    (there / ".making-dead").touch()
    place.release(people())
    assert place.left_over() == []


def test_a_file_that_came_between_is_found_before_the_manifest(memory):
    """What appears beside the copied files is seen before the folder becomes a release."""
    staged = open_store("memory://q").stage("people", "r1")
    (staged.folder / "data.csv").write_bytes(b"a")
    (staged.folder / "manifest.json").write_bytes(b"{}")
    staged.settle()
    memory.pipe_file("/q/people/r1/mine.csv", b"mine")
    with pytest.raises(UserError, match="left as it is"):
        staged.publish()
    staged.discard()
    assert memory.find("/q") == ["/q/people/r1/mine.csv"]
