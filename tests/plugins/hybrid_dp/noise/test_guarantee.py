"""The grid of a column, what noise on it guarantees, and what receipts say of it."""

from fractions import Fraction
from math import nextafter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidguard.sdk import NotMeasurable, PrivacyGuarantee, ValueType
from qidguard_hybrid_dp.noise.column import NoisedColumn, NoiseScale, noised_column
from qidguard_hybrid_dp.noise.guarantee import noised_part, scale_in_steps
from qidguard_hybrid_dp.noise.laplace import OPENDP
from qidguard_hybrid_dp.noise.receipt import describe, deviation_of, loss_of, staying_of, written

AGE = NoisedColumn(name="age", bounds=(Fraction(17), Fraction(90)), step=Fraction(1))
EPSILONS = st.fractions("1/1000", 100, max_denominator=10**6)


def grid_of(steps, step=Fraction(1)):
    """Return a column of so many steps from 0."""
    return NoisedColumn(name="x", bounds=(Fraction(0), steps * step), step=step)


@given(st.integers(1, 2**40), EPSILONS)
def test_the_map_never_exceeds_epsilon(steps, epsilon):
    """OpenDP's map over the range is at most ε exactly, and the next smaller scale would exceed it."""
    scale = scale_in_steps(grid_of(steps), epsilon, NoiseScale.RANGE)
    assert OPENDP.loss(steps, scale) <= epsilon < OPENDP.loss(steps, nextafter(scale, 0))


@given(st.integers(1, 10**6), st.integers(1, 10**4), EPSILONS)
def test_the_map_of_a_unit_never_exceeds_epsilon(width, fineness, epsilon):
    """At unit scale the map over one unit is at most ε, for any step that divides 1."""
    column = grid_of(width * fineness, Fraction(1, fineness))
    scale = scale_in_steps(column, epsilon, NoiseScale.UNIT)
    assert OPENDP.loss(fineness, scale) <= epsilon < OPENDP.loss(fineness, nextafter(scale, 0))


@given(st.integers(1, 2**30), st.fractions("1/100", 10, max_denominator=100), EPSILONS)
def test_a_part_is_exact(steps, step, epsilon):
    """The cost of a part at range scale is the ε that was asked for, and its scale at least width / ε."""
    part = noised_part(grid_of(steps, step), epsilon=epsilon, scale=NoiseScale.RANGE, partition="other")
    assert part.cost.epsilon == part.epsilon == epsilon
    assert part.scale * epsilon >= part.reach == steps * step
    assert part.scale * epsilon < part.reach * Fraction(1000001, 1000000)
    assert loss_of(part, grid_of(steps, step)) <= epsilon


def test_a_quotient_of_floats_overshoots():
    """Why the scale is rounded up: 73 / 0.1 in floats has a map above a tenth."""
    assert OPENDP.loss(73, 73 / 0.1) > Fraction(1, 10)
    assert OPENDP.loss(73, scale_in_steps(AGE, Fraction(1, 10), NoiseScale.RANGE)) <= Fraction(1, 10)


def part(scale, epsilon=3, partition="violating"):
    """Return noise on ages."""
    return noised_part(AGE, epsilon=Fraction(epsilon), scale=scale, partition=partition)


def test_the_two_scales_side_by_side():
    """Ages 17 to 90 at ε = 3: ε = 3 for the value, or 3 a year, which is 219 over the range.

    From 0 to a half the scale 1/ε costs ε/2 over the whole range, so that nothing is by distance.
    """
    parts = part(NoiseScale.RANGE), part(NoiseScale.UNIT, partition="other")
    half = noised_part(grid_of(5, Fraction(1, 10)), epsilon=Fraction(3), scale=NoiseScale.UNIT)
    costs = [(one.cost.epsilon, one.is_by_distance) for one in (*parts, half)]
    assert costs == [(3, False), (219, True), (Fraction(3, 2), False)]
    assert half.scale >= Fraction(1, 3)
    assert PrivacyGuarantee(parts=parts).cost.epsilon == 222
    assert PrivacyGuarantee(parts=parts, are_partitions_public=True).cost.epsilon == 219


def test_noise_in_words():
    """Scale, deviation, bounds, the map, and ε for any value; of one year, and what the whole range costs."""
    assert describe(part(NoiseScale.RANGE), AGE) == (
        "'age' in partition 'violating': discrete Laplace noise of scale 24.33 (standard deviation 34.41) in"
        " steps of 1, clamped to 17..90 before and after. OpenDP's map for values 73 apart is 3: ε = 3"
        " wherever the value lies between the bounds. Nothing published is more than e^ε = 20.09 times as"
        " probable for one true value as for another."
    )
    words = describe(part(NoiseScale.UNIT), AGE)
    assert "OpenDP's map for values 1 apart is 3: two values 1 apart cost ε = 3, and more" in words
    assert words.endswith("over the whole range it is 219, and that is charged.")


@pytest.mark.parametrize("scale", NoiseScale)
def test_a_rehearsal_says_that_it_protects_nobody(scale):
    """No map of a mechanism that did not draw is printed."""
    words = describe(part(scale), AGE, is_rehearsal=True)
    assert "This rehearsal draws it by the seed and protects nobody. In a release " in words
    assert "map" not in words


def test_deviation_and_share_that_stays_by_summing_up():
    """Both agree with sums over the probabilities of whole numbers."""
    p = float(2.718281828459045 ** (-3 / 73))
    weight = {n: (1 - p) / (1 + p) * p ** abs(n) for n in range(-2000, 2001)}
    noise = part(NoiseScale.RANGE)
    assert deviation_of(noise, AGE) == pytest.approx(sum(n * n * w for n, w in weight.items()) ** 0.5)
    assert staying_of(noise, AGE) == pytest.approx(weight[0])
    assert staying_of(part(NoiseScale.UNIT), AGE) == pytest.approx(0.9051, abs=1e-4)


@pytest.mark.parametrize(
    ("number", "text"),
    [("3", "3"), ("-17", "-17"), ("1/10", "0.1"), ("1/3", "1/3"), ("1/4096", "0.000244140625")],
)
def test_numbers_as_people_write_them(number, text):
    """Decimals where they are exact, else fractions."""
    assert written(Fraction(number)) == text


@pytest.mark.parametrize("scale", NoiseScale)
@pytest.mark.parametrize(
    ("epsilon", "words"),
    [
        (Fraction(0), "must be above 0, not 0"),
        (Fraction(-1, 3), "must be above 0, not -1/3"),
        (Fraction(10**400), "asks for noise of 10^-"),
        (Fraction(1, 10**400), "can be drawn"),
    ],
    ids=["zero", "negative", "huge", "tiny"],
)
def test_an_epsilon_without_a_scale_is_said(epsilon, scale, words):
    """ε must be positive, and its scale one that can be drawn."""
    with pytest.raises(NotMeasurable) as told:
        noised_part(AGE, epsilon=epsilon, scale=scale)
    assert words in str(told.value)


def test_a_unit_must_be_a_whole_number_of_steps():
    """By fives nothing is one year apart, so the unit scale is refused; by halves it is not."""
    fives = NoisedColumn(name="age", bounds=(Fraction(15), Fraction(90)), step=Fraction(5))
    with pytest.raises(NotMeasurable, match="declare a step that divides 1"):
        noised_part(fives, epsilon=Fraction(3), scale=NoiseScale.UNIT)
    assert noised_part(fives, epsilon=Fraction(3), scale=NoiseScale.RANGE).cost.epsilon == 3


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
