"""The moment of publication: who may write what was made, who stops it, and that one run is alone there."""

import multiprocessing
import os
import signal
import stat
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from qidguard.core.errors import InternalError
from qidguard.ledger import LedgerError
from qidguard.ledger.ledger import Ledger
from qidguard.releasing.publishing import folder, publish
from qidguard.releasing.publishing import store as store_module
from qidguard.releasing.publishing.attest import write_evidence
from qidguard.releasing.publishing.destination import OccupiedError
from qidguard.releasing.publishing.folder import LocalFolder, StagedFolder
from qidguard.releasing.publishing.store import StagedStore, open_store
from quick import mostly_slow
from releases import Place, judged, once, people, verified

PLACES = [(None, StagedFolder), ("memory://q", StagedStore)]


@pytest.mark.slow
@pytest.mark.parametrize("umask", mostly_slow([0o000, 0o002, 0o077], quick=1))
def test_the_umask_does_not_decide_who_can_write(place, umask):
    """Folder 0755 and files 0644 under any umask; no folder on the way there is writable by others."""
    before = os.umask(umask)
    try:
        made = place.release(people())
    finally:
        os.umask(before)
    release = Path(made.address)
    assert stat.S_IMODE(release.stat().st_mode) == 0o755
    assert {stat.S_IMODE(path.stat().st_mode) for path in release.iterdir()} == {0o644}
    around = (release.parent, place.to, place.to / ".qidguard-destination")
    assert not [path for path in around if path.stat().st_mode & 0o022]


@pytest.mark.slow
@pytest.mark.usefixtures("memory")
@pytest.mark.parametrize(
    ("to", "staged", "number"),
    mostly_slow(
        [(*place, number) for place in PLACES for number in (signal.SIGTERM, signal.SIGINT)], quick=1
    ),
)
def test_a_stop_past_the_rename_is_answered_with_what_is_published(place, monkeypatch, to, staged, number):
    """It is confirmed in the ledger and said; whoever has a handler of their own is told afterward."""
    heard = []
    before = signal.signal(signal.SIGTERM, lambda *_: heard.append("term"))
    original = staged.publish

    def publish(self):
        address = original(self)
        os.kill(os.getpid(), number)
        return address

    monkeypatch.setattr(staged, "publish", publish)
    try:
        made = place.release(people(), to=to, release_id="r1")
    finally:
        signal.signal(signal.SIGTERM, before)
    assert (made.is_published, int(made.exit_code), verified(made.address)) == (True, 0, ())
    assert "asked to stop when the release was out already; it is published and confirmed" in made.notes[-1]
    assert [e.payload["release_id"] for e in place.entries("released")] == ["r1"]
    assert heard == (["term"] if number == signal.SIGTERM else [])


@pytest.mark.slow
def test_a_stop_that_came_to_nothing_stops(place, monkeypatch):
    """The rename failed while a signal was held: nothing is published, and the stop is heard."""

    def publish(_):
        os.kill(os.getpid(), signal.SIGINT)
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(StagedFolder, "publish", publish)
    with pytest.raises(KeyboardInterrupt):
        place.release(people())
    assert (place.releases(), len(place.entries("abandoned"))) == ([], 1)


@pytest.mark.slow
def test_a_stop_and_a_ledger_that_is_gone(place, monkeypatch):
    """Published and not confirmed is no success: exit code 3, and what to run stands there."""
    original = Ledger.append

    def fail(self, entry, **more):
        if entry.kind == "released":
            os.kill(os.getpid(), signal.SIGINT)
            raise LedgerError("The ledger is gone.")
        return original(self, entry, **more)

    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "append", fail)
        made = place.release(people(), release_id="r1")
    assert (made.is_published, made.is_confirmed, int(made.exit_code)) == (True, False, 3)
    again = place.release(people(), release_id="r1")
    assert (again.is_repeated, again.is_confirmed, int(again.exit_code)) == (True, True, 0)
    assert len(place.entries("released")) == 1


@pytest.mark.samples(1)
@pytest.mark.parametrize("rules", [judged(), pytest.param(once(), marks=pytest.mark.slow)])
@pytest.mark.parametrize(("to", "staged"), PLACES)
@pytest.mark.usefixtures("memory")
def test_two_ledgers_never_both_publish(place, monkeypatch, to, staged, rules):
    """Both decided while the destination was empty; who comes second looks again, is judged anew, blocked."""
    to, other, made = to or str(place.to), Place(place.root / "other"), []
    original, begun = staged.settle, []

    def settle(self):
        original(self)
        if not begun:
            begun.append(threading.Thread(target=lambda: made.append(other.release(people(), rules, to=to))))
            begun[0].start()
            begun[0].join(250)

    monkeypatch.setattr(staged, "settle", settle)
    first = place.release(people(), rules, to=to)
    assert ([m.is_published for m in made], first.is_published) == ([True], False)
    assert "stand at the destination and not in this ledger" in first.reasons[0]
    assert [e.kind for e in place.entries()] == ["audited", "releasing", "abandoned", "audited"]


def test_a_destination_is_locked_for_one_run_at_a_time(place, monkeypatch):
    """While one publishes another waits; who waits for too long gets a sentence and exit code 2."""
    monkeypatch.setattr(folder, "LONGEST_WAIT_SECONDS", 0.05)
    here, too = LocalFolder(place.to), LocalFolder(place.to)
    with here.locked(), pytest.raises(OccupiedError, match="kept the destination") as raised, too.locked():
        pass
    assert int(raised.value.exit_code) == 2
    with too.locked():
        pass


def _die_in_the_lock(root):
    with LocalFolder(Path(root)).locked():
        os.kill(os.getpid(), signal.SIGKILL)


def test_the_lock_of_a_dead_run_is_none(place):
    """It goes with the process."""
    process = multiprocessing.get_context("fork").Process(target=_die_in_the_lock, args=(str(place.to),))
    process.start()
    process.join(250)
    assert process.exitcode == -signal.SIGKILL
    with LocalFolder(place.to).locked():
        pass


def test_claims_in_a_store(memory, monkeypatch):
    """One that is held keeps others out; those of dead processes and of long ago do not, and are removed."""
    monkeypatch.setattr(store_module, "LONGEST_WAIT_SECONDS", 0.05)
    store = open_store("memory://q")
    with store.locked():
        with pytest.raises(OccupiedError), store.locked():
            pass
        assert len(memory.find("/q")) == 1
    assert memory.find("/q") == []
    staged, now = store.stage("people", "r1"), datetime.now(UTC)
    machine = staged.token.rsplit("/", 3)[0]
    staged.discard()
    dead = [(f"{machine}/4194304/1/x", now), ("elsewhere::/1/1/x", now - timedelta(hours=2))]
    for i, (of, at) in enumerate(dead):
        memory.pipe_file(f"/q/.qidguard-claims/{i}", f'["{of}", "{at.isoformat()}"]'.encode())
    with store.locked():
        pass
    assert memory.find("/q") == []
    memory.pipe_file("/q/.qidguard-claims/0", f'["elsewhere::/1/1/x", "{now.isoformat()}"]'.encode())
    with pytest.raises(OccupiedError), store.locked():
        pass


@pytest.mark.usefixtures("memory")
def test_claims_at_once_step_back(monkeypatch):
    """Who sees another claim goes back: four that come at once are alone one by one."""
    monkeypatch.setattr(store_module, "_PAUSE_SECONDS", 0.002)
    inside, seen, store = [], [], open_store("memory://q")

    def publish():
        for _ in range(3):
            with store.locked():
                inside.append(1)
                seen.append(len(inside))
                inside.pop()

    threads = [threading.Thread(target=publish) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(250)
    assert seen == [1] * 12


def test_a_folder_that_gives_back_other_bytes_is_found(place, monkeypatch):
    """It is verified as anybody will: what a disk changed after its digest is not published."""

    def written(context, folder, *rest):
        made = write_evidence(context, folder, *rest)
        (folder / "people.parquet").write_bytes(b"other")
        return made

    monkeypatch.setattr(publish, "write_evidence", written)
    with pytest.raises(InternalError, match="What was written is not what was audited"):
        place.release(people(), once())
    assert (place.releases(), place.left_over()) == ([], [])
