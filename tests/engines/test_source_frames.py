"""Frames of pandas and polars, Arrow tables and DuckDB relations: values that differ stay apart."""

import builtins
import datetime as dt
import math
from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pytest

from qidguard.core.errors import DataError
from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.engines.duckdb import sources
from qidguard.engines.duckdb.connection import connect
from qidguard.engines.duckdb.engine import ENGINE

TABLE = pa.table({"a": [1, 2], "A": ["x", None], "f": [math.nan, 0.5]})
TICKS = [1, 2, 1000, 1001, -1, 999, None]
ZONED = pd.Series(pd.to_datetime(TICKS, unit="ns", utc=True))
LOCAL = pd.Series(pd.to_datetime(TICKS, unit="ns"))
LASTING = pd.Series(pd.to_timedelta(TICKS, unit="ns"))
UTC, NOWHERE = pd.Timestamp("2020", tz="UTC"), pd.Timestamp("2020")
HALF_PAST = pd.to_datetime(["2020-01-01 00:30"]).tz_localize("Europe/Berlin")
BEFORE = dt.datetime(2019, 12, 31, 23, 30)  # noqa: DTZ001 - stands for UTC
DAY = dt.date(2020, 1, 2)
SECOND = dt.datetime(2020, 1, 2, 3, 4, 5)  # noqa: DTZ001 - local times stay so
EPOCH = dt.datetime(1970, 1, 1)  # noqa: DTZ001 - stands for UTC


def objects(*values):
    """Return a frame of one column of Python objects."""
    return pd.DataFrame({"c": pd.Series(values, dtype=object)})


class Special(pd.DataFrame):
    """A frame of a library that builds on pandas."""


FORMS = {
    "table": lambda table: table,
    "batch": lambda table: table.to_batches()[0],
    "reader": lambda table: table.to_reader(),
    "dataset": pyarrow.dataset.dataset,
    "polars": pl.from_arrow,
    "lazy": lambda table: pl.from_arrow(table).lazy(),
    "relation": lambda table: duckdb.from_arrow(table.rename_columns(["a", "b", "f"])),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_an_arrow_table_gives_the_same_records(read, form):
    """NaN stays a value apart from NULL, and names that differ in case are two columns."""
    found = read(FORMS[form](TABLE))
    assert found.names == (("a", "b", "f") if form == "relation" else ("a", "A", "f"))
    assert not found.is_text
    assert [row[:2] for row in found.rows] == [(1, "x"), (2, None)]
    assert (math.isnan(found.rows[0][2]), found.rows[1][2]) == (True, 0.5)


COLUMNS = {  # a column with what it holds, and the values that come out of it
    "object": (pd.Series(["x", None], dtype=object), "x", None),
    "str": (pd.Series(["x", None], dtype="str"), "x", None),
    "string": (pd.array(["x", None], dtype="string"), "x", None),
    "category": (pd.Categorical(["x", None], categories=["y", "x"]), "x", None),
    "ordered": (pd.Categorical([2, None], categories=[3, 2], ordered=True), "2", None),
    "int8": (np.array([1, -1], dtype="int8"), 1, -1),
    "uint64": (np.array([2**64 - 1, 0], dtype="uint64"), 2**64 - 1, 0),
    "Int64": (pd.array([1, None], dtype="Int64"), 1, None),
    "float": ([1.5, np.nan], 1.5, None),
    "infinite": ([np.inf, 0.0], np.inf, 0.0),
    "Float64": (pd.array([1.5, None], dtype="Float64"), 1.5, None),
    "bool": ([True, False], True, False),
    "boolean": (pd.array([True, None], dtype="boolean"), True, None),
    "datetime": (pd.to_datetime(["2020-01-02 03:04:05", None]), SECOND, None),
    "arrow": (pd.Series([7, None], dtype="int64[pyarrow]"), 7, None),
    "duration": (pd.to_timedelta([90, None], unit="s"), "00:01:30", None),
    "empty": (["", None], "", None),
}
LATE = [None] * 5000
OBJECTS = {
    "text": ([*LATE, "x"], "x"),
    "int": ([*LATE, 5], 5),
    "bool": ([*LATE, True], True),
    "float": ([*LATE, 1.5], 1.5),
    "date": ([*LATE, DAY], DAY),
    "decimal": ([*LATE, Decimal("1.50")], Decimal("1.50")),
    "nothing": ([*LATE, None], None),
    "nan": ([*LATE[1:], np.nan, "y"], "y"),
    "mixed numbers": ([*LATE[1:], 1, 1.5], 1.5),
}


def test_every_plain_dtype_of_pandas_keeps_its_values(read):
    """Texts, categories, numbers, truth values and dates of each flavor; NULL for what is missing."""
    found = read(pd.DataFrame({name: column for name, (column, _, _) in COLUMNS.items()}))
    assert (found.names, found.is_text, found.count) == (tuple(COLUMNS), False, 2)
    assert found.rows == [tuple(row[place] for row in COLUMNS.values()) for place in (1, 2)]


def test_python_objects_of_one_kind_keep_their_values(read):
    """Objects that are all of one plain kind are read as that kind, wherever the first value stands."""
    frame = pd.DataFrame({name: pd.Series(column, dtype=object) for name, (column, _) in OBJECTS.items()})
    found = read(frame.assign(place=range(5001)))
    assert len(found.rows) == 5001
    assert [row[:-1] for row in found.rows if row[0] is not None] == [tuple(x for _, x in OBJECTS.values())]


def test_types_of_arrow_are_plain_values(read):
    """Dictionaries and views are texts, a zone is UTC, null is an empty text column."""
    table = pa.table(
        {
            "dictionary": pa.array(["x"]).dictionary_encode(),
            "view": pa.array(["x"], pa.string_view()),
            "zone": pa.array([0], pa.timestamp("us", "Europe/Berlin")),
            "date": pa.array([DAY]),
            "time": pa.array([dt.time(1, 2)]),
            "nothing": pa.nulls(1),
            "decimal": pa.array([1], pa.decimal128(10, 2)),
        }
    )
    found = read(table)
    assert found.rows == [("x", "x", EPOCH, DAY, "01:02:00", None, 1)]
    assert found.types[5] == "VARCHAR"


MARKED = {"t": ["?", "-9", "x"], "i": [-9, 0, 9], "f": [-9.0, 0.5, 9.0], "b": [True, False, True]}
BLANKS = pd.DataFrame({"c": pd.Categorical([" ?", "x "])})
LEVELS = pl.DataFrame({"c": ["x", "?"], "e": ["y", "z"]}).cast(
    {"c": pl.Categorical, "e": pl.Enum(["z", "y"])}
)
INSTANTS = pd.DataFrame({"t": HALF_PAST.as_unit("ns"), "d": pd.to_timedelta([90_000_000_001], unit="ns")})
MONTH = pd.DataFrame({"d": pd.to_timedelta([31 * 86400, None], unit="s")})
READ = {
    "markers of texts and numbers": (
        pd.DataFrame(MARKED),
        {"missing": ("?", "-9")},
        [(None, None, None, True), (None, 0, 0.5, False), ("x", 9, 9.0, True)],
    ),
    "categories": (BLANKS, {}, [(" ?",), ("x ",)]),
    "trimmed": (BLANKS, {"missing": ("?",), "is_trimmed": True}, [(None,), ("x",)]),
    "levels of polars": (LEVELS, {"missing": ("?",)}, [("x", "y"), (None, "z")]),
    "a subclass": (Special({"a": [1]}), {}, [(1,)]),
    "decimals with NaN": (objects(Decimal("NaN"), Decimal(1)), {}, [(None,), (Decimal(1),)]),
    "nanoseconds": (INSTANTS, {}, [(BEFORE, "00:01:30 1 ns")]),
    "nanoseconds of Arrow": (pa.Table.from_pandas(INSTANTS), {}, [(BEFORE, "00:01:30 1 ns")]),
    **{
        unit: (MONTH.astype(f"m8[{unit}]"), {}, [("744:00:00",), (None,)]) for unit in ("s", "ms", "us", "ns")
    },
}


@pytest.mark.parametrize(("source", "options", "rows"), READ.values(), ids=READ)
def test_a_source_in_memory_is_read_as_what_it_is(monkeypatch, read, source, options, rows):
    """A marker is compared with texts and numbers; a zone is UTC on any machine; a duration is its text."""
    monkeypatch.setenv("TZ", "America/New_York")
    assert read(source, **options).rows == rows


def test_names_of_a_frame_are_only_names(read):
    """Another case makes two columns; quotes, SQL and line ends in a label reach nothing."""
    names = ("a", "A", "a_1", 'a"b', "select", "'; DROP TABLE t; --", "two\nlines", "😀", " ")
    found = read(pd.DataFrame([range(9)], columns=[*names]))
    assert (found.names, found.rows) == (names, [tuple(range(9))])


def test_the_callers_frame_is_not_changed(read):
    """Values, labels, dtypes and index are what they were; a reversed frame is read as it stands."""
    frame = pd.DataFrame({name: column for name, (column, _, _) in COLUMNS.items()}, index=[5, 5])
    before = frame.copy(deep=True)
    read(frame, missing=("x",), is_trimmed=True)
    pd.testing.assert_frame_equal(frame, before)
    assert read(frame.iloc[::-1]).rows == read(frame.iloc[::-1].copy()).rows


def test_an_index_is_not_dropped_in_silence(read):
    """The index is no column, and a note says so unless it only counts."""
    frame = pd.DataFrame({"a": [1, 2]}, index=pd.Index(["p", "q"], name="patient"))
    found = read(frame)
    said = "index 'patient' of the DataFrame is not a column and was not read; reset_index() makes it one"
    assert (found.names, found.notes) == (("a",), (f"the {said}",))
    assert [len(read(other).notes) for other in (frame.rename_axis(None), frame.reset_index())] == [1, 0]


@pytest.mark.parametrize("unit", ["ns", "us", "s"])
@pytest.mark.parametrize("form", [pd.DataFrame, pa.Table.from_pandas, pl.from_pandas])
def test_a_zone_is_not_dropped_in_silence(read, unit, form):
    """Midnights of Berlin are published as evenings of UTC, and a note says so."""
    zoned = pd.to_datetime(["2024-02-01", "2024-08-01"]).tz_localize("Europe/Berlin").as_unit(unit)
    plain = zoned.tz_localize(None)
    found = read(form(pd.DataFrame({"seen": zoned, "left": plain})))
    assert found.notes == ("'seen': times with a zone, read and published as those of UTC without one",)


def test_long_decimals_stay_apart(read):
    """Numbers that differ in their 42nd digit are two values, and as text equal numbers are one."""
    long = "1.1" + "0" * 40
    values = (Decimal(long + "1"), Decimal(long + "2"), Decimal(long + "20"), Decimal("-0.0"), None)
    for source in (objects(*values), objects(*values).astype("category")):
        assert read(source).rows == [(long + "1",), (long + "2",), (long + "2",), ("0",), (None,)]
    for texts, distinct in (
        (("1E+30", "1E-30", "2E-30", "1.1", "1.10"), 4),
        (("1E+999999", "Infinity", "1E-999999"), 3),
    ):
        assert len(set(read(objects(*map(Decimal, texts))).rows)) == distinct


def test_decimals_that_fit_are_exact_numbers(read):
    """Up to 38 digits are a DECIMAL wide enough for every value."""
    fine = Decimal("12." + "0" * 20 + "1")
    found = read(objects(*[Decimal("1.10")] * 3000, Decimal(-9), fine), missing=("-9",))
    assert (found.types, set(found.rows)) == (("DECIMAL(23,21)",), {(Decimal("1.1"),), (None,), (fine,)})


NANOSECONDS = [
    *(ZONED, ZONED.dt.tz_convert("Europe/Berlin"), ZONED.astype(object), ZONED.astype("category")),
    *(LOCAL, LOCAL.astype(object), LASTING, LASTING.astype("category")),
    pd.Series([np.datetime64(tick, "ns") for tick in TICKS[:-1]], dtype=object),
    pd.Series(TICKS, dtype="timestamp[ns, Europe/Berlin][pyarrow]"),
    pd.Series(TICKS, dtype="duration[ns][pyarrow]"),
]


def distinct(source):
    """Return how many values the first column has, NULL left out."""
    with connect(EngineSettings(threads=1)) as connection:
        staged = sources.stage(connection, source, ReadOptions())
        counted = f"SELECT count(DISTINCT c0) FROM {staged.relation}"
        found = connection.duckdb.execute(counted).fetchall()[0][0]
        staged.release()
    return found


@pytest.mark.parametrize("column", NANOSECONDS)
def test_nanoseconds_of_pandas_stay_apart(column):
    """Instants and durations that differ in nanoseconds are values of their own, in every dtype."""
    assert distinct(pd.DataFrame({"c": column})) == 6


@pytest.mark.samples(1)
@pytest.mark.parametrize("kind", [pa.timestamp("ns", "Europe/Berlin"), pa.timestamp("ns"), pa.duration("ns")])
def test_nanoseconds_of_arrow_stay_apart(kind):
    """The same in every form of an Arrow table, and in a dictionary."""
    column = pa.array(TICKS, kind)
    table = pa.table({"c": column, "rest": pa.array(range(7))})
    forms = [FORMS[form](table) for form in ("table", "batch", "reader", "dataset")]
    forms.append(table.set_column(0, "c", column.dictionary_encode()))
    assert [distinct(form) for form in forms] == [6] * 5


def failing():
    """Return a reader that fails half way."""

    def batches():
        yield TABLE.to_batches()[0]
        raise ValueError("SECRET")

    return pa.RecordBatchReader.from_batches(TABLE.schema, batches())


def arrow(*values, kind=None):
    """Return an Arrow table of two columns."""
    return pa.table({"a": pa.array([1] * len(values)), "c": pa.array(values, kind)})


def typed(kind, *values):
    """Return a frame of one column of an Arrow type."""
    return pd.DataFrame({"c": pd.Series(values, dtype=pd.ArrowDtype(kind))})


MONTHS = arrow((1, 1, 1), (1, 1, 2), kind=pa.month_day_nano_interval())
NESTED = [
    *(arrow(["SECRET"]), arrow({"x": "SECRET"}), arrow([1, 2], kind=pa.list_(pa.int64(), 2))),
    arrow([("SECRET", 1)], kind=pa.map_(pa.string(), pa.int64())),
    *(arrow(b"SECRET"), arrow(1.5, kind=pa.float16()), arrow(1, kind=pa.decimal256(50, 2)), MONTHS),
]
MIXED = [
    *([1, "SECRET"], ["x"] * 5000 + [1], [b"SECRET", None], [["SECRET"], None], [{"SECRET": 1}]),
    *([1, True, None], [dt.time(1, 2)], [object()], [2**70, 1], [2**60 + 1, 0.5], ["x", 1.5]),
    *([Decimal(1), "SECRET"], [complex(1)], [Decimal("sNaN"), Decimal(1)], [Decimal(1), Decimal("sNaN")]),
]
STRANGE = [
    *(pd.Series([1 + 2j]), pd.Series(pd.period_range("2020", periods=1)), pd.Series(pd.interval_range(0, 1))),
    pd.Series([1.0, np.nan]).astype("Sparse[float]"),
    pd.Series(pd.Categorical([1, "SECRET"])),
]
TWICE = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
CAST = "SELECT CAST(x AS INTEGER) AS y FROM (VALUES ('SECRET')) t(x)"
EMPTY = TABLE.slice(0, 0)
REFUSED = [
    *((source, "'c'") for source in NESTED),
    *((table.to_reader(), "'c'") for table in NESTED),
    *((objects(*values), "'c'") for values in MIXED),
    *((pd.DataFrame({"a": range(len(column)), "c": column}), "'c'") for column in STRANGE),
    (typed(pa.list_(pa.string()), ["SECRET"]), "nested"),
    (typed(pa.decimal256(50, 2), 1), "DataFrame"),
    *((source, "no records") for source in (EMPTY, EMPTY.to_reader(), pl.from_arrow(EMPTY))),
    *((source, "no records") for source in (pl.from_arrow(EMPTY).lazy(), pd.DataFrame({"a": []}))),
    *((source, "at least one column") for source in (pa.table({}), pl.DataFrame(), pd.DataFrame())),
    (pd.DataFrame(index=[1, 2]), "at least one column"),
    *(
        (source, "unique")
        for source in (TWICE, TWICE.to_reader(), lambda: duckdb.sql("SELECT 1 AS a, 2 AS a"))
    ),
    (pd.DataFrame([[1, 2]], columns=["a", "a"]), "unique"),
    *((pd.DataFrame([[1, 2]], columns=["a", label]), "texts") for label in (0, None, 1.5)),
    (pd.DataFrame([[1]], columns=pd.MultiIndex.from_tuples([("a", "b")])), "texts"),
    (pd.DataFrame([[1]], columns=[""]), "no readable name"),
    (pd.Series([1]), "Series"),
    (failing(), "Arrow"),
    (pl.LazyFrame({"a": ["SECRET"]}).select(pl.col("b")), "polars"),
    (pl.LazyFrame({"a": ["SECRET"]}).select(pl.col("a").cast(pl.Int64)), "polars"),
    (pl.DataFrame({"a": pl.Series([object()], dtype=pl.Object)}), "polars"),
    (lambda: duckdb.sql(CAST), "relation"),
    (objects(UTC, NOWHERE), "time zone"),
    (objects(NOWHERE, None, UTC.to_pydatetime()), "time zone"),
    (objects(UTC, NOWHERE.date()), "time zone"),
]


@pytest.mark.parametrize(("source", "words"), REFUSED, ids=[words for _, words in REFUSED])
def test_what_cannot_be_grouped_is_named_without_a_value(refuse, source, words):
    """No value is made a text in silence; names are unique texts; a plan that fails is a sentence."""
    assert words in refuse(source() if callable(source) else source)


def test_a_marker_that_matches_only_after_trimming_is_asked_about(refuse):
    """In texts and in categories alike."""
    for source in (pd.DataFrame({"c": [" ?", "x"]}), BLANKS):
        assert "`trim: true`" in refuse(source, missing=("?",))


@pytest.mark.samples(6)
@pytest.mark.parametrize(
    "source",
    [
        pd.DataFrame({"c": pd.Series(["\ud800", "x"], dtype=pd.StringDtype("python"))}),
        objects(UTC, NOWHERE),
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
    assert (str(caught.value)[-1], "\n" in str(caught.value)) == (".", False)


@pytest.mark.parametrize("make", [lambda: pl.DataFrame({"a": [1]}), lambda: duckdb.sql("SELECT 1 AS a")])
def test_pyarrow_is_asked_for_where_it_is_missing(refuse, monkeypatch, make):
    """Without pyarrow the extra is named."""
    source = make()
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name.partition(".")[0] == "pyarrow":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    assert "qidguard[arrow]" in refuse(source)
