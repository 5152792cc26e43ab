"""A source that others write to while it is read: what is hashed is what is read, and nothing dies."""

import os
import stat
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import duckdb
import pandas as pd
import pytest

from qidguard import DataError, UserError
from qidguard.core.errors import ChangedError, ExitCode
from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.engines.duckdb import engine as module
from qidguard.engines.duckdb.engine import ENGINE
from qidguard.engines.duckdb.sources import delimited, file, file_bytes

SETTINGS = EngineSettings()


def table(path: Path, records: int = 3, first: int = 0) -> Path:
    """Write a table of two columns in the format of the path."""
    frame = pd.DataFrame({"n": range(first, first + records), "t": [f"t{i}" for i in range(records)]})
    if path.suffix == ".csv":
        frame.to_csv(path, index=False)
    elif path.suffix == ".parquet":
        frame.to_parquet(path)
    else:
        path.unlink(missing_ok=True)
        with duckdb.connect(path) as database:
            database.execute("CREATE TABLE t AS SELECT * FROM frame")
    return path


SUFFIXES = ("csv", "parquet", "duckdb")


def changing(monkeypatch, change):
    """Let something happen to a file after its first block was read."""
    read, done = file_bytes._read_into, []

    def then(reading, block, path):
        n = read(reading, block, path)
        if not done:
            done.append(path)
            change(path)
        return n

    monkeypatch.setattr(file_bytes, "_read_into", then)


@pytest.mark.parametrize("change", ["grows", "shrinks", "is rewritten"])
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_file_that_changes_while_it_is_copied_is_an_error(tmp_path, monkeypatch, suffix, change):
    """It is the user's error, which a schedule may try again, and nothing is left of the copy."""
    path = table(tmp_path / f"x.{suffix}")
    old = path.stat()

    def happen(file):
        if change == "grows":
            with file.open("ab") as more:
                more.write(b"9,9\n")
        elif change == "shrinks":
            os.truncate(file, 5)
        else:
            os.utime(file, ns=(old.st_atime_ns, old.st_mtime_ns + 1))

    changing(monkeypatch, happen)
    (tmp_path / "spill").mkdir()
    settings = EngineSettings(spill_directory=str(tmp_path / "spill"))
    with pytest.raises(ChangedError, match=f"'x.{suffix}' changed while it was read; wait") as raised:
        ENGINE.snapshot(path, ReadOptions(), settings)
    assert isinstance(raised.value, DataError)
    assert (raised.value.exit_code, raised.value.is_transient) == (ExitCode.USER_ERROR, True)
    assert list((tmp_path / "spill").iterdir()) == []


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_is_hashed_is_what_is_read(tmp_path, monkeypatch, suffix):
    """The file is another one before the copy and a third one after: the digest is the copied one's."""
    path = table(tmp_path / f"x.{suffix}")
    swapped = table(tmp_path / f"y.{suffix}", records=4, first=3)
    expected = sha256(swapped.read_bytes()).hexdigest()
    receive = file.receive

    def swap(connection, path, label, kind):
        swapped.replace(path)
        taken = receive(connection, path, label, kind)
        table(path, records=5)
        return taken

    monkeypatch.setattr("qidguard.engines.duckdb.sources.file.receive", swap)
    with ENGINE.snapshot(path, ReadOptions(), SETTINGS) as taken:
        assert (taken.records, taken.source_digest) == (4, expected)
        assert taken.codes(["n"])[:, 0].tolist() == [1, 2, 3, 4]


def test_a_folder_is_copied_file_by_file(tmp_path, monkeypatch):
    """Its digest is that of its listing, keys of folders are read, and what is no Parquet is said."""
    for year in (2020, 2021):
        (tmp_path / f"all/year={year}").mkdir(parents=True)
        table(tmp_path / f"all/year={year}/x.parquet", first=year)
    (tmp_path / "all/notes.txt").write_text("", encoding="utf-8")
    pattern = tmp_path / "all" / "*" / "*.parquet"
    digests = {ENGINE.source_digest(source, ReadOptions()) for source in (tmp_path / "all", pattern)}
    with ENGINE.snapshot(tmp_path / "all", ReadOptions(), SETTINGS) as taken:
        assert (taken.names, taken.records) == (("n", "t", "year"), 6)
        assert {taken.source_digest} == digests
        assert taken.notes == ("1 files of the folder are no Parquet files and were not read",)
    with ENGINE.snapshot(pattern, ReadOptions(), SETTINGS) as taken:
        assert (taken.names, taken.records, {taken.source_digest}) == (("n", "t"), 6, digests)
    monkeypatch.chdir(tmp_path / "all" / "year=2020")
    with ENGINE.snapshot("*.parquet", ReadOptions(), SETTINGS) as taken:
        assert taken.source_digest == ENGINE.source_digest("*.parquet", ReadOptions())


@pytest.mark.slow
def test_a_database_is_copied_with_its_log(tmp_path):
    """What was written but not yet moved into the file is read, and part of the digest."""
    path = table(tmp_path / "x.duckdb")
    program = (
        f"import duckdb, os\nd = duckdb.connect({str(path)!r})\n"
        "d.execute('SET checkpoint_threshold = \\'1GB\\'')\nd.execute('INSERT INTO t VALUES (9, \\'t9\\')')\n"
        "os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
    assert (tmp_path / "x.duckdb.wal").is_file()
    with ENGINE.snapshot(path, ReadOptions(), SETTINGS) as taken:
        assert taken.records == 4
        assert taken.source_digest == ENGINE.source_digest(path, ReadOptions())


def test_what_has_no_bytes_has_the_digest_of_what_was_copied():
    """A frame's digest is that of its content, whatever becomes of the frame."""
    frame = pd.DataFrame({"n": [1, 2]})
    expected = ENGINE.source_digest(frame, ReadOptions())
    with ENGINE.snapshot(frame, ReadOptions(), SETTINGS) as taken:
        frame.loc[2] = 3
        assert taken.source_digest == expected != ENGINE.source_digest(frame, ReadOptions())


@pytest.mark.parametrize("suffix", ["parquet", "duckdb"])
@pytest.mark.parametrize("change", ["another", "gone"])
def test_a_file_that_is_read_in_place_must_stay_as_it_is(tmp_path, monkeypatch, suffix, change):
    """An audit that copies nothing looks at size, time and place before and after."""
    path = table(tmp_path / f"x.{suffix}")
    other = table(tmp_path / f"y.{suffix}", records=2)
    load = module.load

    def slow(*given):
        loaded = load(*given)
        path.unlink() if change == "gone" else other.replace(path)
        return loaded

    monkeypatch.setattr(module, "load", slow)
    with pytest.raises(ChangedError, match=f"'x.{suffix}' changed while it was read"):
        ENGINE.open(path, ReadOptions(), Needs(columns=("n",)), SETTINGS)


@pytest.mark.slow
def test_delimited_text_is_scanned_in_a_private_copy(tmp_path, monkeypatch):
    """Whoever truncates the file while its bytes are scanned cannot end this process."""
    path = table(tmp_path / "x.csv", records=200_000)
    scan, seen = delimited.scan, []

    def slow(copy, *given, **more):
        os.truncate(path, 10)
        modes = [stat.S_IMODE(p.stat().st_mode) for p in (copy, copy.parent)]
        seen.append((copy != path, modes))
        return scan(copy, *given, **more)

    monkeypatch.setattr(delimited, "scan", slow)
    with ENGINE.open(path, ReadOptions(), Needs(columns=("n",)), SETTINGS) as opened:
        assert opened.records == 200_000
    assert seen == [(True, [0o600, 0o700])]


def test_a_full_disk_under_the_copy_is_named(tmp_path, monkeypatch):
    """The place of the copy is full, not that of the source."""

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(file, "read_bytes", full)
    with pytest.raises(UserError, match="is full while copying"):
        ENGINE.snapshot(table(tmp_path / "x.csv"), ReadOptions(), SETTINGS)


WRITER = """
import os, sys, time
path, seconds = sys.argv[1], float(sys.argv[2])
small = b"n,t\\n" + b"".join(b"%d,t%d\\n" % (i, i % 7) for i in range(20_000))
large = small + small[4:] * 20
end = time.monotonic() + seconds
while time.monotonic() < end:
    for data in (large, small):
        with open(path, "r+b") as file:
            file.truncate(0)
            for start in range(0, len(data), 1 << 16):
                file.write(data[start:start + (1 << 16)])
        time.sleep(0.05)
"""
READER = """
import sys, time, qidguard
path, seconds = sys.argv[1], float(sys.argv[2])
end = time.monotonic() + seconds
done = {"read": 0, "changed": 0, "other": 0}
while time.monotonic() < end:
    try:
        with qidguard.audit(path) as audit:
            done["read"] += audit.report.records % 20_000 == 0
    except qidguard.DataError as error:
        done["changed" if "changed while" in str(error) else "other"] += 1
print(sum(done.values()), done)
"""


@pytest.mark.clock
def test_a_writer_that_truncates_and_rewrites_ends_no_audit(tmp_path):
    """Each audit reads a whole table or says in a sentence why not; none dies of a signal."""
    path = table(tmp_path / "x.csv", records=20_000)
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(path), "14"])
    try:
        read = subprocess.run(
            [sys.executable, "-c", READER, str(path), "10"], capture_output=True, text=True, check=False
        )
    finally:
        writer.terminate()
        writer.wait()
    assert (read.returncode, read.stderr) == (0, "")
    assert int(read.stdout.split()[0]) > 0
