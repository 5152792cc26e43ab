"""Intervals of numbers, dates along the calendar, and prefixes of codes: where they are cut."""

from dataclasses import replace
from datetime import date
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from hierarchy_columns import groups, numbers, published, shown, texts
from qidguard.anonymizing.hierarchy.dates import automatic_dates
from qidguard.core.column import ValueType
from qidguard.core.errors import DataError
from qidguard.sdk import ColumnValues, date_hierarchy, interval_hierarchy, prefix_hierarchy

REAL = numbers(0.29, 0.3, 0.39, 0.7, kind=ValueType.NUMBER)


@pytest.mark.parametrize(
    ("column", "options", "expected"),
    [
        # of whole numbers both ends belong to it
        (numbers(-1, 0, 4, 5, 24, 25), {"widths": (5, 20)},
         [["[-5, -1]", "[0, 4]", "[0, 4]", "[5, 9]", "[20, 24]", "[25, 29]"],
          ["[-20, -1]", *["[0, 19]"] * 3, *["[20, 39]"] * 2]]),
        # of one whole number it is the number
        (numbers(3, 7), {"widths": (1,)}, [["3", "7"]]),
        # of real numbers the upper end does not belong to it, and a tenth is a tenth
        (REAL, {"widths": (0.1, 0.5)},
         [["[0.2, 0.3)", *["[0.3, 0.4)"] * 2, "[0.7, 0.8)"], [*["[0.0, 0.5)"] * 3, "[0.5, 1.0)"]]),
        (REAL, {"widths": (10, 20)}, [["[0.0, 10.0)"] * 4, ["[0.0, 20.0)"] * 4]),
        # the origin moves the cuts
        (numbers(16, 17, 21, 22), {"widths": (5,), "origin": 17},
         [["[12, 16]", "[17, 21]", "[17, 21]", "[22, 26]"]]),
        # what is coded below and above stays apart on every level, and no interval reaches over it
        (numbers(17, 18, 85, 88, 89, 99), {"widths": (10, 20), "bottom": 18, "top": 89},
         [["< 18", "[18, 19]", "[80, 88]", "[80, 88]", ">= 89", ">= 89"]] * 2),
        # cut points leave both ends open, and belong to the part above them
        (numbers(-3, 0, 9, 10, 50, 51), {"cuts": ((0, 10, 50), (0, 50))},
         [["< 0", "[0, 9]", "[0, 9]", "[10, 49]", ">= 50", ">= 50"],
          ["< 0", "[0, 49]", "[0, 49]", "[0, 49]", ">= 50", ">= 50"]]),
        (numbers(0.4, 0.5, 7, kind=ValueType.NUMBER), {"cuts": ((0.5, 7.5),)},
         [["< 0.5", "[0.5, 7.5)", "[0.5, 7.5)"]]),
    ],
)  # fmt: skip
def test_intervals_are_cut_and_written_so(column, options, expected):
    """On each level below the top, by widths or by cut points."""
    assert shown(interval_hierarchy(column, **options)) == expected


def test_what_is_no_finite_number_stays_apart():
    """Infinities, NaN and a suppressed cell are groups of their own below the top."""
    column = numbers("-inf", 1, 2, "inf", "nan", "*", kind=ValueType.NUMBER)
    for found in (interval_hierarchy(column, widths=(5,)), interval_hierarchy(column, cuts=((0,),))):
        assert groups(found, 1) == [{1}, {2, 3}, {4}, {5}, {6}]
        assert groups(found, 2) == [{1, 2, 3, 4, 5, 6}]
    assert published(interval_hierarchy(column, widths=(5,)), 1)[0] == "-inf"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({}, "the intervals of column 'c' need either widths or cut points"),
        ({"widths": (5,), "cuts": ((1,),)}, "the intervals of column 'c' need either widths or cut points"),
        ({"widths": (0,)}, "the width of an interval is above 0, not 0; widen it"),
        ({"widths": (5, 12)},
         "intervals of width 12 would separate what width 5 puts together; write a larger multiple of 5"),
        ({"widths": (5, 5)},
         "intervals of width 5 would separate what width 5 puts together; write a larger multiple of 5"),
        ({"widths": (5,), "bottom": 9, "top": 9}, "bottom is below top, and 9 is not below 9; change one"),
        ({"widths": (float("inf"),)}, "widths and cut points are finite numbers, not inf; name one"),
        ({"widths": (5,), "origin": float("nan")}, "widths and cut points are finite numbers, not nan"),
        ({"widths": (1e-300,)}, "intervals of width 1E-300 are too narrow for the column's range; widen"),
        ({"cuts": ((1, 1),)}, "cut points ascend, and on level 1 1 stands behind 1; sort them"),
        ({"cuts": ((),)}, "each level of cut points has at least one; name it, or leave the level out"),
        ({"cuts": ((0, 9), (5,))},
         ("level 2 cuts at 5, where level 1 does not, so it would separate what that puts together;"
          " add the point there")),
        ({"cuts": ((0,),), "top": 3}, "the cut points of column 'c' have open ends already; leave bottom"),
    ],
)  # fmt: skip
def test_what_does_not_nest_is_refused(options, sentence):
    """Each fault is one sentence with the rule and the remedy."""
    with pytest.raises(DataError) as error:
        interval_hierarchy(numbers(1, 2), **options)
    assert str(error.value).startswith(sentence)


def test_texts_have_no_intervals():
    """A column of texts is refused, and so is one of Booleans."""
    with pytest.raises(DataError, match=r"^intervals need numbers, and column 'c' holds text"):
        interval_hierarchy(texts("a"), widths=(5,))
    with pytest.raises(DataError, match="holds boolean"):
        interval_hierarchy(numbers(0, 1, kind=ValueType.BOOLEAN), widths=(5,))


TENTHS = st.integers(-400, 400).map(lambda n: n / 10)


@settings(max_examples=examples(100), deadline=None, derandomize=True, database=None)
@given(
    st.lists(TENTHS, min_size=1, max_size=8, unique=True),
    st.sampled_from([0.1, 0.2, 0.7, 1, 2.5]),
    st.integers(2, 5),
    st.sampled_from([0, 0.1, -3.3, 17]),
)
def test_intervals_agree_with_fractions(values, width, times, origin):
    """Two values are together exactly when floor((value − origin) / width) is the same, in fractions."""
    ordered = sorted(values)
    column = numbers(*ordered, kind=ValueType.NUMBER)
    wide = float(Fraction(str(width)) * times)
    found = interval_hierarchy(column, widths=(width, wide), origin=origin)
    for level, one in enumerate((width, wide), start=1):
        cells: dict[int, set[int]] = {}
        for code, value in enumerate(ordered, start=1):
            cell = (Fraction(str(value)) - Fraction(str(origin))) // Fraction(str(one))
            cells.setdefault(cell, set()).add(code)
        assert groups(found, level) == list(cells.values())


@pytest.mark.slow
def test_many_numbers_are_cut():
    """100,000 numbers, many of them on cuts."""
    found = interval_hierarchy(numbers(*range(100_000)), widths=(5, 10, 100))
    assert [len(names) - 1 for names in found.labels[1:4]] == [20_000, 10_000, 1_000]
    assert np.array_equal(np.bincount(found.groups[1])[1:], np.full(20_000, 5))


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
