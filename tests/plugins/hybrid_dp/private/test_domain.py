"""Cells are declared: what a table holds decides nothing about them."""

from datetime import date
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from private_tables import numbers, texts
from qidguard.sdk import ValueType
from qidguard_hybrid_dp.private.domain import Bins, Categories

REAL = ValueType.NUMBER


def whole(low, high, bins, kind=ValueType.INTEGER):
    """Return bins of whole numbers."""
    return Bins(name="age", bounds=(Fraction(low), Fraction(high)), bins=bins, value_type=kind)


def test_what_is_missing_or_undeclared_shares_the_last_cell():
    """A category that nobody declared is counted as any other of its kind, and published as none."""
    domain = Categories(name="sex", values=("f", "m"))
    codes = domain.codes(texts("sex", ["m", None, "f", "x", "m"]))
    assert codes.tolist() == [1, 2, 0, 2, 1]
    assert domain.cells == 3
    assert domain.drawn(np.array([0, 2, 1]), np.random.default_rng(0)) == ["f", None, "m"]


@pytest.mark.parametrize(
    ("domain", "values", "codes"),
    [
        # numbers outside the bounds are counted in the outer bins, what is missing in a cell of its own
        (whole(10, 29, 2), [3, 10, 19, 20, 29, 95, None], [0, 0, 0, 1, 1, 1, 2]),
        # infinite numbers are beyond the bounds, and NaN is missing
        (whole(0, 9, 3, REAL), [1.5, float("inf"), float("-inf"), float("nan")], [0, 2, 0, 3]),
        # all equal and empty columns have cells too
        *((whole(0, 9, 3, kind), [4, 4, 4], [1, 1, 1]) for kind in (ValueType.INTEGER, REAL)),
        *((whole(0, 9, 3, kind), [None], [3]) for kind in (ValueType.INTEGER, REAL)),
    ],
)
def test_bins_are_where_the_bounds_say(domain, values, codes):
    """Cells do not depend on the values."""
    assert domain.codes(numbers("age", values, domain.value_type)).tolist() == codes


def test_whole_numbers_have_no_more_bins_than_numbers():
    """Three numbers make three bins, however many are asked for; twenty are cut in tens."""
    assert (whole(1, 3, 16).cells, whole(1, 3, 16).edges.tolist()) == (4, [1, 2, 3, 4])
    assert whole(10, 29, 2).edges.tolist() == [10, 20, 30]


@given(
    low=st.integers(-50, 50),
    width=st.integers(1, 200),
    bins=st.integers(1, 40),
    seed=st.integers(0, 9),
    kind=st.sampled_from([ValueType.INTEGER, ValueType.NUMBER]),
)
def test_a_drawn_number_stands_in_its_own_bin(low, width, bins, seed, kind):
    """What is drawn for a cell is counted in that cell, and lies within the bounds."""
    domain = whole(low, low + width, bins, kind)
    cells = np.arange(domain.cells).repeat(5)
    drawn = domain.drawn(cells, np.random.default_rng(seed))
    again = domain.codes(numbers("age", drawn, kind))
    assert all(value is None or low <= value <= low + width for value in drawn)
    if kind is ValueType.INTEGER:
        assert again.tolist() == cells.tolist()
        assert all(value is None or isinstance(value, int) for value in drawn)
    else:  # a rounded number may be the end that two bins share
        assert np.abs(again - cells).max() <= 1


def test_dates_are_drawn_as_dates():
    """They are days since 1970."""
    drawn = whole(0, 1, 1, ValueType.DATE).drawn(np.array([0]), np.random.default_rng(1))
    assert drawn[0] in {date(1970, 1, 1), date(1970, 1, 2)}
