"""The grid of a column: bounds, steps, and values put on it and read back."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidguard.sdk import NotMeasurable, ValueType
from qidguard_hybrid_dp.noise.column import NoisedColumn, noised_column


def column(low, high, step=1):
    """Return a column with these bounds."""
    return NoisedColumn(name="x", bounds=(Fraction(low), Fraction(high)), step=Fraction(step))


def test_values_go_to_the_nearest_step_and_halves_up():
    """From 10 to 20 by 5 there are three points; 12.5 goes to 15, and what lies outside to the bounds."""
    grid = column(10, 20, 5).grid(np.array([-np.inf, 9.0, 12.4, 12.5, 17.4, 21.0, np.inf]))
    assert grid.tolist() == [0, 0, 0, 1, 1, 2, 2]
    assert column(10, 20, 5).numbers(grid).tolist() == [10, 10, 10, 15, 15, 20, 20]


def test_points_are_the_floats_that_people_write():
    """Tenths from -0.3 to 0.3 read back as they are written, with no rest of a sum."""
    tenths = column("-3/10", "3/10", "1/10")
    assert tenths.numbers(np.arange(7)).tolist() == [-0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3]


@given(
    st.fractions(-1000, 1000, max_denominator=100),
    st.integers(1, 10**6),
    st.fractions("1/1000", 50, max_denominator=1000),
    st.data(),
)
def test_every_point_of_a_grid_stays(start, steps, step, data):
    """A point written as a float comes back as the same point, whatever the bounds and the step."""
    low = round(start / step) * step
    grid = column(low, low + steps * step, step)
    point = data.draw(st.integers(0, steps))
    assert grid.steps == steps
    assert grid.grid(np.array([float(low + point * step)])).tolist() == [point]
    assert grid.numbers(np.array([point])).tolist() == [float(low + point * step)]


@given(st.integers(-(10**6), 10**6), st.floats(-100, 100), st.integers(1, 20))
def test_one_step_apart_stays_one_step_apart(low, offset, steps):
    """Whole numbers apart are as many points apart: noise of the unit scale relies on it."""
    grid = column(low - 1000, low + 1000)
    first, second = grid.grid(np.array([low + offset, low + offset + steps])).tolist()
    assert second - first == steps or (low + offset) + steps - (low + offset) != steps


@pytest.mark.parametrize(
    ("value_type", "bounds", "step"),
    [
        (ValueType.INTEGER, (17, 90), 1),
        (ValueType.DATE, (0, 20000), 1),
        (ValueType.NUMBER, (0, 100000), 1),
        (ValueType.NUMBER, (0, 100), Fraction(1, 1024)),
        (ValueType.NUMBER, (Fraction(1, 10), 3), Fraction(1, 10 * 4096)),
        (ValueType.NUMBER, (0, Fraction(1, 10**9)), Fraction(1, 10**9 * 65536)),
    ],
)
def test_a_step_depends_on_type_and_bounds_alone(value_type, bounds, step):
    """Whole numbers and days have the step 1; others a fine one that divides 1 and both bounds."""
    found = noised_column("x", value_type, tuple(map(Fraction, bounds)))
    assert found.step == step


def test_a_declared_step_is_taken():
    """Halves from 0 to 10 make 20 steps."""
    found = noised_column("x", ValueType.NUMBER, (Fraction(0), Fraction(10)), Fraction(1, 2))
    assert found.steps == 20


@pytest.mark.parametrize(
    ("given_", "words"),
    [
        ((ValueType.INTEGER, None), "declare what it may hold: bounds that are read off the data"),
        ((ValueType.DATE, None), "in days since 1970-01-01"),
        ((ValueType.INTEGER, (90, 17)), "the lower one first, not 90 and 17"),
        ((ValueType.INTEGER, (17, 17)), "the lower one first, not 17 and 17"),
        ((ValueType.NUMBER, (17, 17)), "the lower one first, not 17 and 17"),
        ((ValueType.INTEGER, (Fraction(1, 2), 17)), "holds whole numbers"),
        ((ValueType.INTEGER, (0, 10), Fraction(1, 2)), "holds whole numbers"),
        ((ValueType.NUMBER, (0, 10), 3), "must be multiples of its step 3; widen them"),
        ((ValueType.NUMBER, (0, 10), 0), "step of 'x' must be above 0"),
        ((ValueType.NUMBER, (0, 10), -1), "step of 'x' must be above 0"),
        ((ValueType.NUMBER, (0, 10**16), 1), "declare a coarser step"),
        ((ValueType.NUMBER, (10**17, 10**17 + 10), 1), "declare a coarser step"),
        ((ValueType.TEXT, (0, 10)), "'x' holds text values"),
        ((ValueType.TIMESTAMP, (0, 10)), "publish a moment as its date"),
        ((ValueType.BOOLEAN, (0, 1)), "'x' holds boolean values"),
    ],
    ids=str,
)
def test_what_cannot_get_noise_is_said(given_, words):
    """Each mistake is one sentence with the column, the value and the way out."""
    value_type, bounds, *step = given_
    exact = None if bounds is None else tuple(map(Fraction, bounds))
    with pytest.raises(NotMeasurable) as told:
        noised_column("x", value_type, exact, *map(Fraction, step))
    assert words in str(told.value)
