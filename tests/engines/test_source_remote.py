"""Tests of sources behind a URL, on fsspec's memory file system."""

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from qidguard.core.address import shown_address
from qidguard.engines.duckdb import sources


@pytest.fixture
def memory():
    """Return an empty memory file system."""
    system = fsspec.filesystem("memory")
    system.rm("/", recursive=True) if system.ls("/") else None
    yield system
    system.rm("/", recursive=True) if system.ls("/") else None


def test_a_csv_behind_a_url(memory, read):
    """A remote file is read like a local one."""
    memory.pipe("/folder/x y.csv", b"a;b\n1;?\n")
    assert read("memory://folder/x y.csv", missing=("?",)).rows == [("1", None)]


def test_parquet_behind_a_url(memory, read, refuse):
    """The suffix tells the format, and messages name the address, not the copy."""
    with memory.open("/x.parquet", "wb") as file:
        pq.write_table(pa.table({"a": [1, 2]}), file)
    assert read("memory://x.parquet").rows == [(1,), (2,)]
    with memory.open("/y.parquet", "wb") as file:
        pq.write_table(pa.table({"a": [[1]]}), file)
    assert "memory://y.parquet" in refuse("memory://y.parquet")


def test_a_url_of_this_machine(tmp_path, read):
    """file:// is a protocol like any."""
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    assert read(f"file://{tmp_path}/x.csv").rows == [("1", "2")]


def test_errors_name_the_address(memory, refuse):
    """A damaged remote file is named by its address."""
    memory.pipe("/x.csv", b"a,b\n1,2\nSECRET\n")
    assert "Line 3 of 'memory://x.csv'" in refuse("memory://x.csv")


def test_nothing_behind_the_url(memory, refuse):
    """A missing file, a folder, an unknown protocol and a missing library are one sentence each."""
    memory.pipe("/folder/x.csv", b"a,b\n1,2\n")
    assert "Nothing is found" in refuse("memory://nothing.csv")
    assert "'memory://folder'" in refuse("memory://folder")
    assert "protocol" in refuse("nosuch://x.csv")
    assert "not installed" in refuse("s3://bucket/x.csv")


def test_a_failing_protocol_hides_its_words(refuse, monkeypatch):
    """Whatever a protocol raises, its text is not repeated: it may hold credentials."""

    def fail(*_args, **_kwargs):
        raise RuntimeError("SECRET")

    monkeypatch.setattr(fsspec, "open", fail)
    sentence = refuse("memory://user:SECRET@host/x.csv?token=SECRET")
    assert "'memory://host/x.csv'" in sentence
    assert "RuntimeError" in sentence


@pytest.mark.parametrize(
    ("url", "label"),
    [
        ("https://u:p@host/a/x.csv?key=1#top", "https://host/a/x.csv"),
        ("s3://bucket/x@y.csv", "s3://bucket/x@y.csv"),
        ("memory://x.csv", "memory://x.csv"),
    ],
)
def test_a_label_holds_no_secret(url, label):
    """User, password, query and fragment are left out."""
    assert shown_address(url) == label


def test_what_can_be_opened():
    """Paths, addresses and tables; nothing else."""
    assert [sources.can_open(x) for x in ("x.csv", "s3://x", b"x", 1, None, [1], {"a": 1})] == [
        True,
        True,
    ] + [False] * 5


@pytest.mark.parametrize("source", [1, None, [1], {"a": [1]}, b"x.csv", object()])
def test_what_is_no_table_is_named_by_its_type(refuse, source):
    """A list of records has to be made a frame first."""
    assert type(source).__name__ in refuse(source)
