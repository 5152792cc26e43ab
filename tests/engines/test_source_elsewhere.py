"""Paths that name no readable file, and sources behind an address, on fsspec's memory file system."""

import os

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from qidguard.core.address import shown_address
from qidguard.engines.duckdb.engine import ENGINE


@pytest.fixture
def folder(tmp_path, write):
    """Return a folder with a table, a pipe, a broken link and files of other formats."""
    for name in ("patients.csv", "x.json", "x.xlsx", "x.jsonl.gz", "x.parquet"):
        write("a,b\n1,2\n", name)
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "link.csv").symlink_to(tmp_path / "nothing.csv")
    return tmp_path


@pytest.mark.parametrize(
    ("path", "options", "words"),
    [
        ("patient.csv", {}, "its folder holds 'patients.csv'."),
        ("zzz.csv", {}, "check the path"),
        ("nowhere/x.csv", {}, "does not exist"),
        ("patients.csv/x.csv", {}, "does not exist"),
        ("x" * 300, {}, "does not exist"),
        ("link.csv", {}, "does not exist"),
        ("a\0b.csv", {}, "path"),
        ("", {"format": "csv"}, "folder"),
        ("pipe.csv", {}, "neither a file nor a folder"),
        ("x.json", {}, "`format:`"),
        ("x.xlsx", {}, "`format:`"),
        ("x.jsonl.gz", {}, "`format:`"),
        ("x.parquet", {}, "'x.parquet'"),
        ("x.parquet", {"format": "xml"}, "not 'xml'"),
    ],
)
def test_a_path_that_names_no_table_is_said(folder, refuse, path, options, words):
    """What is missing, can be read only once, or has another format is not opened."""
    assert words in refuse(f"{folder}/{path}", **options)


def test_a_declared_format_is_believed(folder, read, refuse):
    """The name does not matter then; the empty text names nothing; a folder is not searched for a CSV."""
    assert read(folder / "x.parquet", format="csv").rows == [("1", "2")]
    assert "path" in refuse("")
    (folder / "x.parquet").unlink()
    assert "folder" in refuse(folder)


@pytest.fixture
def memory():
    """Return a memory file system with tables, one of them damaged and one nested."""
    system = fsspec.filesystem("memory")
    system.rm("/", recursive=True) if system.ls("/") else None
    system.pipe("/folder/x y.csv", b"a;b\n1;?\n")
    system.pipe("/x.csv", b"a,b\n1,2\nSECRET\n")
    for name, column in (("x", [1, 2]), ("y", [[1]])):
        with system.open(f"/{name}.parquet", "wb") as file:
            pq.write_table(pa.table({"a": column}), file)
    yield system
    system.rm("/", recursive=True) if system.ls("/") else None


@pytest.mark.usefixtures("memory")
def test_a_remote_file_is_read_like_a_local_one(write, read):
    """The suffix tells the format, and file:// is a protocol like any."""
    assert read("memory://folder/x y.csv", missing=("?",)).rows == [("1", None)]
    assert read("memory://x.parquet").rows == [(1,), (2,)]
    here = write("a,b\n1,2\n")
    assert read(f"file://{here}").rows == [("1", "2")]


@pytest.mark.usefixtures("memory")
@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("memory://y.parquet", "memory://y.parquet"),
        ("memory://x.csv", "Line 3 of 'memory://x.csv'"),
        ("memory://nothing.csv", "Nothing is found"),
        ("memory://folder", "'memory://folder'"),
        ("nosuch://x.csv", "protocol"),
        ("s3://bucket/x.csv", "not installed"),
    ],
)
def test_errors_name_the_address(refuse, address, words):
    """Nothing there, a folder, an unknown protocol and a missing library are a sentence each."""
    assert words in refuse(address)


def test_a_failing_protocol_hides_its_words(refuse, monkeypatch):
    """Whatever a protocol raises, its text is not repeated: it may hold credentials."""

    def fail(*_args, **_kwargs):
        raise RuntimeError("SECRET")

    monkeypatch.setattr(fsspec, "open", fail)
    sentence = refuse("memory://user:SECRET@host/x.csv?token=SECRET")
    assert [word in sentence for word in ("'memory://host/x.csv'", "RuntimeError")] == [True, True]


def test_a_label_holds_no_secret():
    """User, password, query and fragment are left out."""
    addresses = ("https://u:p@host/a/x.csv?key=1#top", "s3://bucket/x@y.csv", "memory://x.csv")
    shown = ["https://host/a/x.csv", "s3://bucket/x@y.csv", "memory://x.csv"]
    assert [shown_address(address) for address in addresses] == shown


def test_what_is_no_table_is_named_by_its_type(refuse):
    """Paths, addresses and tables can be opened; a list of records has to be made a frame first."""
    assert [ENGINE.can_open(source) for source in ("x.csv", "s3://x")] == [True, True]
    for source in (1, None, [1], {"a": [1]}, b"x.csv", object()):
        assert not ENGINE.can_open(source)
        assert type(source).__name__ in refuse(source)
