"""Tests of pandas DataFrames as sources."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest


def test_every_plain_dtype_keeps_its_values(read):
    """Texts, categories, numbers, truth values and dates of each flavor; NULL for what is missing."""
    frame = pd.DataFrame(
        {
            "object": pd.Series(["x", None], dtype=object),
            "str": pd.Series(["x", None], dtype="str"),
            "string": pd.array(["x", None], dtype="string"),
            "category": pd.Categorical(["x", None], categories=["y", "x"]),
            "ordered": pd.Categorical([2, None], categories=[3, 2], ordered=True),
            "int8": np.array([1, -1], dtype="int8"),
            "uint64": np.array([2**64 - 1, 0], dtype="uint64"),
            "Int64": pd.array([1, None], dtype="Int64"),
            "float": [1.5, np.nan],
            "Float64": pd.array([1.5, None], dtype="Float64"),
            "bool": [True, False],
            "boolean": pd.array([True, None], dtype="boolean"),
            "datetime": pd.to_datetime(["2020-01-02 03:04:05", None]),
            "arrow": pd.Series([7, None], dtype="int64[pyarrow]"),
        }
    )
    found = read(frame)
    assert found.names == tuple(frame.columns)
    assert not found.is_text
    assert found.count == 2
    assert found.rows == [
        ("x", "x", "x", "x", "2", 1, 2**64 - 1, 1, 1.5, 1.5, True, True, dt.datetime(2020, 1, 2, 3, 4, 5), 7),  # noqa: DTZ001 - local times stay so
        (None, None, None, None, None, -1, 0, None, None, None, False, None, None, None),
    ]


def test_python_objects_of_one_kind_keep_their_values(read):
    """Objects that are all of one plain kind are read as that kind, wherever the first value stands."""
    late = [None] * 5000
    frame = pd.DataFrame(
        {
            "text": pd.Series([*late, "x"], dtype=object),
            "place": range(5001),
            "int": pd.Series([*late, 5], dtype=object),
            "bool": pd.Series([*late, True], dtype=object),
            "float": pd.Series([*late, 1.5], dtype=object),
            "date": pd.Series([*late, dt.date(2020, 1, 2)], dtype=object),
            "decimal": pd.Series([*late, Decimal("1.50")], dtype=object),
            "nothing": pd.Series([*late, None], dtype=object),
            "nan": pd.Series([*late[1:], np.nan, "y"], dtype=object),
            "mixed numbers": pd.Series([*late[1:], 1, 1.5], dtype=object),
        }
    )
    found = read(frame)
    last = ("x", 5, True, 1.5, dt.date(2020, 1, 2), Decimal("1.50"), None, "y", 1.5)
    assert [(row[0], *row[2:]) for row in found.rows if row[0] is not None] == [last]
    assert len(found.rows) == 5001


def test_a_zone_does_not_depend_on_the_machine(read, monkeypatch):
    """A time with a zone is the same instant in UTC."""
    monkeypatch.setenv("TZ", "America/New_York")
    frame = pd.DataFrame({"t": pd.to_datetime(["2020-01-01 00:30"]).tz_localize("Europe/Berlin")})
    assert read(frame).rows == [(dt.datetime(2019, 12, 31, 23, 30),)]  # noqa: DTZ001 - stands for UTC


def test_durations_and_times_are_texts(read):
    """What no group-by orders is grouped by its text."""
    frame = pd.DataFrame({"d": pd.to_timedelta([90], unit="s")})
    assert read(frame).rows == [("00:01:30",)]


def test_a_floating_nan_is_null(read):
    """A frame of pandas writes a missing number as NaN."""
    assert read(pd.DataFrame({"a": [1.0, np.nan, np.inf]})).rows == [(1.0,), (None,), (np.inf,)]


def test_markers_are_null_in_texts_and_numbers(read):
    """A marker is compared with texts; a marker that is a number also with numbers."""
    frame = pd.DataFrame(
        {"t": ["?", "-9", "x"], "i": [-9, 0, 9], "f": [-9.0, 0.5, 9.0], "b": [True, False, True]}
    )
    found = read(frame, missing=("?", "-9"))
    assert found.rows == [(None, None, None, True), (None, 0, 0.5, False), ("x", 9, 9.0, True)]


def test_markers_of_categories_and_trimming(read, refuse):
    """Categories are texts; a marker that matches only after trimming is asked for."""
    frame = pd.DataFrame({"c": pd.Categorical([" ?", "x "])})
    assert read(frame, missing=("?",), is_trimmed=True).rows == [(None,), ("x",)]
    assert read(frame).rows == [(" ?",), ("x ",)]
    assert "`trim: true`" in refuse(pd.DataFrame({"c": [" ?", "x"]}), missing=("?",))
    assert "`trim: true`" in refuse(frame, missing=("?",))


def test_an_empty_text_of_a_frame_is_a_value(read):
    """Only a CSV cannot tell the empty text from a missing one."""
    assert read(pd.DataFrame({"a": ["", None]})).rows == [("",), (None,)]


def test_names_that_differ_in_case_are_two_columns(read):
    """DuckDB's names are case-blind; the columns are not mixed up."""
    found = read(pd.DataFrame([[1, 2, 3]], columns=["a", "A", "a_1"]))
    assert (found.names, found.rows) == (("a", "A", "a_1"), [(1, 2, 3)])


def test_hostile_names_are_names(read):
    """Quotes, SQL and line ends in a label reach nothing."""
    names = ['a"b', "select", "'; DROP TABLE t; --", "two\nlines", "😀", " "]
    assert read(pd.DataFrame([range(6)], columns=names)).names == tuple(names)


def test_labels_that_are_no_unique_texts(refuse):
    """Numbers, None, tuples, the empty text and duplicates are no column names."""
    assert "unique" in refuse(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    for label in (0, None, 1.5):
        assert "texts" in refuse(pd.DataFrame([[1, 2]], columns=["a", label]))
    assert "texts" in refuse(pd.DataFrame([[1]], columns=pd.MultiIndex.from_tuples([("a", "b")])))
    assert "no readable name" in refuse(pd.DataFrame([[1]], columns=[""]))


@pytest.mark.parametrize(
    "values",
    [
        [1, "SECRET"],
        ["x"] * 5000 + [1],
        [b"SECRET", None],
        [["SECRET"], None],
        [{"SECRET": 1}],
        [1, True, None],
        [dt.time(1, 2)],
        [object()],
        [2**70, 1],
        [2**60 + 1, 0.5],
        ["x", 1.5],
        [Decimal(1), "SECRET"],
        [complex(1)],
    ],
)
def test_a_column_of_mixed_or_strange_objects(refuse, values):
    """No value is turned into a text or a list in silence; the column is named."""
    assert "'c'" in refuse(pd.DataFrame({"a": range(len(values)), "c": pd.Series(values, dtype=object)}))


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([1 + 2j]),
        pd.Series(pd.period_range("2020", periods=1)),
        pd.Series(pd.interval_range(0, 1)),
        pd.Series([1.0, np.nan]).astype("Sparse[float]"),
        pd.Series(pd.Categorical([1, "SECRET"])),
    ],
)
def test_a_dtype_that_cannot_be_grouped(refuse, column):
    """Complex numbers, periods, intervals and sparse columns are named with their dtype."""
    assert "'c'" in refuse(pd.DataFrame({"a": range(len(column)), "c": column}))


def test_nested_arrow_dtypes(refuse):
    """A list inside a pandas column is as nested as anywhere."""
    import pyarrow as pa

    column = pd.Series([["SECRET"]], dtype=pd.ArrowDtype(pa.list_(pa.string())))
    assert "nested" in refuse(pd.DataFrame({"c": column}))
    wide = pd.Series([1], dtype=pd.ArrowDtype(pa.decimal256(50, 2)))
    assert "DataFrame" in refuse(pd.DataFrame({"c": wide}))


def test_a_frame_without_records_or_columns(refuse):
    """Names alone, an index alone, or nothing."""
    assert "no records" in refuse(pd.DataFrame({"a": []}))
    assert "at least one column" in refuse(pd.DataFrame(index=[1, 2]))
    assert "at least one column" in refuse(pd.DataFrame())


def test_an_index_is_not_dropped_in_silence(read):
    """The index is no column, and a note says so unless it only counts."""
    frame = pd.DataFrame({"a": [1, 2]}, index=pd.Index(["p", "q"], name="patient"))
    found = read(frame)
    assert found.names == ("a",)
    assert found.notes == (
        "the index 'patient' of the DataFrame is not a column and was not read; reset_index() makes it one",
    )
    assert len(read(frame.rename_axis(None)).notes) == 1
    assert read(frame.reset_index()).notes == ()


def test_the_callers_frame_is_not_changed(read):
    """Values, labels, dtypes and index are what they were."""
    frame = pd.DataFrame(
        {"A": ["x", "?"], "o": pd.Series([1, None], dtype=object), "c": pd.Categorical([1, 2])}, index=[5, 5]
    )
    before = frame.copy(deep=True)
    read(frame, missing=("?",), is_trimmed=True)
    pd.testing.assert_frame_equal(frame, before)
    assert frame.index.tolist() == [5, 5]


def test_a_subclass_is_a_frame(read):
    """Libraries that build on pandas are read like it."""

    class Special(pd.DataFrame):
        pass

    assert read(Special({"a": [1]})).rows == [(1,)]


def test_a_series_is_no_table(refuse):
    """One column needs to be made a frame."""
    assert "Series" in refuse(pd.Series([1]))


def test_a_frame_that_runs_backwards_is_read(read):
    """A reversed frame shares its memory, last record first; every kind of column is read as it stands."""
    frame = pd.DataFrame(
        {
            "i": [1, 2],
            "f": [1.5, 2.5],
            "b": [True, False],
            "n": pd.array([1, None], dtype="Int64"),
            "d": pd.to_datetime(["2020-01-01", "2021-01-01"]),
            "o": pd.Series(["x", None], dtype=object),
        }
    )
    assert read(frame.iloc[::-1]).rows == read(frame.iloc[::-1].copy()).rows
