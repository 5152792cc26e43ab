"""Tests of writing where it may fail: nothing is overwritten, no half file stays, and no value is said."""

import os
import resource
import stat

import numpy as np
import pandas as pd
import pytest

from qidguard import DataError, EngineSettings, ReadOptions, UserError
from qidguard.core.errors import InternalError
from qidguard.engines.duckdb.engine import ENGINE
from qidguard.engines.duckdb.snapshot import writing
from qidguard.engines.duckdb.snapshot.snapshot import DuckdbSnapshot


def snapshot(frame: pd.DataFrame) -> DuckdbSnapshot:
    """Return a snapshot."""
    return ENGINE.snapshot(frame, ReadOptions(), EngineSettings(threads=2))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("values", "fault"),
    [
        (["", None], "'a' holds both NULL and empty texts"),
        (["x\0y", "z"], "'a' holds NUL characters"),
        (["x" * ((1 << 26) + 1), "y"], "A record is longer than"),
    ],
)
def test_what_csv_cannot_say_is_an_error(tmp_path, values, fault):
    """The column is named and Parquet advised, which holds it; no file is left."""
    frame = pd.DataFrame({"a": values, "b": ["SECRET", "x"]})
    with snapshot(frame) as taken:
        with pytest.raises(DataError, match=fault) as caught:
            taken.write(tmp_path / "x.csv", ["a", "b"], "csv", seed=1)
        assert "publish Parquet" in str(caught.value)
        assert "SECRET" not in str(caught.value)
        assert list(tmp_path.iterdir()) == []
        taken.write(tmp_path / "x.parquet", ["a", "b"], "parquet", seed=None)
    assert pd.read_parquet(tmp_path / "x.parquet")["b"].tolist() == ["SECRET", "x"]


def test_a_file_that_is_there_is_not_touched(tmp_path):
    """Neither a file nor a link is overwritten or followed."""
    (tmp_path / "x.csv").write_text("mine", encoding="utf-8")
    (tmp_path / "y.csv").symlink_to(tmp_path / "target.csv")
    with snapshot(pd.DataFrame({"a": [1]})) as taken:
        for name in ("x.csv", "y.csv"):
            with pytest.raises(UserError, match="exists already"):
                taken.write(tmp_path / name, ["a"], "csv", seed=1)
        assert (tmp_path / "x.csv").read_text(encoding="utf-8") == "mine"
        assert not (tmp_path / "target.csv").exists()
        with pytest.raises(UserError, match="not writable while writing the file"):
            taken.write(tmp_path / "none" / "x.csv", ["a"], "csv", seed=1)


@pytest.mark.samples(1)
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_full_disk_leaves_no_file(tmp_path, kind):
    """What does not fit is a user's error that names the folder, without any value."""
    frame = pd.DataFrame({"n": np.arange(200_000), "t": [f"SECRET{i * i}" for i in range(200_000)]})
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with snapshot(frame) as taken:
        try:
            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
            with pytest.raises(
                UserError, match="larger than this process may write while writing the file"
            ) as caught:
                taken.write(tmp_path / f"x.{kind}", ["n", "t"], kind, seed=1)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert repr(str(tmp_path)) in str(caught.value)
    assert "SECRET" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.samples(3)
@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("fault", ["a cell", "a record", "an order", "garbage", "a name"])
def test_a_file_that_is_not_what_was_written_is_found(tmp_path, monkeypatch, kind, fault):
    """Whatever changes the file between writing and reading back is an internal error; no file stays."""
    frame = pd.DataFrame({"a": [1, 2, 2], "b": ["x", "y", "y"]})
    others = {
        "a cell": frame.assign(b=["x", "y", "z"]),
        "a record": frame.iloc[:2],
        "an order": frame.iloc[::-1].reset_index(drop=True),
        "a name": frame.rename(columns={"b": "B"}),
    }
    to_disk = writing._to_disk

    def spoil(path):
        to_disk(path)
        if fault == "garbage":
            path.write_bytes(path.read_bytes()[:-3])
        elif kind == "csv":
            others[fault].to_csv(path, index=False)
        else:
            others[fault].to_parquet(path, index=False)

    monkeypatch.setattr(writing, "_to_disk", spoil)
    with snapshot(frame) as taken:
        path = tmp_path / f"x.{kind}"
        if fault == "an order":
            # another order is the same content
            taken.write(path, ["a", "b"], kind, seed=1)
            return
        with pytest.raises((InternalError, UserError)) as caught:
            taken.write(path, ["a", "b"], kind, seed=1)
        assert "'y'" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_while_comparing_leaves_no_file(tmp_path, monkeypatch):
    """A file that was not compared to its end is not there."""

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(writing, "_compare", interrupt)
    with snapshot(pd.DataFrame({"a": [1]})) as taken, pytest.raises(KeyboardInterrupt):
        taken.write(tmp_path / "x.csv", ["a"], "csv", seed=1)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("names", "kind", "error", "said"),
    [
        (["a"], "xlsx", ValueError, "parquet or csv"),
        (["a", "a"], "csv", ValueError, "named twice"),
        ([], "csv", DataError, "at least one column"),
        (["b"], "csv", DataError, "no column 'b'"),
    ],
)
def test_mistakes_of_the_caller(tmp_path, names, kind, error, said):
    """An unknown format, no column, a column twice and an unknown column; no file is left."""
    with snapshot(pd.DataFrame({"a": [1]})) as taken, pytest.raises(error, match=said):
        taken.write(tmp_path / "x", names, kind, seed=1)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.samples(1)
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_hostile_path(tmp_path, kind):
    """A folder whose name is a pattern, a key or full of quotes is a folder, and no suffix means anything."""
    for name in ("a[1]*", "k=v", "it's", "back\\[slash", "{x}"):
        target = tmp_path / name
        target.mkdir()
        with snapshot(pd.DataFrame({"k": [1, 2]})) as taken:
            taken.write(target / "x.gz", ["k"], kind, seed=None)
        assert [path.name for path in target.iterdir()] == ["x.gz"]
        assert (target / "x.gz").read_bytes().startswith(b"k\n" if kind == "csv" else b"PAR1")
        previous = os.umask(0o077)
        os.umask(previous)
        assert stat.S_IMODE((target / "x.gz").stat().st_mode) == 0o666 & ~previous
