"""Tests that values of frames and Arrow tables that differ stay apart, and that odd ones are one sentence."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset
import pytest

from qidguard.core.errors import DataError
from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.engines.duckdb import sources
from qidguard.engines.duckdb.connection import connect
from qidguard.engines.duckdb.engine import ENGINE

TICKS = [1, 2, 1000, 1001, -1, 999, None]
ZONED = pd.Series(pd.to_datetime(TICKS, unit="ns", utc=True))
LOCAL = pd.Series(pd.to_datetime(TICKS, unit="ns"))
LASTING = pd.Series(pd.to_timedelta(TICKS, unit="ns"))


def distinct(source):
    """Return how many values the first column has, NULL left out."""
    with connect(EngineSettings(threads=1)) as connection:
        staged = sources.stage(connection, source, ReadOptions())
        counted = f"SELECT count(DISTINCT c0) FROM {staged.relation}"
        found = connection.duckdb.execute(counted).fetchall()[0][0]
        staged.release()
    return found


def objects(*values):
    """Return a frame of one column of Python objects."""
    return pd.DataFrame({"c": pd.Series(values, dtype=object)})


def test_long_decimals_stay_apart(read):
    """Numbers that differ in their 42nd digit are two values, and as text equal numbers are one."""
    long = "1.1" + "0" * 40
    for make in (objects, lambda *v: objects(*v).astype("category")):
        found = read(
            make(Decimal(long + "1"), Decimal(long + "2"), Decimal(long + "20"), Decimal("-0.0"), None)
        )
        assert found.rows == [(long + "1",), (long + "2",), (long + "2",), ("0",), (None,)]
    wide = read(objects(*map(Decimal, ("1E+30", "1E-30", "2E-30", "1.1", "1.10"))))
    assert len(set(wide.rows)) == 4
    assert len(set(read(objects(Decimal("1E+999999"), Decimal("Infinity"), Decimal("1E-999999"))).rows)) == 3


def test_decimals_that_fit_are_exact_numbers(read, refuse):
    """Up to 38 digits are a DECIMAL wide enough for every value; NaN is NULL, a signaling one refused."""
    late = [Decimal("1.10")] * 3000
    found = read(objects(*late, Decimal(-9), Decimal("12." + "0" * 20 + "1")), missing=("-9",))
    assert found.types == ("DECIMAL(23,21)",)
    assert set(found.rows) == {(Decimal("1.1"),), (None,), (Decimal("12." + "0" * 20 + "1"),)}
    assert read(objects(Decimal("NaN"), Decimal(1))).rows == [(None,), (Decimal(1),)]
    assert "'c'" in refuse(objects(Decimal("sNaN"), Decimal(1)))
    assert "'c'" in refuse(objects(Decimal(1), Decimal("sNaN")))


@pytest.mark.parametrize(
    "column",
    [
        ZONED,
        ZONED.dt.tz_convert("Europe/Berlin"),
        ZONED.astype(object),
        ZONED.astype("category"),
        LOCAL,
        LOCAL.astype(object),
        pd.Series([np.datetime64(tick, "ns") for tick in TICKS[:-1]], dtype=object),
        LASTING,
        LASTING.astype("category"),
        pd.Series(TICKS, dtype="timestamp[ns, Europe/Berlin][pyarrow]"),
        pd.Series(TICKS, dtype="duration[ns][pyarrow]"),
    ],
)
def test_nanoseconds_of_pandas_stay_apart(column):
    """Instants and durations that differ in nanoseconds are values of their own, in every dtype."""
    assert distinct(pd.DataFrame({"c": column})) == 6


@pytest.mark.samples(1)
@pytest.mark.parametrize("kind", [pa.timestamp("ns", "Europe/Berlin"), pa.timestamp("ns"), pa.duration("ns")])
def test_nanoseconds_of_arrow_stay_apart(kind):
    """The same in every form of an Arrow table, and in a dictionary."""
    column = pa.array(TICKS, kind)
    table = pa.table({"c": column, "rest": pa.array(range(7))})
    forms = [
        table,
        table.to_batches()[0],
        table.to_reader(),
        pyarrow.dataset.dataset(table),
        table.set_column(0, "c", column.dictionary_encode()),
    ]
    assert [distinct(form) for form in forms] == [6] * 5


def test_nanoseconds_are_read_as_what_they_are(read):
    """A zone is UTC, and a duration is its text; one source says the same as the other."""
    instant = pd.Series(pd.to_datetime(["2020-01-01 00:30"])).dt.tz_localize("Europe/Berlin").dt.as_unit("ns")
    frame = pd.DataFrame({"t": instant, "d": pd.to_timedelta([90_000_000_001], unit="ns")})
    expected = [(pd.Timestamp("2019-12-31 23:30").to_pydatetime(), "00:01:30 1 ns")]
    assert read(frame).rows == expected
    assert read(pa.Table.from_pandas(frame)).rows == expected
    days = pd.DataFrame({"d": pd.to_timedelta([31 * 86400, None], unit="s")})
    for unit in ("s", "ms", "us", "ns"):
        assert read(days.astype(f"timedelta64[{unit}]")).rows == [("744:00:00",), (None,)]


def test_times_with_and_without_a_zone(refuse):
    """They cannot be compared, so a column of both is refused by its name."""
    for values in (
        [pd.Timestamp("2020", tz="UTC"), pd.Timestamp("2020")],
        [pd.Timestamp("2020"), None, pd.Timestamp("2020", tz="UTC").to_pydatetime()],
        [pd.Timestamp("2020", tz="UTC"), pd.Timestamp("2020").date()],
    ):
        assert "time zone" in refuse(objects(*values))


def test_an_interval_of_months_and_nanoseconds(refuse):
    """DuckDB drops its nanoseconds, so it is refused."""
    column = pa.array([(1, 1, 1), (1, 1, 2)], pa.month_day_nano_interval())
    assert "'c'" in refuse(pa.table({"c": column}))


@pytest.mark.samples(6)
@pytest.mark.parametrize(
    "source",
    [
        pd.DataFrame({"c": pd.Series(["\ud800", "x"], dtype=pd.StringDtype("python"))}),
        objects(pd.Timestamp("2020", tz="UTC"), pd.Timestamp("2020")),
        objects(Decimal("sNaN"), Decimal(1)),
        objects(pd.Timestamp(1), pd.Timestamp("0001-01-01").to_pydatetime()),
        pd.DataFrame({"c": pd.Series([2**62, 1], dtype="int64").astype("timedelta64[s]")}),
        pa.table({"c": pa.array([2**62, 2**61], pa.timestamp("s"))}),
        pa.table({"c": pa.array([2**62, 2**61], pa.timestamp("s", "UTC"))}),
        pa.table({"c": pa.array([2**62], pa.duration("s"))}),
    ],
)
@pytest.mark.parametrize("columns", [None, ("c",)])
def test_what_only_loading_finds_is_one_sentence(source, columns):
    """No error of DuckDB, pandas or Arrow comes out as it is."""
    with pytest.raises(DataError) as caught:
        ENGINE.open(source, ReadOptions(), Needs(columns=columns), EngineSettings(threads=1))
    assert str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)
