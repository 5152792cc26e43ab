"""Tests of private snapshots: what they hold, in which order, where, and that nothing stays behind."""

import gc
import resource
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet
import pytest

from qidguard.core.errors import InternalError, MemoryLimitError
from qidguard.engines.duckdb.engine import ENGINE
from qidguard.engines.duckdb.snapshot import private_copy
from qidguard.engines.duckdb.snapshot.lending import Lender
from qidguard.sdk import DataError, EngineSettings, Needs, ReadOptions, UserError

FRAME = pd.DataFrame({"n": [3, 1, 2], "t": ["x", None, "x"]})
MANY = 300_000
"""Records that fill several row groups and are read by more than one thread."""


def snapshot(source: object, settings: EngineSettings | None = None, **options: object):
    """Return a snapshot."""
    return ENGINE.snapshot(source, ReadOptions(**options), settings or EngineSettings(threads=2))


def order(taken: object) -> list[int]:
    """Return the places that the records of a column 0, 1, 2, … have in a snapshot."""
    return (taken.codes(["n"])[:, 0] - 1).tolist()


def test_a_typed_source_is_described():
    """Names, types, the number of records, and Parquet as the format that keeps them."""
    with snapshot(FRAME.set_index(pd.Index([7, 5, 9]))) as taken:
        assert (taken.names, taken.records, taken.format) == (("n", "t"), 3, "parquet")
        assert taken.types() == {"n": "BIGINT", "t": "VARCHAR"}
        assert taken.notes == (
            "the index of the DataFrame is not a column and was not read; reset_index() makes it one",
        )


def test_a_text_source_stays_text(tmp_path):
    """A CSV is kept letter by letter, with its markers as NULL, and CSV is the format that keeps it."""
    (tmp_path / "x.csv").write_text("zip,age\n01,?\n1, 7\n", encoding="utf-8")
    with snapshot(tmp_path / "x.csv", missing=("?",)) as taken:
        assert (taken.format, taken.types()) == ("csv", {"zip": "VARCHAR", "age": "VARCHAR"})
        assert taken.codes(["zip", "age"]).tolist() == [[1, 0], [2, 1]]


def sources(folder: Path) -> dict[str, object]:
    """Return sources of every kind with the column n = 0, 1, 2, … in this order."""
    table = pa.table({"n": pa.array(range(MANY)), "t": pa.array([f"text {i % 1000}" for i in range(MANY)])})
    with duckdb.connect(folder / "x.duckdb") as database:
        database.execute("SET preserve_insertion_order = true")
        database.register("given", table)
        database.execute("CREATE TABLE t AS SELECT * FROM given")
        database.execute(f"COPY t TO '{folder}/x.parquet' (ROW_GROUP_SIZE 20000)")
        database.execute(f"COPY t TO '{folder}/x.csv'")
    half = MANY // 2
    (folder / "parts").mkdir()
    for name, part in (("b", table.slice(half)), ("a", table.slice(0, half))):
        pa.parquet.write_table(part, folder / "parts" / f"{name}.parquet", row_group_size=10_000)
    return {
        "csv": folder / "x.csv",
        "parquet": folder / "x.parquet",
        "folder": folder / "parts",
        "duckdb": folder / "x.duckdb",
        "pandas": table.to_pandas(),
        "polars": pl.from_arrow(table),
        "arrow": table,
        "dataset": pyarrow.dataset.dataset(folder / "parts"),
        "reader": table.to_reader(10_000),
    }


@pytest.mark.slow
def test_the_order_of_every_source_is_kept(tmp_path):
    """Record i of a source is record i of its snapshot, whatever the source and the number of threads."""
    for kind, source in sources(tmp_path).items():
        with snapshot(source, EngineSettings(threads=4)) as taken:
            assert taken.records == MANY
            # as texts, 10 comes before 2
            expected = np.arange(MANY)
            if kind == "csv":
                expected[sorted(range(MANY), key=str)] = np.arange(MANY)
            assert order(taken) == expected.tolist(), kind
            with snapshot(taken, EngineSettings(threads=4)) as again:
                assert order(again) == expected.tolist(), kind


@pytest.mark.slow
def test_kept_records_stay_in_order():
    """Keeping records changes neither their order nor the columns, and leaves the snapshot as it was."""
    frame = pd.DataFrame({"n": np.arange(MANY), "t": "x"})
    kept = np.random.default_rng(1).random(MANY) < 0.3
    with snapshot(frame, EngineSettings(threads=4)) as taken, taken.keep(kept) as rest:
        assert (rest.records, taken.records) == (kept.sum(), MANY)
        assert order(rest) == list(range(rest.records))
        expected = taken.codes(["n"])[kept, 0]
        with rest.keep(np.ones(rest.records, dtype=bool)) as again:
            assert again.content_digest(["n", "t"]) == rest.content_digest(["n", "t"])
        with snapshot(frame[kept].reset_index(drop=True)) as other:
            assert other.content_digest(["n"]) == rest.content_digest(["n"])
        assert (expected - 1).tolist() == np.flatnonzero(kept).tolist()
        assert (rest.names, rest.types(), rest.notes) == (taken.names, taken.types(), taken.notes)


@pytest.mark.parametrize("mask", [[True, False], [1, 0, 1], [[True], [True], [True]], [True] * 4, "abc"])
def test_what_is_kept_is_one_truth_value_a_record(mask):
    """Anything else is a mistake of the caller, and a table without records is never published."""
    with snapshot(FRAME) as taken:
        with pytest.raises(ValueError, match="truth value for each of 3"):
            taken.keep(np.array(mask))
        with pytest.raises(DataError, match="No record is kept"):
            taken.keep(np.zeros(3, dtype=bool))


def test_codes_are_equal_where_values_are():
    """NULL is 0; 0.0 and -0.0 are one value, and so is every NaN, as in a grouping."""
    floats = pa.array([-0.0, 0.0, float("nan"), -float("nan"), None, 1.5])
    with snapshot(pa.table({"x": floats, "t": ["b", "", "a", "b", None, "B"], "i": range(6)})) as taken:
        assert taken.codes(["x", "t"]).T.tolist() == [[1, 1, 3, 3, 0, 2], [4, 1, 3, 4, 0, 2]]
        assert taken.codes(["t"]).dtype == np.int32
        assert taken.codes([]).shape == (6, 0)
        with pytest.raises(DataError, match="no column 'y'"):
            taken.codes(["y"])


def test_the_copy_is_private_and_goes_away(tmp_path):
    """Its directory is readable by its owner only, stands where it is told, and goes when it is closed."""
    taken = snapshot(FRAME, EngineSettings(spill_directory=str(tmp_path)))
    (folder,) = tmp_path.iterdir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    with taken.keep(np.array([True, False, True])):
        assert len(list(tmp_path.iterdir())) == 2
    taken.close()
    taken.close()
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(InternalError, match="closed before it was used"):
        taken.content_digest(["n"])
    with pytest.raises(InternalError, match="closed before it was used"):
        ENGINE.open(taken, ReadOptions(), Needs(), EngineSettings())


@pytest.mark.slow
def test_a_forgotten_snapshot_is_removed(tmp_path):
    """Nobody has to close a snapshot for its copy to go away."""
    taken = snapshot(FRAME, EngineSettings(spill_directory=str(tmp_path)))
    assert len(list(tmp_path.iterdir())) == 1
    del taken
    gc.collect()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, DataError])
def test_whatever_fails_leaves_nothing_behind(tmp_path, monkeypatch, error):
    """An interrupt or an error while copying or keeping removes the directory."""
    settings = EngineSettings(spill_directory=str(tmp_path))
    taken = snapshot(FRAME, settings)
    before = list(tmp_path.iterdir())

    def fail(*_args, **_named):
        raise error("no")

    monkeypatch.setattr(private_copy, "attach", fail)
    with pytest.raises(error):
        snapshot(FRAME, settings)
    with pytest.raises(error):
        taken.keep(np.array([True, True, False]))
    assert list(tmp_path.iterdir()) == before


COPY_FOR_EVER = """
import sys
from qidguard import EngineSettings, ReadOptions
from qidguard.engines.duckdb.engine import ENGINE
ENGINE.snapshot(sys.argv[1], ReadOptions(), EngineSettings(spill_directory=sys.argv[2], threads=1))
"""


@pytest.mark.slow
def test_an_interrupt_from_the_keyboard_is_one(tmp_path):
    """Ctrl-C ends a long copy with KeyboardInterrupt, and the directory is empty afterward."""
    with duckdb.connect(tmp_path / "x.duckdb") as database:
        database.execute(
            "CREATE VIEW v AS SELECT i, sha256(i::VARCHAR) AS t FROM range(10_000_000_000) AS r(i)"
        )
    spill = tmp_path / "spill"
    spill.mkdir()
    command = [sys.executable, "-c", COPY_FOR_EVER, str(tmp_path / "x.duckdb"), str(spill)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as child:
        deadline = time.monotonic() + 60
        while not [f for f in spill.rglob("records.duckdb") if f.stat().st_size > 1_000_000]:
            assert child.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)
        child.send_signal(signal.SIGINT)
        _, said = child.communicate(timeout=250)
    assert said.strip().splitlines()[-1] == "KeyboardInterrupt"
    assert list(spill.iterdir()) == []


def test_a_full_disk_is_said_without_a_value(tmp_path):
    """A copy that does not fit is a user's error that names the folder; nothing stays there."""
    frame = pd.DataFrame({"n": np.arange(200_000), "t": [f"SECRET{i * i}" for i in range(200_000)]})
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, hard))
        with pytest.raises(
            UserError, match="larger than this process may write while copying the table"
        ) as caught:
            snapshot(frame, EngineSettings(spill_directory=str(tmp_path)))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert repr(str(tmp_path)) in str(caught.value)
    assert "SECRET" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there(tmp_path):
    """A spill directory that does not exist is named."""
    with pytest.raises(UserError, match="nowhere"):
        snapshot(FRAME, EngineSettings(spill_directory=str(tmp_path / "nowhere")))


def test_a_source_that_grows_while_it_is_read(tmp_path, monkeypatch):
    """What was counted and what was copied must be the same number of records."""
    stage = private_copy.sources.stage

    def grown(connection, source, options, **more):
        staged = stage(connection, source, options, **more)
        assert staged.rows == 3
        connection.duckdb.execute(f"INSERT INTO {staged.relation} VALUES ('4', '5')")
        return staged

    monkeypatch.setattr(private_copy.sources, "stage", grown)
    (tmp_path / "x.csv").write_text("a,b\n1,2\n3,4\n5,6\n", encoding="utf-8")
    with pytest.raises(DataError, match="changed while it was read"):
        snapshot(tmp_path / "x.csv", EngineSettings(spill_directory=str(tmp_path)))
    assert [path.name for path in tmp_path.iterdir()] == ["x.csv"]


def test_a_value_that_cannot_be_read_is_one_sentence(tmp_path):
    """What only copying finds is a user's error without the value."""
    with duckdb.connect(tmp_path / "x.duckdb") as database:
        database.execute(
            "CREATE VIEW v AS SELECT CAST(t AS INTEGER) AS n FROM (VALUES ('1'), ('SECRET')) AS v(t)"
        )
    with pytest.raises(DataError, match="cannot read") as caught:
        snapshot(tmp_path / "x.duckdb")
    assert "SECRET" not in str(caught.value)


@pytest.mark.slow
def test_a_memory_limit_holds_for_everything(tmp_path):
    """A table larger than the memory limit is copied, hashed, kept, coded and written by spilling."""
    with duckdb.connect(tmp_path / "x.duckdb") as database:
        database.execute(
            "CREATE VIEW v AS SELECT i AS n, sha256(i::VARCHAR) AS t, i // 3 AS e\n"
            "FROM range(1_500_000) AS r(i)"
        )
    settings = EngineSettings(memory_limit="100MB", spill_directory=str(tmp_path))
    with snapshot(tmp_path / "x.duckdb", settings) as taken:
        taken.write(tmp_path / "y.parquet", ["n", "t"], "parquet", seed=1)
        assert len(taken.keyed_classes({"t": ["t"]}, "e", b"key").persons) == 500_000
        assert taken.codes(["t"]).max() == 1_500_000
        with taken.keep(np.arange(1_500_000) % 2 == 0) as rest:
            assert rest.records == 750_000
    with pytest.raises(MemoryLimitError, match="too small for hashing the content"):
        _digest_without_room(tmp_path)


def _digest_without_room(folder):
    with snapshot(pd.DataFrame({"t": ["x" * 200_000_000]})) as taken:
        taken._lender = Lender(EngineSettings(memory_limit="64MB", spill_directory=str(folder)))
        taken.content_digest(["t"])
