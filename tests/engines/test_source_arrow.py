"""Tests of Arrow tables, polars frames and DuckDB relations as sources."""

import builtins
import datetime as dt
import math

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pytest

TABLE = pa.table({"a": [1, 2], "A": ["x", None], "f": [math.nan, 0.5]})


def forms():
    """Return one table in every form that has an Arrow schema."""
    return [
        TABLE,
        TABLE.to_batches()[0],
        TABLE.to_reader(),
        pyarrow.dataset.dataset(TABLE),
        pl.from_arrow(TABLE),
        pl.from_arrow(TABLE).lazy(),
        duckdb.from_arrow(TABLE.rename_columns(["a", "b", "f"])),
    ]


@pytest.mark.parametrize("form", range(len(forms())))
def test_every_form_gives_the_same_records(read, form):
    """NaN stays a value apart from NULL, and names that differ in case are two columns."""
    source = forms()[form]
    found = read(source)
    assert found.names in {("a", "A", "f"), ("a", "b", "f")}
    assert not found.is_text
    assert [row[:2] for row in found.rows] == [(1, "x"), (2, None)]
    assert math.isnan(found.rows[0][2])
    assert found.rows[1][2] == 0.5


def test_types_of_arrow_are_plain_values(read):
    """Dictionaries and views are texts, a zone is UTC, null is an empty text column."""
    table = pa.table(
        {
            "dictionary": pa.array(["x"]).dictionary_encode(),
            "view": pa.array(["x"], pa.string_view()),
            "zone": pa.array([0], pa.timestamp("us", "Europe/Berlin")),
            "date": pa.array([dt.date(2020, 1, 2)]),
            "time": pa.array([dt.time(1, 2)]),
            "nothing": pa.nulls(1),
            "decimal": pa.array([1], pa.decimal128(10, 2)),
        }
    )
    expected = ("x", "x", dt.datetime(1970, 1, 1), dt.date(2020, 1, 2), "01:02:00", None, 1)  # noqa: DTZ001 - stands for UTC
    found = read(table)
    assert found.rows == [expected]
    assert found.types[5] == "VARCHAR"


def test_polars_categories_are_texts(read):
    """Categorical and Enum columns are grouped by their text."""
    frame = pl.DataFrame({"c": ["x", "?"], "e": ["y", "z"]}).cast(
        {"c": pl.Categorical, "e": pl.Enum(["z", "y"])}
    )
    assert read(frame, missing=("?",)).rows == [("x", "y"), (None, "z")]


@pytest.mark.parametrize(
    "column",
    [
        pa.array([["SECRET"]]),
        pa.array([{"x": "SECRET"}]),
        pa.array([[("SECRET", 1)]], pa.map_(pa.string(), pa.int64())),
        pa.array([[1, 2]], pa.list_(pa.int64(), 2)),
        pa.array([b"SECRET"]),
        pa.array([1.5], pa.float16()),
        pa.array([1], pa.decimal256(50, 2)),
    ],
)
def test_a_column_that_cannot_be_grouped_is_named(refuse, column):
    """Nested values, bytes and numbers that DuckDB does not read."""
    table = pa.table({"a": pa.array([1]), "c": column})
    for source in (table, table.to_reader()):
        assert "'c'" in refuse(source)


def test_a_table_without_records_or_columns(refuse):
    """Names alone, or nothing at all."""
    empty = TABLE.slice(0, 0)
    for source in (empty, empty.to_reader(), pl.from_arrow(empty), pl.from_arrow(empty).lazy()):
        assert "no records" in refuse(source)
    assert "at least one column" in refuse(pa.table({}))
    assert "at least one column" in refuse(pl.DataFrame())


def test_duplicate_names(refuse):
    """Arrow and SQL allow two columns of one name; a policy could not tell them apart."""
    twice = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    assert "unique" in refuse(twice)
    assert "unique" in refuse(twice.to_reader())
    assert "unique" in refuse(duckdb.sql("SELECT 1 AS a, 2 AS a"))


def test_a_reader_that_fails_half_way(refuse):
    """An error of the caller's own stream is one sentence."""

    def batches():
        yield TABLE.to_batches()[0]
        raise ValueError("SECRET")

    assert "Arrow" in refuse(pa.RecordBatchReader.from_batches(TABLE.schema, batches()))


def test_a_lazy_frame_or_a_relation_that_fails(refuse):
    """A plan that cannot run is one sentence without what it says of values."""
    assert "polars" in refuse(pl.LazyFrame({"a": ["SECRET"]}).select(pl.col("b")))
    assert "polars" in refuse(pl.LazyFrame({"a": ["SECRET"]}).select(pl.col("a").cast(pl.Int64)))
    assert "relation" in refuse(duckdb.sql("SELECT CAST(x AS INTEGER) AS y FROM (VALUES ('SECRET')) t(x)"))


def test_polars_objects(refuse):
    """Python objects inside polars have no Arrow type."""
    assert "polars" in refuse(pl.DataFrame({"a": pl.Series([object()], dtype=pl.Object)}))


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
