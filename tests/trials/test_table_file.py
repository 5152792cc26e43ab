"""The file of a remedy: where it is, what it must not stand in, and that it is there whole or not at all."""

import signal
import subprocess
import sys
from pathlib import Path

import fsspec
import pytest
from fsspec.implementations.memory import MemoryFileSystem

from qidguard import UserError
from qidguard.core.files import PREFIX
from qidguard.policy import parse_policy
from qidguard.trials.read_places import other_sources
from qidguard.trials.table_file import open_table_file

STORE = "memory://table-file/x.csv"


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """Return a folder with two tables in ``g``, one deeper, one of them linked; it is the current folder."""
    for name in ("g/a.parquet", "g/deep/b.parquet", "h/c.parquet", "far/d.parquet"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"x")
    (tmp_path / "g/far").symlink_to(tmp_path / "far")
    (tmp_path / "g/c.parquet").symlink_to(tmp_path / "h/c.parquet")
    (tmp_path / "alias").symlink_to(tmp_path / "g")
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    (tmp_path / "g/out.csv").symlink_to(tmp_path / "elsewhere.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def store():
    """Return a store of this process that holds an earlier file."""
    system = fsspec.filesystem("memory")
    with fsspec.open(STORE, "wb") as file:
        file.write(b"earlier")
    yield system
    system.rm("/table-file", recursive=True)


def write(to, content=b"new"):
    """Write one file."""
    with open_table_file(str(to)).staged() as made:
        made.write_bytes(content)


def held(system):
    """Return what the store holds."""
    return {Path(path).name: system.cat_file(path) for path in system.find("/table-file")}


PARTS = """
g/*.parquet g/out.parquet
g/*.parquet g/out.CSV
g/*.parquet alias/out.parquet
alias/*.parquet g/new/out.parquet
g/**/*.parquet g/deep/out.parquet
g/*/*.parquet far/out.parquet
g/*.parquet h/c.parquet
*/a.parquet h/out.parquet
g g/out.parquet
g/ g/new/out.parquet
g g/out.csv
g/*.parquet g/out.csv
g h/c.parquet
g/a.parquet alias/a.parquet
g/a.parquet h/../g/a.parquet
"""
"""A source and a file that is a part of it."""

APART = """
g/a.parquet g/out.parquet
g h/out.parquet
g g.parquet
g/*.parquet out.parquet
memory://g/a.parquet g/a.parquet
g/a.parquet memory://g/a.parquet
circle a.csv
~nosuchuser/a.csv a.csv
g/b[1].parquet g/out.parquet
"""
"""A source and a file that stands beside it; the last source is a file whose name looks like a pattern."""


def pairs(lines):
    """Return the two words of each line."""
    return [line.split() for line in lines.split("\n") if line]


@pytest.mark.parametrize(("source", "to"), [*pairs(PARTS), (Path("alias"), "g/out.parquet")])
def test_a_file_apart_from_what_is_read(tree, source, to):
    """Neither the source itself, nor in or below its folder, nor what its links and patterns lead to."""
    for spelled in (to, (tree / to).as_uri()):
        with pytest.raises(UserError, match=r"written over its source|read as data"):
            open_table_file(spelled).check_apart(source)


ODD = ["a\0.csv", "x" * 10_000, b"a.csv", None]


@pytest.mark.parametrize(("source", "to"), [*pairs(APART), *((source, "a.csv") for source in ODD)])
def test_files_that_stand_apart(tree, source, to):
    """A file beside a source of one file is no part of it."""
    (tree / "g/b[1].parquet").write_bytes(b"x")
    open_table_file(to).check_apart(source)


@pytest.mark.parametrize("source", ["{}/s 1.csv", "file://{}/s 1.csv", "simplecache::file://{}/s 1.csv"])
@pytest.mark.parametrize(
    "to", ["{}/s 1.csv", "file://{}/s%201.csv", "local://{}/s%201.csv", "FILE://localhost{}/s 1.csv"]
)
def test_a_url_of_this_machine_is_a_path(tmp_path, source, to):
    """However either of them is spelled."""
    with pytest.raises(UserError, match="written over its source"):
        open_table_file(to.format(tmp_path)).check_apart(source.format(tmp_path))


@pytest.mark.parametrize("source", [STORE, f"simplecache::{STORE}"])
def test_a_url_of_a_store_is_the_source_too(source):
    """Through a cache as well."""
    with pytest.raises(UserError, match="written over its source"):
        open_table_file(STORE).check_apart(source)


@pytest.mark.parametrize("url", ["file://{}/a b.csv", "local://{}/a%20b.csv"])
def test_a_url_of_this_machine_is_written_like_a_path(tmp_path, url):
    """Its name is decoded, it is its owner's only, and nothing is left beside it."""
    url = url.format(tmp_path)
    write(url)
    (path,) = tmp_path.iterdir()
    assert (path.name, path.read_bytes(), path.stat().st_mode & 0o777) == ("a b.csv", b"new", 0o600)
    assert open_table_file(url).label == str(path)


@pytest.mark.parametrize(
    ("to", "said"),
    [
        ("file://other/p/s.csv", "names another machine"),
        ("file://[x/s.csv", "is no path of this machine"),
        ("file:///p/s.csv?x.csv", "is no path of this machine"),
        ("file:///p/s.csv#x.csv", "is no path of this machine"),
        ("file:///p/%00.csv", "is no path of this machine"),
        ("~nosuchuser/x.csv", "is no path of this machine"),
        ("simplecache::file:///p/s.csv", "leads through another address"),
        ("zip://s.csv::/p/all.csv", "leads through another address"),
        ("file:///p/s.json", "must end in"),
    ],
)
def test_addresses_that_name_no_file(to, said):
    """They are refused before anything is read."""
    with pytest.raises(UserError, match=said):
        open_table_file(to)


def test_nobody_else_reads_it_while_it_is_written(tmp_path):
    """It is made in a folder that only its owner enters, where no pattern finds it."""
    with open_table_file(str(tmp_path / "x.parquet")).staged() as made:
        made.write_bytes(b"new")
        assert made.parent.parent == tmp_path
        assert made.parent.name.startswith(PREFIX)
        assert made.parent.stat().st_mode & 0o777 == 0o700
        assert list(tmp_path.rglob("*.parquet")) == []
        assert made.name.startswith(".")
    assert [path.name for path in tmp_path.iterdir()] == ["x.parquet"]


def test_what_fails_leaves_the_earlier_file(tmp_path):
    """And nothing beside it."""
    path = tmp_path / "x.csv"
    path.write_bytes(b"earlier")
    with pytest.raises(TypeError), open_table_file(str(path)).staged() as made:
        made.write_bytes("half of it is no bytes")
    assert [(p.name, p.read_bytes()) for p in tmp_path.iterdir()] == [("x.csv", b"earlier")]


KILLED = """
import os, signal, sys
from qidguard.trials.table_file import open_table_file
with open_table_file(sys.argv[1]).staged() as made:
    made.write_bytes(b"half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_run_left_is_removed_by_the_next(tmp_path):
    """Even by one that writes nothing; what is in use stays."""
    file = open_table_file(str(tmp_path / "x.csv"))
    done = subprocess.run([sys.executable, "-c", KILLED, file.address], check=False, timeout=250)
    assert done.returncode == -signal.SIGKILL
    (left,) = tmp_path.iterdir()
    with file.staged() as made:
        assert not left.exists()
        file.sweep()
        made.write_bytes(b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["x.csv"]


@pytest.mark.usefixtures("store")
def test_sweeping_a_store_or_no_folder_does_nothing(tmp_path):
    """There is nothing to sweep."""
    open_table_file(STORE).sweep()
    open_table_file(str(tmp_path / "none/x.csv")).sweep()
    (tmp_path / "file").write_text("x")
    open_table_file(str(tmp_path / "file/x.csv")).sweep()


def test_a_store_gets_the_file_in_one_step(store, monkeypatch):
    """It is copied under another name first, so nobody finds half of it."""
    names = []

    def named(*given, **more):
        names.append(given[2])
        PUT(*given, **more)

    monkeypatch.setattr(MemoryFileSystem, "put_file", named)
    write(STORE)
    assert held(store) == {"x.csv": b"new"}
    assert [Path(name).name.startswith(f".{PREFIX}") for name in names] == [True]


class BrokenError(Exception):
    """An error of a store's own, whose text holds a secret."""


PUT, MOVE = MemoryFileSystem.put_file, MemoryFileSystem.mv


def broken(keep=None, error=None):
    """Return a step of a store that keeps a byte of the file or nothing, and may fail."""

    def step(self, _, there, **__):
        if keep is not None:
            self.pipe_file(there, keep)
        if error is not None:
            raise error

    return step


def no_last_copy(self, lpath, rpath, **more):
    """Copy, and fail with the file itself."""
    PUT(self, lpath, rpath, **more)
    if rpath.endswith(".csv"):
        raise BrokenError


EARLIER, CANNOT = {"x.csv": b"earlier"}, "cannot be written"
NO_MOVE = broken(error=NotImplementedError())
STORES = {
    "a copy that fails": (broken(b"n", BrokenError("secret")), MOVE, r"written \(BrokenError\)", EARLIER),
    "a short copy": (broken(b"n"), MOVE, CANNOT, EARLIER),
    "a rename that fails": (PUT, broken(error=BrokenError()), CANNOT, EARLIER),
    "a rename that leaves half a file": (PUT, broken(b"n", BrokenError()), CANNOT, {}),
    "a rename that does nothing": (PUT, broken(), CANNOT, EARLIER),
    "no rename": (PUT, NO_MOVE, None, {"x.csv": b"as long"}),
    "no rename, and half a file": (no_last_copy, NO_MOVE, CANNOT, {}),
}


@pytest.mark.parametrize(("copy", "move", "said", "left"), STORES.values(), ids=STORES)
def test_a_store_that_fails_has_the_earlier_file_or_none(store, monkeypatch, copy, move, said, left):
    """What it keeps is looked at; half a file is removed; nothing but the type of an error is told."""
    monkeypatch.setattr(MemoryFileSystem, "put_file", copy)
    monkeypatch.setattr(MemoryFileSystem, "mv", move)
    if said is None:
        write(STORE, b"as long")
    else:
        with pytest.raises(UserError, match=said) as caught:
            write(STORE, b"as long")
        assert "secret" not in str(caught.value)
        assert caught.value.__cause__ is None
    assert held(store) == left


def test_a_folder_of_that_name_in_a_store_is_left_alone(store):
    """The file would otherwise be moved into it."""
    store.pipe_file("/table-file/y.csv/inside", b"x")
    with pytest.raises(UserError, match=r"cannot be written \(IsADirectoryError\)"):
        write("memory://table-file/y.csv")
    assert held(store) == {"x.csv": b"earlier", "inside": b"x"}


def test_a_file_on_its_way_to_a_store_is_private(tmp_path):
    """It is made where temporary copies go."""
    with open_table_file(STORE).staged(str(tmp_path)) as made:
        assert made.parent.parent == tmp_path
        assert made.parent.stat().st_mode & 0o777 == 0o700
        made.write_bytes(b"new")
    assert list(tmp_path.iterdir()) == []
    fsspec.filesystem("memory").rm("/table-file", recursive=True)


HEAD = "qidguard: 1\nname: p\npreset: pdpc-sg-5\nroles: {quasi_identifiers: [age, sex, job]}\n"
MORE = """\
source: {path: table.csv}
population: {path: census.csv}
hierarchies:
  age: {file: levels/age.csv}
  sex: {file: levels/age.csv}
  job: {taxonomy: levels/job.csv}
"""


@pytest.fixture
def read_beside(tmp_path, monkeypatch):
    """Return what a policy in the folder ``rules`` of the current one has read beside its table."""
    (tmp_path / "rules" / "levels").mkdir(parents=True)
    for name in ("census.csv", "levels/age.csv", "levels/job.csv"):
        (tmp_path / "rules" / name).write_text("x;*\n", encoding="utf-8")
    (tmp_path / "alias").symlink_to(tmp_path / "rules")
    monkeypatch.chdir(tmp_path)
    return other_sources(parse_policy(HEAD + MORE, "rules/p.yaml"))


def check_apart(to, every):
    """Check a file against everything that was read."""
    for read in every:
        open_table_file(to).check_apart(read)


def test_the_population_and_every_file_of_a_hierarchy_are_read(read_beside):
    """Each once, as seen from here, not the table itself; a file may stand beside them in their folder."""
    assert read_beside == ("rules/census.csv", "rules/levels/age.csv", "rules/levels/job.csv")
    check_apart("rules/levels/out.csv", read_beside)


@pytest.mark.parametrize("more", ["", "hierarchies: {age: auto, job: {prefix: [1]}}\n"])
def test_a_policy_may_read_nothing_beside_its_table(more):
    """Hierarchies that are made need no file."""
    assert other_sources(parse_policy(HEAD + more, "p.yaml")) == ()


@pytest.mark.parametrize("to", ["rules/levels/age.csv", "alias/levels/job.csv", "rules/census.csv"])
def test_no_table_is_written_over_what_a_policy_read(read_beside, to):
    """However the file is reached."""
    for spelling in (to, Path(to).absolute().as_uri()):
        with pytest.raises(UserError, match="written over its source"):
            check_apart(spelling, read_beside)
