"""Posteriors against Bayes' rule written out, and the mass of noise against a sum over every noise."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidguard_hybrid_dp.evaluation.attacked import (
    UNSEEN,
    AttackedNoisyTable,
    PublishedCategory,
    PublishedNumber,
    ViolatingRecords,
    noised_mass,
)
from qidguard_hybrid_dp.evaluation.risk import (
    RiskFigures,
    RiskTargets,
    difference_of,
    drawn_knowledge,
    mean_of,
    paired,
    posteriors,
)

BOUNDS = (17, 25)
SETS = ({0}, {1}, {2}, {1, 2}, {0, 1, 2})
"""What the published codes of the category stand for."""
COVERS = np.array([[value in held for value in range(3)] for held in SETS])


def chance(true, published, scale):
    """Return the chance that a number is published, by adding up every noise."""
    alpha = np.exp(-1 / scale)
    return sum(
        (1 - alpha) / (1 + alpha) * alpha ** abs(noise)
        for noise in range(-300, 301)
        if min(max(true + noise, BOUNDS[0]), BOUNDS[1]) == published
    )


def by_hand(cells, ages, scales, violating, illness, target, known):
    """Return posteriors of each record and of each illness, in plain loops."""
    race, age, _ = target
    weights = []
    for cell, published, scale, is_violating in zip(cells, ages, scales, violating, strict=True):
        weight = 1.0
        if known[0]:
            weight *= race in SETS[cell]
            # values 1 and 2 are the rare ones
            weight *= is_violating == (race > 0)
        if known[1]:
            weight *= chance(age, published, scale)
        weights.append(weight)
    total = sum(weights)
    weights = [weight / total for weight in weights] if total else [1 / len(cells)] * len(cells)
    return weights, [sum(w for w, y in zip(weights, illness, strict=True) if y == one) for one in (0, 1)]


def number_of(low, high, **given):
    """Return published numbers by their ends."""
    ends = {"low": np.array(low, dtype=float), "high": np.array(high, dtype=float)}
    return PublishedNumber(name="age", **ends, **given)


def table_of(published, illness, **given):
    """Return a table of one category, and of numbers where they are given."""
    category = PublishedCategory(name="race", published=np.array(published), covers=COVERS)
    given = {"numbers": (), "row": np.arange(len(published)), **given}
    return AttackedNoisyTable(categories=(category,), sensitive=np.array(illness), **given)


def sought_in(race, illness, row):
    """Return one target whose race is known."""
    return RiskTargets(
        values=np.array([[float(race)]]), known=np.array([[True]]), sensitive=np.array([illness]),
        row=np.array([row]),
    )  # fmt: skip


ROW = st.tuples(st.integers(0, 4), st.integers(17, 25), st.booleans(), st.integers(0, 1))
rows = st.lists(ROW, min_size=1, max_size=6)
sought = st.tuples(st.integers(0, 2), st.integers(17, 25), st.integers(0, 1))


@given(rows, sought, st.sampled_from([(True, True), (True, False), (False, True)]), st.integers(0, 5))
def test_posteriors_are_those_of_bayes_rule(rows, target, known, at):
    """Noise of two scales, clamped ends, sets of values, a partition that ν tells or does not."""
    cells, ages, violating, illness = (list(one) for one in zip(*rows, strict=True))
    illness[0] = 1  # so that both values are a code
    scales = [8 / 3 if one else 8 / 5 for one in violating]
    own = at % len(rows)
    age = number_of(ages, ages, scale=np.array(scales), bounds=BOUNDS)
    partition = ViolatingRecords(violating=np.array(violating), rule={"race": np.array([False, True, True])})
    table = table_of(cells, illness, numbers=(age,), partition=partition)
    asked = RiskTargets(
        values=np.array([target[:2]], dtype=float), known=np.array([known]), sensitive=np.array([target[2]]),
        row=np.array([own]),
    )  # fmt: skip
    found = posteriors(table, asked)
    weights, by_illness = by_hand(cells, ages, scales, violating, illness, target, known)
    assert found.identity[0] == pytest.approx(weights[own], abs=1e-9)
    assert found.sensitive[0] == pytest.approx(by_illness[target[2]], abs=1e-9)
    assert found.surest[0] == pytest.approx(max(by_illness), abs=1e-9)


@pytest.mark.parametrize(
    ("table", "target", "identity", "sensitive"),
    [
        # four records of {1, 2} and two of 0: a target with 1 is one of four, and two of them are ill
        (table_of([3, 3, 3, 3, 0, 0], [1, 1, 0, 0, 0, 1]), (1, 1, 0), 0.25, 0.5),
        # who fits nowhere leaves the belief from before: the share of the value, and no record
        (table_of([0, 0, 0, 0], [1, 0, 0, 0]), (2, 1, -1), 0.0, 0.25),
        # a value that the release never had fits only what covers every value
        (table_of([4, 0, 3, 2], [1, 0, 0, 0]), (UNSEEN, 1, -1), 0.0, 1.0),
        # who is suppressed has no record to be found, and the sensitive value is still guessed
        (table_of([0, 0], [0, 1], row=np.array([0, -1, 1])), (0, 1, 1), 0.0, 0.5),
    ],
)
def test_posteriors_by_hand(table, target, identity, sensitive):
    """Of the target's own record, and of its sensitive value."""
    found = posteriors(table, sought_in(*target))
    assert (found.identity.tolist(), found.sensitive.tolist()) == ([identity], [sensitive])


def test_a_missing_number_goes_with_a_missing_cell_alone():
    """Noise leaves NULL where it is, so NULL tells as much as a value."""
    nan = float("nan")
    number = number_of([20, nan], [20, nan], scale=np.ones(2), bounds=BOUNDS)
    found = number.likelihood(np.array([20, nan]))
    assert found[1].tolist() == [0.0, 1.0]
    assert found[0, 1] == 0
    assert found[0, 0] > 0.4


def test_a_grid_of_halves_counts_in_its_own_steps():
    """A step of .5 and a scale of 1 are two steps of scale; an interval adds up what lies in it."""
    number = number_of([2.0, 1.5], [2.0, 2.5], scale=np.ones(2), step=0.5, bounds=(0, 10))
    alpha = np.exp(-0.5)
    exact = (1 - alpha) / (1 + alpha)
    assert number.likelihood(np.array([2.0]))[0] == pytest.approx([exact, exact * (1 + 2 * alpha)])


def test_known_values_are_drawn_for_every_target():
    """Each target has at least one, some have all; the same seed draws the same."""
    found = drawn_knowledge(300, 4, seed=1)
    assert set(found.sum(axis=1)) == {1, 2, 3, 4}
    assert np.array_equal(found, drawn_knowledge(300, 4, seed=1))
    assert not np.array_equal(found, drawn_knowledge(300, 4, seed=2))


def test_pairs_tell_more_than_two_groups():
    """Differences of the same targets have a narrow interval where the targets themselves differ widely."""
    plain_ones = np.linspace(0, 1, 50)
    ours = plain_ones - 0.01 + np.tile([0.001, -0.001], 25)
    assert paired(ours, plain_ones).sign < 0
    assert not difference_of(ours, plain_ones).sign < 0
    low = 0.5 - 1.96 * np.sqrt(0.5) / np.sqrt(2)
    assert mean_of(np.array([0.0, 1.0])).low == pytest.approx(low, abs=1e-3)


def test_figures_of_a_table():
    """A target in a class of two stands above 1/3 and not above 1/2; the sensitive value is a coin."""
    found = posteriors(table_of([3, 3, 0, 0], [1, 0, 0, 0]), sought_in(1, 1, 0))
    two, three = (RiskFigures(k=k, inside=found, outside=found) for k in (2, 3))
    assert (two.above, three.above) == (0.0, 1.0)
    assert (two.identity, two.sensitive, two.outsiders, two.excess.value) == (0.5, 0.5, 0.5, 0.0)
    assert two.largest == 0.5


FAR = 2000


def summed(true, low, high, scale, bounds):
    """Add up the probability of each noise that leads into the interval, one by one."""
    alpha = np.exp(-1 / scale)
    noises = np.arange(-FAR, FAR + 1)
    chances = (1 - alpha) / (1 + alpha) * alpha ** np.abs(noises)
    published = np.clip(np.clip(true, *bounds) + noises, *bounds)
    return chances[(low <= published) & (published <= high)].sum()


@given(st.integers(-3, 13), st.integers(0, 10), st.integers(0, 10), st.floats(0.2, 20))
def test_it_is_the_sum_over_all_noises(true, one, other, scale):
    """Inside, at both bounds and for true values that lie outside them."""
    low, high = min(one, other), max(one, other)
    found = noised_mass(
        np.array([float(true)]), np.array([float(low)]), np.array([float(high)]), scale=scale, bounds=(0, 10)
    )
    assert found[0, 0] == pytest.approx(summed(true, low, high, scale, (0, 10)), rel=1e-9)


def test_everything_published_adds_up_to_one():
    """The numbers from bound to bound have all the mass, the bounds that of their tails."""
    ends = np.arange(17.0, 91.0)
    found = noised_mass(np.array([17.0, 40.0, 90.0]), ends, ends, scale=14.6, bounds=(17, 90))
    assert found.sum(axis=1) == pytest.approx([1, 1, 1])
    assert found[0, 0] > 0.5


def test_a_far_tail_keeps_its_digits():
    """Forty scales away the mass is tiny, not 0: α^z (1 − α)/(1 + α)."""
    alpha = np.exp(-1.0)
    found = noised_mass(np.array([0.0]), np.array([40.0]), np.array([40.0]), scale=1, bounds=None)
    assert found[0, 0] == pytest.approx(alpha**40 * (1 - alpha) / (1 + alpha), rel=1e-12)


def test_without_noise_an_interval_holds_a_number_or_not():
    """A scale of 0 asks whether the number lies in the interval; both ends belong to it."""
    found = noised_mass(np.array([3.0, 5.0, 6.0]), np.array([3.0]), np.array([5.0]), scale=0, bounds=(0, 1))
    assert found.tolist() == [[1.0], [1.0], [0.0]]


def test_a_scale_below_zero_is_refused():
    """It says what it got."""
    with pytest.raises(ValueError, match="at least 0, not -1"):
        noised_mass(np.zeros(1), np.zeros(1), np.zeros(1), scale=-1, bounds=None)
