"""Tests that a snapshot holds every value exactly, whatever its type, and that Parquet and CSV do too."""

import csv
import datetime as dt
from contextlib import closing
from decimal import Decimal

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

from qidguard import DataError, EngineSettings, ReadOptions
from qidguard.engines.base import Needs
from qidguard.engines.duckdb import sources
from qidguard.engines.duckdb.connection import connect
from qidguard.engines.duckdb.engine import ENGINE

SETTINGS = EngineSettings(threads=1)

VALUES = {
    "BOOLEAN": ["true", "false"],
    "TINYINT": ["-128", "127"],
    "SMALLINT": ["-32768", "32767"],
    "INTEGER": ["-2147483648", "2147483647"],
    "BIGINT": ["-9223372036854775808", "9223372036854775807"],
    "HUGEINT": ["-170141183460469231731687303715884105728", "170141183460469231731687303715884105727", "1"],
    "UTINYINT": ["0", "255"],
    "USMALLINT": ["0", "65535"],
    "UINTEGER": ["0", "4294967295"],
    "UBIGINT": ["0", "18446744073709551615"],
    "UHUGEINT": ["0", "340282366920938463463374607431768211455"],
    "FLOAT": ["0.1", "-0.0", "nan", "-nan", "inf", "-inf", "1e-45", "3.4028235e+38", "0.0"],
    "DOUBLE": [
        "-0.0",
        "nan",
        "-nan",
        "inf",
        "-inf",
        "5e-324",
        "1.7976931348623157e+308",
        "0.30000000000000004",
    ],
    "DECIMAL(4,1)": ["-999.9", "0.1"],
    "DECIMAL(38,37)": ["1.1000000000000000000000000000000000001", "-9.0000000000000000000000000000000000000"],
    "DATE": ["0044-03-15 (BC)", "1970-01-01", "5881580-07-10", "infinity", "-infinity"],
    "TIMESTAMP": ["1969-12-31 23:59:59.999999", "infinity", "290309-12-22 (BC) 00:00:00"],
    "TIMESTAMP_NS": ["1677-09-22 00:00:00.000000001", "2262-04-11 23:47:16.854775806", "infinity"],
    "VARCHAR": ["", "NULL", "01", " x ", "a\r\nb", 'q"', "é\U0001f600", "\ufeff", "\\N", "\x01"],
}
"""DuckDB's type → texts of values at its edges, as DuckDB prints them."""


def table(kind: str, values: list[str]) -> duckdb.DuckDBPyRelation:
    """Return a DuckDB file's worth of one column c, its values and a NULL."""
    rows = ", ".join(f"({i}, CAST({quoted(value)} AS {kind}))" for i, value in enumerate(values))
    return f"SELECT c FROM (VALUES {rows}, ({len(values)}, NULL)) AS v(i, c) ORDER BY i"


def grouped(text: str) -> str:
    """Return the text of the value that stands for all which a GROUP BY takes as one with it."""
    return {"-0.0": "0.0", "-nan": "nan"}.get(text, text)


def quoted(text: str) -> str:
    """Return a text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def kept(taken) -> list[tuple[str | None]]:
    """Return the texts of the first column of a snapshot, as engine.open reads them."""
    with connect(SETTINGS) as connection:
        staged = sources.stage(connection, taken, ReadOptions())
        rows = connection.duckdb.execute(f"SELECT CAST(c0 AS VARCHAR) FROM {staged.relation}").fetchall()
        staged.release()
    return [row[0] for row in rows]


@pytest.fixture
def taken(tmp_path):
    """Return a function that takes a snapshot of one column of a DuckDB file."""
    snapshots = []

    def take(kind: str, values: list[str]):
        path = tmp_path / f"{len(snapshots)}.duckdb"
        with duckdb.connect(path) as database:
            database.execute(f"CREATE TABLE t AS {table(kind, values)}")
        snapshots.append(ENGINE.snapshot(path, ReadOptions(), SETTINGS))
        return snapshots[-1]

    yield take
    for snapshot in snapshots:
        snapshot.close()


READ_AS = {
    "UUID": ("VARCHAR", "00000000-0000-0000-0000-000000000001", "00000000-0000-0000-0000-000000000001"),
    "TIME": ("VARCHAR", "23:59:59.999999", "23:59:59.999999"),
    "TIME WITH TIME ZONE": ("VARCHAR", "12:00:00+05:30", "12:00:00+05:30"),
    "INTERVAL": ("VARCHAR", "1 month 2 days 00:00:00.000001", "1 month 2 days 00:00:00.000001"),
    "ENUM('b', 'a')": ("VARCHAR", "a", "a"),
    "TIMESTAMP WITH TIME ZONE": ("TIMESTAMP", "2020-01-01 00:30:00+01", "2019-12-31 23:30:00"),
    "TIMESTAMPTZ_NS": ("TIMESTAMP_NS", "2020-01-01 00:30:00+01", "2019-12-31 23:30:00"),
    "TIMESTAMP_S": ("TIMESTAMP", "2020-01-01 00:00:01", "2020-01-01 00:00:01"),
    "TIMESTAMP_MS": ("TIMESTAMP", "2020-01-01 00:00:00.001", "2020-01-01 00:00:00.001"),
}
"""Types that are read as another one: that, a value and what it is read as."""


@pytest.mark.samples(2)
@pytest.mark.parametrize("kind", VALUES)
def test_every_type_is_kept_exactly(taken, kind):
    """A snapshot has the source's own type, and each value and NULL to the last digit."""
    snapshot = taken(kind, VALUES[kind])
    assert (snapshot.types(), kept(snapshot)) == ({"c": kind}, [*map(grouped, VALUES[kind]), None])


@pytest.mark.samples(5)
@pytest.mark.parametrize("kind", READ_AS)
def test_some_types_are_read_as_another(taken, kind):
    """What no group-by can order is its text; a time with a zone is the same instant in UTC."""
    other, value, expected = READ_AS[kind]
    snapshot = taken(kind, [value])
    assert (snapshot.types(), kept(snapshot)) == ({"c": other}, [expected, None])


@pytest.mark.samples(2)
@pytest.mark.parametrize("kind", VALUES)
def test_csv_holds_every_type(taken, tmp_path, kind):
    """Python's reader finds the text of every value; NULL is an empty field that no value is."""
    values = [value for value in VALUES[kind] if value]
    snapshot = taken(kind, values)
    snapshot.write(tmp_path / "x.csv", ["c"], "csv", seed=None)
    with (tmp_path / "x.csv").open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == [["c"], *([grouped(value)] for value in values), [""]]


@pytest.mark.samples(1)
@pytest.mark.parametrize("kind", VALUES)
def test_parquet_holds_every_type_or_says_so(taken, tmp_path, kind):
    """DuckDB reads the same texts back; what Parquet lacks is an error that names the column."""
    path = tmp_path / "x.parquet"
    for values in ([value for value in VALUES[kind] if fits(kind, value)], VALUES[kind]):
        snapshot = taken(kind, values)
        if not all(fits(kind, value) for value in values):
            with pytest.raises(DataError, match="Column 'c' holds an infinite time or a whole number"):
                snapshot.write(path, ["c"], "parquet", seed=None)
            assert not path.exists()
            continue
        snapshot.write(path, ["c"], "parquet", seed=None)
        found = duckdb.sql(f"SELECT CAST(c AS VARCHAR) FROM '{path}'").fetchall()
        assert found == [*((grouped(value),) for value in values), (None,)]
        path.unlink()


def fits(kind: str, value: str) -> bool:
    """Whether Parquet has a value."""
    if "HUGEINT" in kind:
        return abs(int(value)) < 10**38
    return not (("DATE" in kind or "TIMESTAMP" in kind) and "infinity" in value)


def test_wide_whole_numbers_stay_numbers_in_parquet(taken, tmp_path):
    """A HUGEINT, the type of every sum, is a whole number of 38 digits for another reader."""
    for kind in ("HUGEINT", "UHUGEINT"):
        path = tmp_path / f"{kind}.parquet"
        taken(kind, ["12345678901234567890123456789", "7"]).write(path, ["c"], "parquet", seed=None)
        found = pyarrow.parquet.read_table(path)
        assert found.schema.field("c").type == pa.decimal128(38, 0)
        assert found["c"].to_pylist() == [Decimal(12345678901234567890123456789), Decimal(7), None]


def test_another_reader_of_parquet_finds_the_values(tmp_path):
    """Arrow reads back from a published file what it was given."""
    table = pa.table(
        {
            "day": pa.array([dt.date(1, 1, 1), None], pa.date32()),
            "ns": pa.array([1, None], pa.timestamp("ns")),
            "us": pa.array([-1, None], pa.timestamp("us")),
            "x": pa.array([5e-324, None]),
            "f": pa.array([0.1, None], pa.float32()),
            "d": pa.array([Decimal("-1.10"), None], pa.decimal128(20, 2)),
            "b": pa.array([True, None]),
            "u": pa.array([2**64 - 1, None], pa.uint64()),
            "t": pa.array(["", None]),
            "i": pa.array([1, 2]),
        }
    )
    with ENGINE.snapshot(table, ReadOptions(), SETTINGS) as snapshot:
        snapshot.write(tmp_path / "x.parquet", table.column_names, "parquet", seed=None)
    found = pyarrow.parquet.read_table(tmp_path / "x.parquet")
    assert found.cast(table.schema).equals(table)


def test_nanoseconds_and_categories_of_pandas(tmp_path):
    """Nanoseconds, a zone, durations and categories are kept as an audit reads them."""
    instants = pd.Series(pd.to_datetime([1, 2, None], utc=True))
    frame = pd.DataFrame(
        {"t": instants, "d": pd.to_timedelta([1, 2, None]), "k": pd.Categorical(["b", "a", None])}
    ).assign(i=["x", "y", "z"])
    with ENGINE.snapshot(frame, ReadOptions(), SETTINGS) as snapshot:
        kinds = {"t": "TIMESTAMP_NS", "d": "VARCHAR", "k": "VARCHAR", "i": "VARCHAR"}
        assert snapshot.types() == kinds
        assert kept(snapshot) == ["1970-01-01 00:00:00.000000001", "1970-01-01 00:00:00.000000002", None]
        for kind in ("csv", "parquet"):
            snapshot.write(tmp_path / f"x.{kind}", ["t", "d", "k"], kind, seed=1)


@pytest.mark.parametrize("options", [{}, {"missing": ("?",)}, {"is_trimmed": True}])
def test_texts_are_compared_letter_by_letter(tmp_path, options):
    """A collation of the source, under which a and A are one, is neither counted by nor published."""
    path = tmp_path / "x.duckdb"
    with duckdb.connect(path) as database:
        database.execute("CREATE TABLE t(c VARCHAR COLLATE NOCASE)")
        database.execute("INSERT INTO t VALUES ('a'), ('A'), ('a')")
    with closing(ENGINE.open(path, ReadOptions(**options), Needs(), SETTINGS)) as table:
        assert [facts.distinct for facts in table.columns] == [2]
    with ENGINE.snapshot(path, ReadOptions(**options), SETTINGS) as snapshot:
        assert snapshot.codes(["c"])[:, 0].tolist() == [2, 1, 2]
        assert kept(snapshot) == ["a", "A", "a"]
