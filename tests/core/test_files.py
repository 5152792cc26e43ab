"""Copies of tables do not outlive the next run, looking for them costs little, and no lock is lost."""

import fcntl
import os
import shutil
import stat
import tempfile
from pathlib import Path

import pytest

import qidguard
from qidguard.core import files
from qidguard.core.files import Lock, PrivateFolder, made_lock, sweep
from qidguard.engines.base import EngineSettings, ReadOptions
from qidguard.engines.duckdb.engine import ENGINE
from qidguard_comparison import compare
from releases import people, policy


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Return where copies are made, which nobody swept yet."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(files, "_swept", set())
    return tmp_path


def dead():
    """Return a folder with a raw value that a killed run left behind."""
    left = PrivateFolder()
    (left.path / "records.duckdb").write_bytes(b"a raw value")
    (left.path / "spill").mkdir()
    os.close(left._lock._handle)  # as the system does when a process dies
    return left.path


RUNS = {
    "audit": lambda _: qidguard.audit(people(), policy()).close(),
    "discover": lambda _: qidguard.discover(people(), objective={"distinction": 1}),
    "compare": lambda _: compare(people(), policy(), anonymizers="mondrian"),
    "release": lambda home: qidguard.release(people(), policy(), to=f"{home}/to", home=f"{home}/home"),
}


@pytest.mark.samples(1)
@pytest.mark.parametrize("name", RUNS)
def test_every_run_sweeps(place, tmp_path_factory, name):
    """Also a second one of the same process, which swept for the first."""
    home = tmp_path_factory.mktemp("home")
    RUNS[name](home)
    left = dead()
    RUNS[name](home)
    assert not left.exists()
    assert list(place.glob("qidguard-*")) == []


@pytest.mark.usefixtures("place")
def test_a_run_that_is_a_mistake_sweeps():
    """There is no such file, and what a dead run left is gone all the same."""
    left = dead()
    with pytest.raises(qidguard.UserError), qidguard.audit("gone.xyz", policy()):
        pass
    assert not left.exists()


@pytest.mark.usefixtures("place")
def test_a_repeated_release_sweeps(tmp_path_factory):
    """It copies nothing itself, and does not leave another one's copy behind."""
    home = tmp_path_factory.mktemp("home")
    where = {"to": f"{home}/to", "home": f"{home}/home", "release_id": "r1"}
    qidguard.release(people(), policy(), **where)
    left = dead()
    assert qidguard.release(people(), policy(), **where).is_repeated
    assert not left.exists()


@pytest.mark.usefixtures("place")
def test_an_audit_looks_once_at_each_folder_of_others(monkeypatch):
    """With thirty runs of others at work, their locks are tried once each and not at every opening."""
    others = [PrivateFolder() for _ in range(30)]
    files._swept.clear()
    tried, original = [], fcntl.flock

    def counted(handle, operation):
        tried.append(str(Path(f"/proc/self/fd/{handle}").readlink()))
        return original(handle, operation)

    monkeypatch.setattr(fcntl, "flock", counted)
    with qidguard.audit(people(), policy()):
        pass
    theirs = [path for path in tried if any(path.startswith(str(other.path)) for other in others)]
    for other in others:
        other.remove()
    assert len(theirs) == 30
    assert len(tried) - len(theirs) <= 5, "folders of its own"


def test_a_first_folder_of_a_process_sweeps(place):
    """Whoever opens a table without a run, such as a batch of Great Expectations, sweeps too; once."""
    left = dead()
    files._swept.clear()
    PrivateFolder().remove()
    assert not left.exists()
    left = dead()
    PrivateFolder().remove()
    assert left.exists()
    sweep(place)
    assert not left.exists()


def test_a_sweep_that_is_cut_off_is_finished_by_the_next(place, monkeypatch):
    """The lock goes last, so that what is left can be found."""
    left = dead()

    def cut_off(_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(shutil, "rmtree", cut_off)
        with pytest.raises(KeyboardInterrupt):
            sweep(place)
    assert (left / "in-use").exists()
    sweep(place)
    assert not left.exists()


@pytest.mark.parametrize("mask", [0o000, 0o022])
def test_a_copy_is_its_owners_alone(place, mask):
    """The file is 0600 in a folder of 0700, whatever the process gives to others."""
    before = os.umask(mask)
    try:
        with ENGINE.snapshot(people(), ReadOptions(), EngineSettings()):
            (copy,) = place.glob("qidguard-*/records.duckdb")
            assert stat.S_IMODE(copy.stat().st_mode) == 0o600
            assert stat.S_IMODE(copy.parent.stat().st_mode) == 0o700
    finally:
        os.umask(before)


def test_a_sweeper_that_locks_first_is_outlived(tmp_path, monkeypatch):
    """It held the file between its making and its lock; the next file is ours, and nothing else is left."""
    real, left = files._locked, [None, None]
    monkeypatch.setattr(files, "_locked", lambda *given: left.pop() if left else real(*given))
    with made_lock(tmp_path / "in-use") as made:
        assert [p.name for p in tmp_path.iterdir()] == ["in-use"]
        assert not Lock(tmp_path / "in-use").take()
    assert not made.path.exists()


def test_a_sweeper_that_never_ends_is_an_error(tmp_path, monkeypatch):
    """It says which file could not be made."""
    monkeypatch.setattr(files, "_locked", lambda *_: None)
    with pytest.raises(FileNotFoundError, match="in-use"):
        made_lock(tmp_path / "in-use")
