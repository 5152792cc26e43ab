"""What a process that dies leaves in the middle of a step is removed by the next run."""

import tempfile

import pytest

from qidguard.core import files
from qidguard.core.files import PREFIX, Lock, PrivateFolder, sweep, write_whole
from qidguard.evidence.home import Home
from qidguard.releasing.publishing.folder import LocalFolder


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Return where copies are made, which nobody swept yet."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(files, "_swept", set())
    return tmp_path


@pytest.mark.parametrize("inside", [(), (".making-0123",)])
def test_a_folder_whose_lock_was_not_there_yet(place, inside):
    """Killed between making the folder and its lock, or between taking the lock away and the folder."""
    left = place / f"{PREFIX}abcdefgh"
    left.mkdir()
    for name in inside:
        (left / name).touch()
    PrivateFolder().remove()
    assert list(place.iterdir()) == []


def test_a_folder_of_that_name_that_is_no_copy_stays(place):
    """Somebody else's files are nobody's to remove."""
    for name in (f"{PREFIX}notes", "qidguard-demo-abcdefgh"):
        (place / name).mkdir()
    (place / f"{PREFIX}notes" / "a.txt").touch()
    sweep(place)
    assert (place / f"{PREFIX}notes" / "a.txt").exists()
    # it was made a moment ago, and is empty still
    assert (place / "qidguard-demo-abcdefgh").exists()


def test_a_folder_that_is_swept_while_it_is_made_is_made_again(place, monkeypatch):
    """Another run may look in the moment before the lock stands there."""
    original, times = Lock.make, []

    def make(self):
        if not times:
            times.append(1)
            self.path.parent.rmdir()
        original(self)

    monkeypatch.setattr(Lock, "make", make)
    folder = PrivateFolder()
    assert folder.path.is_dir()
    folder.remove()
    assert list(place.iterdir()) == []


@pytest.mark.parametrize("name", ["r[1].json", "x" * 250])
def test_a_draft_of_a_report(tmp_path, name):
    """The next report of that name removes the draft of a dead run, and not one that is being written."""
    alive = Lock(tmp_path / f".{name[:40]}.b.draft")
    alive.make()
    (tmp_path / f".{name[:40]}.a.draft").touch()
    (tmp_path / ".making-dead").touch()
    write_whole(tmp_path / name, b"{}", mode=0o644)
    assert {p.name for p in tmp_path.iterdir()} == {name, alive.path.name}
    assert (tmp_path / name).stat().st_mode & 0o777 == 0o644
    alive.drop()


def test_a_draft_of_the_history_key(tmp_path):
    """It is a secret, and was left beside the key."""
    home = Home.at(str(tmp_path))
    key = home.history_key()
    (tmp_path / ".history.key.0123.draft").write_bytes(b"another secret")
    assert home.history_key() == key
    assert [p.name for p in tmp_path.iterdir()] == ["history.key"]
    assert (tmp_path / "history.key").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("name", [".making-dead", ".new-mark-dead"])
def test_a_draft_of_the_destination_s_mark(tmp_path, name):
    """Killed before the mark stood there; a mark that is there stays what it is."""
    (tmp_path / name).touch()
    folder = LocalFolder(tmp_path)
    mark = folder.identity()
    folder.sweep("people")
    assert [p.name for p in tmp_path.iterdir()] == [".qidguard-destination"]
    assert LocalFolder(tmp_path).identity() == mark
