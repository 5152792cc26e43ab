"""Intervals of numbers: where they are cut, how they are written, and what does not nest."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from hierarchy_columns import groups, numbers, published, shown, texts
from qidguard.core.column import ValueType
from qidguard.core.errors import DataError
from qidguard.sdk import interval_hierarchy

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
