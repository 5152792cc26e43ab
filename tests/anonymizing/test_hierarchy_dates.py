"""Dates along the calendar, and prefixes of codes."""

from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from hierarchy_columns import groups, numbers, published, shown, texts
from qidguard.anonymizing.hierarchy import automatic_dates
from qidguard.core.column import ValueType
from qidguard.core.errors import DataError
from qidguard.sdk import ColumnValues, date_hierarchy, prefix_hierarchy


def days(*written: str, kind: ValueType = ValueType.DATE, hours: float = 0) -> ColumnValues:
    """Return a column of dates, or of moments some hours into each day, and of one record with NULL."""
    column = numbers(*written, kind=kind, name="visit")
    return replace(
        column, codes=np.arange(len(written) + 1, dtype=np.int32), numbers=column.numbers + hours / 24
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
    assert shown(found) == [
        ["1969-12-31", "2021-03-31", "2021-04-01"],
        ["1969-12", "2021-03", "2021-04"],
        ["1969-Q4", "2021-Q1", "2021-Q2"],
        ["1969", "2021", "2021"],
        ["1960s", "2020s", "2020s"],
    ]
    assert published(found, 6) == ["*"] * 3


DAY_FIRST = texts("01/04/2021", "31/03/2021", "*")
MONTHS = texts("2021-03", "2021-04", "2019-12")
BIRTHS = texts("1/1/44", "13/2/61", "28/2/05")
"""As in a table of which 582 of 1,462 people were published as born after 2040."""
IN_27 = texts("13/2/27", "1/1/44", "2/12/25")
LATEST = date(2026, 1, 31)


@pytest.mark.parametrize(
    ("column", "units", "options", "expected"),
    [
        # any units make levels, and early years have four digits
        (days("0987-01-01", "2021-01-01"), "year, decade", {}, [["0987", "2021"], ["0980s", "2020s"]]),
        # day before month, where the user says so, or one of the values does
        (DAY_FIRST, "quarter", {"written": "%d/%m/%Y"}, [["2021-Q2", "2021-Q1", "*"]]),
        (DAY_FIRST, "quarter", {"written": "dmy"}, [["2021-Q2", "2021-Q1", "*"]]),
        (DAY_FIRST, "quarter", {"written": None}, [["2021-Q2", "2021-Q1", "*"]]),
        # 1/1/44 is 1944 in a table of 2026, whether the day is declared or that of the table
        (BIRTHS, "year", {"latest": LATEST}, [["1944", "1961", "2005"]]),
        (BIRTHS, "year", {"as_of": LATEST}, [["1944", "1961", "2005"]]),
        (BIRTHS, "year", {"written": "%d/%m/%y", "latest": LATEST}, [["1944", "1961", "2005"]]),
        (IN_27, "year", {"latest": LATEST}, [["1927", "1944", "2025"]]),
        # a month has levels from its own length on, and a week lies in the year of its Thursday
        (MONTHS, "quarter", {}, [["2021-Q1", "2021-Q2", "2019-Q4"]]),
        (texts("2020-W53", "2021-W01", "2019-W01"), "year, 5 years", {},
         [["2020", "2021", "2019"], ["2020-2024", "2020-2024", "2015-2019"]]),
        # in a column of dates what marks a suppressed cell has NaN, whatever it is written as
        (numbers("2021-01-01", "gone", kind=ValueType.DATE, name="visit"), "year", {}, [["2021", "gone"]]),
    ],
)  # fmt: skip
def test_dates_are_published_by_the_units_that_are_asked_for(column, units, options, expected):
    """In the form that is declared or that the values tell; what is no date stays apart."""
    found = date_hierarchy(column, tuple(units.split(", ")), **options)
    assert (shown(found), found.labels[-1]) == (expected, ("*",))


def test_the_origin_tells_the_form_of_dates():
    """And up to which day years of two digits are read."""
    found = date_hierarchy(BIRTHS, ("year",), written="%d/%m/%y", latest=LATEST)
    assert found.origin == "dates (%d/%m/%y, two-digit years up to 2026-01-31)"


FINER_FIRST = "the units of dates go from finer to coarser"
NO_DATES = "1 of the 2 values of column 'c' are no dates"


@pytest.mark.parametrize(
    ("column", "units", "options", "said"),
    [
        (DAY_FIRST, ("quarter",), {"written": "ymd"},
         ("2 of the 3 values of column 'c' are no dates in the form that is declared; say how they are"
          " written, or give a hierarchy file$")),
        # where days and months change places in every value, nobody guesses; what to write is named
        (texts("01/04/2021", "03/12/2021"), ("quarter",), {},
         ("no date of column 'c' tells whether it is written d/m/y or m/d/y; write dates with written:"
          " dmy or mdy, or auto: frequency where these are no dates$")),
        (texts("13/04/2021", "04/13/2021"), ("quarter",), {},
         "some dates of column 'c' allow one order alone and others another"),
        # one born in '27 may be 99 years old or not born yet, where others were born in '26
        (IN_27, ("year",), {"as_of": LATEST}, "the two-digit years of column 'c' fill a century, so that"),
        (MONTHS, ("day", "year"), {}, "3 of the 3 values of column 'c' are periods that tell no day"),
        # no such month, no such day, no day at all
        *(
            (texts("2021-03-01", text), ("year",), {}, NO_DATES)
            for text in ("2021-13-01", "2021-02-30", "20210-3", "soon", "2021-0301", "")
        ),
        # a moment beyond the calendar
        (numbers("infinity", kind=ValueType.TIMESTAMP), ("year",), {}, "1 of the 1 values"),
        # a level that is finer than the one below it would separate what that puts together
        *((days("2021-01-01"), units, {}, FINER_FIRST) for units in ((), ("year", "month"), ("year",) * 2)),
        (days("2021-01-01"), ("week",), {},
         "there is no unit 'week' of dates; choose among day, month, quarter, year, 5 years, dec"),
    ],
)  # fmt: skip
def test_dates_that_are_not_clear_and_units_that_do_not_nest_are_refused(column, units, options, said):
    """What is no date is counted and not named, and what nobody can decide is asked."""
    with pytest.raises(DataError, match=f"^{said}"):
        date_hierarchy(column, units, **options)


FIVE = ("1944-02-01", "1944-02-17", "1944-03-02", "1951-07-01", "1999-12-31")
FIVE_LEVELS = [
    ["1944-02", "1944-02", "1944-03", "1951-07", "1999-12"],
    ["1944-Q1", "1944-Q1", "1944-Q1", "1951-Q3", "1999-Q4"],
]


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (days(*FIVE), FIVE_LEVELS),
        (texts("1.2.1944", "17.2.1944", "2.3.1944", "1.7.1951", "31.12.1999"), FIVE_LEVELS),
        # 20260131 is a day where all the values are
        (numbers("20260130", "20260131", "20260201", "99991231"),
         [["2026-01", "2026-01", "2026-02", "9999-12"], ["2026-Q1", "2026-Q1", "2026-Q1", "9999-Q4"]]),
    ],
    ids=["dates", "texts", "whole numbers"],
)  # fmt: skip
def test_automatic_levels_of_dates_are_the_same_however_they_are_held(column, expected):
    """Each level has one width; those that merge nothing are left out."""
    found = automatic_dates(column)
    assert found is not None
    assert (shown(found), found.labels[-1]) == (expected, ("*",))


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


@pytest.mark.parametrize(
    ("column", "lengths", "expected"),
    [
        # each character that goes is one star, so codes of different lengths stay apart
        (texts("1010", "10115", "10117", "AB", "é12"), (4, 2, 1),
         [["1010", "1011*", "1011*", "AB", "é12"], ["10**", "10***", "10***", "AB", "é1*"],
          ["1***", "1****", "1****", "A*", "é**"]]),
        # nothing is upper-cased or trimmed, so two spellings stay two codes
        (texts("SW1A 1AA", "sw1a 1aa"), (4,), [["SW1A****", "sw1a****"]]),
        # a postal code that was read as a number keeps its digits and its leading zeros
        (numbers("01067", "1067"), (3,), [["010**", "106*"]]),
    ],
)  # fmt: skip
def test_prefixes_keep_the_first_characters(column, lengths, expected):
    """As they are written, and the top keeps none."""
    found = prefix_hierarchy(column, lengths)
    assert shown(found) == expected
    assert len(groups(found, found.levels - 1)) == 1


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
