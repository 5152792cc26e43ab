"""Wherever a release goes, it is there complete or not at all."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import fsspec
import pandas as pd
import pytest
from fsspec.implementations.memory import MemoryFileSystem

from qidguard import InternalError, UserError
from releases import Place, people, verified


@pytest.mark.slow
def test_a_store_holds_the_same_release(place, memory):
    """Three files, verified by address; a passing table only."""
    made = place.release(people(), to="memory://published")
    assert made.address == f"memory://published/people/{made.release_id}"
    assert verified(made.address) == ()
    names = sorted(path.rpartition("/")[2] for path in memory.find("/published"))
    assert names == ["attestation.json", "manifest.json", "people.parquet"]
    with memory.open(f"/published/people/{made.release_id}/people.parquet") as file:
        assert len(pd.read_parquet(file)) == 15


def test_a_blocked_table_leaves_a_store_empty(place, memory):
    """Nothing is written before the verdict."""
    assert not place.release(people(size=4), to="memory://published").is_published
    assert memory.find("/") == []


class Broken(MemoryFileSystem):
    """A store that fails when a named file is put."""

    protocol = "broken"
    fails_at = ""
    is_corrupting = False

    def put_file(self, lpath, rpath, *_, **__):
        """Fail, or write something else, at the named file."""
        if rpath.endswith(self.fails_at):
            if not self.is_corrupting:
                raise ConnectionError("token=SECRET")
            self.pipe_file(rpath, b"other bytes")
            return
        super().put_file(lpath, rpath)


@pytest.fixture
def broken(monkeypatch):
    """The store that fails, registered under a protocol of its own."""
    fsspec.register_implementation("broken", Broken, clobber=True)
    monkeypatch.setattr(Broken, "fails_at", "")
    monkeypatch.setattr(Broken, "is_corrupting", False)
    return Broken


FILES = ["people.parquet", "attestation.json", "manifest.json"]


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize(("is_corrupting", "error", "said"), [
    (False, UserError, "cannot be written"), (True, InternalError, "gave back other bytes"),
])  # fmt: skip
def test_a_store_that_fails_at_any_file_keeps_nothing(
    place, memory, broken, file, is_corrupting, error, said
):
    """Every file is read back; whatever was copied is removed, the ledger says so, the next run succeeds."""
    broken.fails_at, broken.is_corrupting = file, is_corrupting
    with pytest.raises(error, match=said) as raised:
        place.release(people(), to="broken://published", release_id="r1")
    assert "SECRET" not in str(raised.value)
    assert memory.find("/published") == []
    assert [e.kind for e in place.entries()] == ["audited", "releasing", "abandoned", "failed"]
    broken.fails_at = "nothing"
    assert place.release(people(), to="broken://published", release_id="r1").is_published
    assert place.faults() == ()


@pytest.mark.parametrize(
    ("to", "said"),
    [("nowhere://published", "no protocol"), ("file://elsewhere/folder", "another machine"), ("  ", "empty")],
)
def test_an_address_that_is_none_is_refused(place, to, said):
    """A mistake in it is the user's to mend, and nothing is read or recorded."""
    with pytest.raises(UserError, match=said):
        place.release(people(), to=to)


@pytest.mark.slow
def test_a_file_in_the_folders_place_is_refused(place):
    """A destination that is a file cannot be written."""
    place.root.mkdir(exist_ok=True)
    place.to.write_text("not a folder")
    with pytest.raises(UserError, match="cannot be written"):
        place.release(people())
    assert place.to.read_text() == "not a folder"
    assert [e.kind for e in place.entries()] == ["audited", "failed"]


@pytest.mark.slow
def test_a_folder_of_the_releases_name_is_never_replaced(place):
    """What stands at the release's own place is left as it is, even an empty folder."""
    for name, content in (("empty", None), ("full", "mine")):
        there = place.to / "people" / name
        there.mkdir(parents=True)
        if content:
            (there / "file").write_text(content)
        with pytest.raises(UserError, match="left as it is"):
            place.release(people(), release_id=name)
        assert [p.read_text() for p in there.iterdir()] == ([content] if content else [])
    assert place.left_over() == []


_IN_A_PROCESS = """
import resource, signal, sys
from pathlib import Path
from releases import Place, people
place = Place(Path(sys.argv[1]))
place.release(people(), release_id="before")
{limit}
try:
    place.release(people(groups=200), release_id="after")
except Exception as error:
    print(type(error).__name__, error)
"""


def run_limited(root, limit):
    """Run two releases in a process, the second under a limit; return what it printed."""
    paths = [p for p in sys.path if p]
    return subprocess.run(
        [sys.executable, "-B", "-c", _IN_A_PROCESS.format(limit=limit), str(root)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_a_full_disk_publishes_nothing(place):
    """No file may grow beyond some kilobytes: the second release fails with one sentence, the first stays."""
    limit = (
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, 2_000))"
    )
    done = run_limited(place.root, limit)
    assert "Traceback" not in done.stderr
    assert done.stdout.count("Error") == 1, done.stdout + done.stderr
    assert [folder.name for folder in place.releases()] == ["before"]
    assert [verified(folder) for folder in place.releases()] == [()]
    assert place.faults() == ()
    assert (place.release(people(), release_id="next").is_published, place.left_over()) == (True, [])


@pytest.fixture
def open_place():
    """Return a place that others may reach: pytest shuts its own folders again when another pytest begins."""
    with tempfile.TemporaryDirectory() as folder:
        yield Place(Path(folder))


@pytest.mark.slow
def test_a_read_only_target_publishes_nothing(open_place):
    """Who may not write to the destination gets one sentence; what is there stays."""
    place, nobody = open_place, 65534
    limit = "(place.to / 'people').chmod(0o555)"
    if os.geteuid() == 0:
        # root may write everywhere, so the second release runs as nobody, whom all folders let in
        place.root.mkdir(exist_ok=True)
        for path in (place.root, *place.root.parents):
            if path.stat().st_mode & 0o011 != 0o011:
                path.chmod(0o711)
        limit += (
            f"\nimport os, tempfile\nfor path in (place.home, *place.home.rglob('*')):\n"
            f"    os.chown(path, {nobody}, {nobody})\nos.seteuid({nobody})"
        )
    done = run_limited(place.root, limit)
    (place.to / "people").chmod(0o700)
    assert done.stdout.startswith("UserError The destination"), done.stdout + done.stderr
    assert "Permission denied" in done.stdout
    assert [folder.name for folder in place.releases()] == ["before"]
    assert [verified(folder) for folder in place.releases()] == [()]


@pytest.mark.parametrize("inside", ["", "people", "people/deep"])
def test_a_source_that_holds_the_releases_is_refused(place, inside):
    """A folder of Parquet files in, above or under the releases would grow by every release."""
    folder = place.to / inside
    folder.mkdir(parents=True)
    people().to_parquet(folder / "a.parquet")
    for source in (folder, folder / "*.parquet"):
        with pytest.raises(UserError, match="stand in one another"):
            place.release(source)


@pytest.mark.slow
def test_a_file_beside_the_releases_is_no_release(place):
    """One file in the folder above the releases is read alone, so it may be released there."""
    place.to.mkdir(parents=True)
    people().to_parquet(place.to / "people.parquet")
    assert place.release(place.to / "people.parquet").is_published


@pytest.mark.slow
def test_addresses_of_this_machine(place, monkeypatch):
    """file:/// and ~ mean what they mean elsewhere."""
    monkeypatch.setenv("HOME", str(place.root))
    assert str(place.release(people(), to="~/there").address).startswith(str(place.root / "there"))
    url = place.to.as_uri()
    assert str(place.release(people(), to=url).address).startswith(str(place.to))
