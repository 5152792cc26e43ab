"""Dates along the calendar, and prefixes of codes."""

from datetime import date

import numpy as np
import pytest

from hierarchy_columns import groups, numbers, published, texts
from qidguard.anonymizing.hierarchy import automatic_dates
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
    """Day before month, where the user says so, or one of the values does."""
    column = texts("01/04/2021", "31/03/2021", "*")
    for written in ("%d/%m/%Y", "dmy", None):
        found = date_hierarchy(column, ("quarter",), written=written)
        assert published(found, 1) == ["2021-Q2", "2021-Q1", "*"]
    with pytest.raises(DataError) as error:
        date_hierarchy(column, ("quarter",), written="ymd")
    assert str(error.value) == (
        "2 of the 3 values of column 'c' are no dates in the form that is declared; say how they are written,"
        " or give a hierarchy file"
    )


def test_what_no_value_decides_is_asked():
    """Where days and months change places in every value, nobody guesses; what to write is named."""
    with pytest.raises(DataError) as error:
        date_hierarchy(texts("01/04/2021", "03/12/2021"), ("quarter",))
    assert str(error.value) == (
        "no date of column 'c' tells whether it is written d/m/y or m/d/y; write dates with written: dmy or"
        " mdy, or auto: frequency where these are no dates"
    )
    with pytest.raises(DataError, match=r"some dates of column 'c' allow one order alone and others another"):
        date_hierarchy(texts("13/04/2021", "04/13/2021"), ("quarter",))


BIRTHS = ("1/1/44", "13/2/61", "28/2/05")
"""As in a table of which 582 of 1,462 people were published as born after 2040."""


def test_years_of_two_digits_are_never_later_than_the_table():
    """1/1/44 is 1944 in a table of 2026, whether the day is declared or that of the table."""
    column = texts(*BIRTHS)
    day = date(2026, 1, 31)
    for found in (
        date_hierarchy(column, ("year",), latest=day),
        date_hierarchy(column, ("year",), as_of=day),
        date_hierarchy(column, ("year",), written="%d/%m/%y", latest=day),
    ):
        assert published(found, 1) == ["1944", "1961", "2005"]
    assert found.origin == "dates (%d/%m/%y, two-digit years up to 2026-01-31)"


def test_years_that_fill_a_century_are_asked():
    """One born in '27 may be 99 years old or not born yet, where others were born in '26."""
    column = texts("13/2/27", "1/1/44", "2/12/25")
    with pytest.raises(DataError, match="the two-digit years of column 'c' fill a century, so that"):
        date_hierarchy(column, ("year",), as_of=date(2026, 1, 31))
    found = date_hierarchy(column, ("year",), latest=date(2026, 1, 31))
    assert published(found, 1) == ["1927", "1944", "2025"]


def test_periods_have_levels_from_their_own_length_on():
    """A month has no day, and a week lies in the year of its Thursday."""
    months = texts("2021-03", "2021-04", "2019-12")
    assert published(date_hierarchy(months, ("quarter",)), 1) == ["2021-Q1", "2021-Q2", "2019-Q4"]
    with pytest.raises(DataError, match="3 of the 3 values of column 'c' are periods that tell no day"):
        date_hierarchy(months, ("day", "year"))
    weeks = date_hierarchy(texts("2020-W53", "2021-W01", "2019-W01"), ("year", "5 years"))
    assert [published(weeks, level) for level in (1, 2)] == [
        ["2020", "2021", "2019"],
        ["2020-2024", "2020-2024", "2015-2019"],
    ]


def test_automatic_levels_of_texts_and_dates_are_the_same():
    """Each level has one width; those that merge nothing are left out."""
    expected = [
        ["1944-02", "1944-02", "1944-03", "1951-07", "1999-12"],
        ["1944-Q1", "1944-Q1", "1944-Q1", "1951-Q3", "1999-Q4"],
        ["*"] * 5,
    ]
    written = ("1944-02-01", "1944-02-17", "1944-03-02", "1951-07-01", "1999-12-31")
    for column in (days(*written), texts("1.2.1944", "17.2.1944", "2.3.1944", "1.7.1951", "31.12.1999")):
        found = automatic_dates(column)
        assert found is not None
        assert [published(found, level) for level in range(1, found.levels)] == expected


def test_few_that_are_no_dates_stay_apart_of_automatic_levels():
    """February 30, a word and a year alone are published as they are, until a level is as long as they."""
    known = [f"{month}/{day}/2021" for month in range(1, 13) for day in range(1, 29)]
    found = automatic_dates(texts(*known, "2/30/2021", "2021", "unknown", ""))
    assert found is not None
    assert published(found, 1)[-5:] == ["2021-12", "2/30/2021", "2021", "unknown", ""]
    assert published(found, 3)[-5:] == ["2021", "2/30/2021", "2021", "unknown", ""]
    assert found.origin == "automatic (dates: 336 as m/d/y, 1 as year)"


@pytest.mark.parametrize(
    "column",
    [
        texts("red", "green", "blue"),
        texts("1944", "1951"),
        numbers(1944, 1951),
        numbers(44927, 44928, 45000),  # days as spreadsheets count them
        numbers(1700000000, 1700086400),  # seconds as computers count them
        numbers(101010, 111111),
        texts(),
    ],
)
def test_what_is_no_column_of_dates_has_no_automatic_levels_of_dates(column):
    """Words, years alone, numbers of days and of seconds, codes of six digits."""
    assert automatic_dates(column) is None


def test_whole_numbers_of_eight_digits_are_days():
    """20260131 is a day where all the values are."""
    found = automatic_dates(numbers("20260130", "20260131", "20260201", "99991231"))
    assert found is not None
    assert published(found, 1) == ["2026-01", "2026-01", "2026-02", "9999-12"]


@pytest.mark.parametrize("text", ["2021-13-01", "2021-02-30", "20210-3", "soon", "2021-0301", ""])
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
        (("week",), "there is no unit 'week' of dates; choose among day, month, quarter, year, 5 years, dec"),
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
