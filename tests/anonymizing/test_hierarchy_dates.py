"""Dates along the calendar, and prefixes of codes."""

from datetime import date

import numpy as np
import pytest

from hierarchy_columns import groups, numbers, published, texts
from qidguard.core.column import ValueType
from qidguard.core.errors import DataError
from qidguard.sdk import ColumnValues, date_hierarchy, prefix_hierarchy

EPOCH = date(1970, 1, 1).toordinal()


def days(*written: str, kind: ValueType = ValueType.DATE, hours: float = 0) -> ColumnValues:
    """Return a column of dates, or of moments some hours into each day."""
    offsets = [date.fromisoformat(day).toordinal() - EPOCH + hours / 24 for day in written]
    return ColumnValues(
        name="visit",
        value_type=kind,
        codes=np.arange(len(written) + 1, dtype=np.int32),
        texts=(None, *written),
        numbers=np.array([np.nan, *offsets]),
    )


@pytest.mark.parametrize(
    "column",
    [
        days("1969-12-31", "2021-03-31", "2021-04-01"),
        days("1969-12-31", "2021-03-31", "2021-04-01", kind=ValueType.TIMESTAMP, hours=23.9),
        texts("1969-12-31", "2021-03-31 23:59:59.5", "2021-04-01T00:00"),
        texts("19691231", "2021/03/31", "2021.04.01"),
        numbers("19691231", "20210331", "20210401"),
    ],
    ids=["dates", "moments", "ISO texts", "other texts", "whole numbers"],
)
def test_every_unit_of_the_calendar(column):
    """Days, months, quarters, years and decades, before 1970 too, whatever the dates are held as."""
    found = date_hierarchy(column, ("day", "month", "quarter", "year", "decade"))
    assert [published(found, level) for level in range(1, 7)] == [
        ["1969-12-31", "2021-03-31", "2021-04-01"],
        ["1969-12", "2021-03", "2021-04"],
        ["1969-Q4", "2021-Q1", "2021-Q2"],
        ["1969", "2021", "2021"],
        ["1960s", "2020s", "2020s"],
        ["*", "*", "*"],
    ]


def test_any_subset_of_units():
    """Years alone make three levels, and early years have four digits."""
    found = date_hierarchy(days("0987-01-01", "2021-01-01"), ("year", "decade"))
    assert found.labels[1:] == ((None, "0987", "2021"), (None, "0980s", "2020s"), ("*",))


def test_a_form_that_is_declared_is_read():
    """Day before month, where the user says so; nobody guesses it."""
    column = texts("01/04/2021", "31/03/2021", "*")
    found = date_hierarchy(column, ("quarter",), written="%d/%m/%Y")
    assert published(found, 1) == ["2021-Q2", "2021-Q1", "*"]
    with pytest.raises(DataError) as error:
        date_hierarchy(column, ("quarter",))
    assert str(error.value) == (
        "2 of the 3 values of column 'c' are no dates in a form such as 2021-03-01; say how they are written,"
        " or give a hierarchy file"
    )


@pytest.mark.parametrize("text", ["2021-13-01", "2021-02-30", "2021-03", "soon", "2021-0301", ""])
def test_what_is_no_date_is_counted_and_not_named(text):
    """No such month, no such day, no day at all."""
    with pytest.raises(DataError, match=r"^1 of the 2 values of column 'c' are no dates"):
        date_hierarchy(texts("2021-03-01", text), ("year",))


@pytest.mark.parametrize(
    ("units", "sentence"),
    [
        ((), "the units of dates go from finer to coarser"),
        (("year", "month"), "the units of dates go from finer to coarser"),
        (("year", "year"), "the units of dates go from finer to coarser"),
        (("week",), "there is no unit 'week' of dates; choose among day, month, quarter, year, decade"),
    ],
)
def test_units_that_do_not_nest_are_refused(units, sentence):
    """A level that is finer than the one below it would separate what that puts together."""
    with pytest.raises(DataError, match=sentence):
        date_hierarchy(days("2021-01-01"), units)


def test_what_marks_a_suppressed_cell_stays_apart():
    """A column of dates has NaN for its mark, whatever that is written as."""
    column = ColumnValues(
        name="visit",
        value_type=ValueType.DATE,
        codes=np.array([1, 2], dtype=np.int32),
        texts=(None, "2021-01-01", "gone"),
        numbers=np.array([np.nan, 18628, np.nan]),
    )
    assert date_hierarchy(column, ("year",)).labels[1:] == ((None, "2021", "gone"), ("*",))


def test_infinite_dates_are_no_dates():
    """A moment beyond the calendar is counted as no date."""
    column = ColumnValues(
        name="visit",
        value_type=ValueType.TIMESTAMP,
        codes=np.array([1], dtype=np.int32),
        texts=(None, "infinity"),
        numbers=np.array([np.nan, np.inf]),
    )
    with pytest.raises(DataError, match="1 of the 1 values"):
        date_hierarchy(column, ("year",))


def test_prefixes_keep_the_first_characters():
    """Each character that goes is one star, so codes of different lengths stay apart."""
    found = prefix_hierarchy(texts("1010", "10115", "10117", "AB", "é12"), (4, 2, 1))
    assert [published(found, level) for level in (1, 2, 3)] == [
        ["1010", "1011*", "1011*", "AB", "é12"],
        ["10**", "10***", "10***", "AB", "é1*"],
        ["1***", "1****", "1****", "A*", "é**"],
    ]


def test_letters_and_spaces_stay_as_they_are():
    """Nothing is upper-cased or trimmed, so two spellings stay two codes."""
    found = prefix_hierarchy(texts("SW1A 1AA", "sw1a 1aa"), (4,))
    assert published(found, 1) == ["SW1A****", "sw1a****"]


def test_codes_that_are_numbers_count_as_written():
    """A postal code that was read as a number keeps its digits and its leading zeros."""
    found = prefix_hierarchy(numbers("01067", "1067"), (3,))
    assert published(found, 1) == ["010**", "106*"]
    assert groups(found, 2) == [{1, 2}]


@pytest.mark.parametrize(
    ("lengths", "sentence"),
    [
        ((), "a prefix needs the number of characters that each level keeps"),
        ((3, 3), "the lengths of prefixes fall, and 3 stands behind 3; sort them"),
        ((2, 3), "the lengths of prefixes fall, and 3 stands behind 2; sort them"),
        ((1, 0), "a prefix keeps at least 1 character, not 0; the top keeps none"),
        ((True,), "a prefix keeps at least 1 character, not True"),
    ],
)
def test_lengths_that_do_not_nest_are_refused(lengths, sentence):
    """A longer prefix above a shorter one would separate what that puts together."""
    with pytest.raises(DataError, match=sentence):
        prefix_hierarchy(texts("a"), lengths)
