"""The test of ε: the right mechanism passes close to its claim, and each injected fault is caught."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from qidguard.sdk import k_anonymity_task, records_of, rehearse
from qidguard_hybrid_dp.noise.checking import LEVEL, epsilon_bound, examine_noise, pair_bound, scale_z
from qidguard_hybrid_dp.noise.column import NoisedColumn, NoiseScale
from qidguard_hybrid_dp.noise.laplace import OPENDP, SeededLaplace
from qidguard_hybrid_dp.noise.noised import noised

AGE = NoisedColumn(name="age", bounds=(Fraction(17), Fraction(90)), step=Fraction(1))
HOURS = NoisedColumn(name="hours", bounds=(Fraction(1), Fraction(99)), step=Fraction(1))
DOSE = NoisedColumn(name="dose", bounds=(Fraction(0), Fraction(1)), step=Fraction(1, 65536))


class TooLittle:
    """A source whose scale is too small by a factor."""

    def __init__(self, factor):
        self.source, self.factor = SeededLaplace(11, "age", "too little"), factor

    def draw(self, grid, scale):
        """Return grid points plus too little noise."""
        return self.source.draw(grid, scale / self.factor)


def publish(column, source, epsilon, scale=NoiseScale.RANGE):
    """Return the mechanism that adds noise from a source."""
    asked = {"epsilon": Fraction(epsilon), "scale": scale, "source": source}
    return lambda numbers: noised(numbers, column, **asked).numbers


def found(source, epsilon, scale=NoiseScale.RANGE, column=AGE):
    """Return the test of a source under a claim."""
    return examine_noise(
        publish(column, source, epsilon, scale), column, epsilon=Fraction(epsilon), scale=scale
    )


@pytest.mark.samples(9)
@pytest.mark.parametrize("scale", NoiseScale)
@pytest.mark.parametrize("epsilon", ["1/2", "1", "2", "3"])
@pytest.mark.parametrize("column", [AGE, DOSE], ids=["whole", "fine"])
def test_the_right_mechanism_comes_close_to_its_claim(column, epsilon, scale):
    """The bound lies between .85 and 1 of the claim, and the scale seems right."""
    test = found(SeededLaplace(5, "age", ""), epsilon, scale, column)
    assert 0.85 * test.claim <= test.bound.epsilon <= test.claim
    assert test.is_claim_kept
    assert test.is_scale_right


@pytest.mark.slow
@pytest.mark.parametrize("scale", NoiseScale)
@pytest.mark.parametrize("epsilon", ["1/2", "1", "3"])
def test_opendp_comes_close_to_its_claim(epsilon, scale):
    """What is published draws from OpenDP: the same test without a seed."""
    test = found(OPENDP, epsilon, scale)
    assert 0.85 * test.claim <= test.bound.epsilon <= test.claim
    assert test.is_scale_right


@pytest.mark.parametrize("scale", NoiseScale)
@pytest.mark.parametrize("epsilon", [1, 2, 3])
def test_a_scale_too_small_is_caught(epsilon, scale):
    """A tenth too small breaks the bound; a twentieth shows in the scale."""
    assert not found(TooLittle(1.10), epsilon, scale).is_claim_kept
    assert not found(TooLittle(1.05), epsilon, scale).is_scale_right
    assert not found(TooLittle(1 / 1.05), epsilon, scale).is_scale_right


def test_unit_scale_sold_as_range_is_caught():
    """Noise of the scale 1/ε tells 17 from 90 nearly always."""
    sold = publish(AGE, SeededLaplace(5, "age", ""), 3, NoiseScale.UNIT)
    test = examine_noise(sold, AGE, epsilon=Fraction(3), scale=NoiseScale.RANGE)
    assert test.bound.epsilon > 2 * test.claim
    assert not test.is_claim_kept


def test_bounds_read_from_the_data_are_caught():
    """Beside ages 40 and 50 the range that is read off tells whether the third is 17 or 90."""
    generator = np.random.default_rng(5)

    def peeking(numbers):
        low, high = numbers.min(), numbers.max()
        scale = (high - low) / 3
        return np.clip(numbers + np.rint(generator.laplace(scale=scale, size=3)), low, high)

    runs = [np.array([peeking(np.array([age, 40.0, 50.0])) for _ in range(2000)]) for age in (17, 90)]
    assert epsilon_bound(*runs).epsilon > 3
    declared = publish(AGE, SeededLaplace(5, "age", ""), 3)
    right = [declared(np.tile([age, 40.0, 50.0], 2000)).reshape(-1, 3) for age in (17, 90)]
    assert epsilon_bound(*right).epsilon <= 3


def test_a_seed_that_every_run_takes_again_is_caught():
    """Two runs for one person, whose age is declared anew in between: the difference has no noise left."""

    def twice(again):
        def published(numbers):
            runs = [publish(AGE, SeededLaplace(7, "age", again and again + run), 1) for run in ("1", "2")]
            return np.column_stack([run(values) for run, values in zip(runs, numbers.T, strict=True)])

        return pair_bound(published, (AGE, AGE), draws=20_000)

    assert twice("").epsilon > 2
    assert 1.5 < twice("run ").epsilon <= 2
    assert "−" in twice("").event


def test_a_run_that_draws_one_number_is_caught():
    """The same noise in every draw is no noise: one event has one input only."""

    def same(numbers):
        by = SeededLaplace(7, "age", "").draw(np.zeros(1, dtype=np.int64), 73.0)[0]
        return np.clip(numbers + by, 17, 90)

    assert not examine_noise(same, AGE, epsilon=Fraction(1), scale=NoiseScale.RANGE).is_claim_kept


@pytest.mark.samples(1)
@pytest.mark.parametrize("epsilon", [1, 3])
def test_noise_shared_by_two_attributes_is_caught(epsilon):
    """Age and hours with the same noise: opposite corners tell; with noise of their own they keep 2 ε."""

    def both(shared):
        def published(numbers):
            columns = zip((AGE, HOURS), numbers.T, strict=True)
            return np.column_stack(
                [
                    publish(column, SeededLaplace(7, "" if shared else column.name, ""), epsilon)(values)
                    for column, values in columns
                ]
            )

        return pair_bound(published, (AGE, HOURS)).epsilon

    assert both(shared=True) > 2 * epsilon >= both(shared=False)


def test_clopper_and_pearson_by_scipy():
    """300 of 1,000 against 100 on the half that counts: the same bounds as scipy's intervals."""
    first = np.tile([0.0] * 300 + [1.0] * 700, 2)
    second = np.tile([0.0] * 100 + [1.0] * 900, 2)
    low, high = (
        stats.binomtest(hits, 1000).proportion_ci(confidence_level=1 - LEVEL, method="exact")
        for hits in (300, 100)
    )
    bound = epsilon_bound(first, second)
    assert bound.event == "number 1 at most 0"
    assert bound.epsilon == pytest.approx(max(0.0, np.log(low.low / high.high)), abs=1e-9)


@pytest.mark.parametrize("scale", [0.8, 3.0, 50.0])
def test_the_score_is_the_slope_of_the_likelihood(scale):
    """The sum over the probabilities of 0..steps, differentiated by hand, and a mean of 0."""
    steps, bump = 7, 1e-6

    def log_weights(at):
        p = np.exp(-1 / at)
        weights = np.array([(1 - p) / (1 + p) * p**n for n in range(steps)])
        return np.log(np.append(np.append(1 / (1 + p), weights[1:]), p**steps / (1 + p)))

    slope = (log_weights(scale * (1 + bump)) - log_weights(scale * (1 - bump))) / (2 * bump)
    away = np.repeat(np.arange(steps + 1), [60, 19, 8, 7, 6, 5, 4, 30])
    expected = slope[away].sum() / np.sqrt((slope[away] ** 2).sum())
    assert scale_z(away, steps, scale) == pytest.approx(expected, rel=1e-5)
    assert np.exp(log_weights(scale)) @ slope == pytest.approx(0, abs=1e-6)


def test_noise_that_is_too_rare_is_not_judged_by_its_scale():
    """At ε = 50 a unit a hundred thousand draws leave every value where it was."""
    test = found(SeededLaplace(5, "age", ""), 50, NoiseScale.UNIT)
    assert (test.z, test.is_scale_right, test.is_claim_kept) == (None, True, True)


METHOD = (
    "hybrid_dp[bounds={age: [17, 90], hours: [1, 99]}, epsilon_violating=1, epsilon_other=1,"
    " public_membership={race: White}]"
)
PEOPLE = 10_000


def published(ages, hours, races):
    """Return ages and hours as a rehearsal publishes them, shape (records, 2), in the order of races."""
    frame = pd.DataFrame({"age": ages.astype(int), "hours": hours.astype(int), "race": races})
    records = records_of(frame)
    task = k_anonymity_task(2, ["age", "hours", "race"])
    done = rehearse(records, METHOD, task).done
    columns = [
        np.array(done.columns[name].values, dtype=float)[done.columns[name].codes]
        for name in ("age", "hours")
    ]
    race = records.column("race")
    order = np.argsort(race.codes, kind="stable")  # Black before White
    return np.column_stack(columns)[order]


@pytest.mark.slow
def test_two_columns_have_noise_of_their_own():
    """Age and hours of a record together lose at most 2 ε, whichever corners they come from."""

    def mechanism(numbers):
        return published(*numbers.T, ["White"] * len(numbers))

    assert 1.5 < pair_bound(mechanism, (AGE, HOURS), draws=PEOPLE).epsilon <= 2


@pytest.mark.slow
def test_two_partitions_have_noise_of_their_own():
    """The ages of two persons in different partitions together lose at most 2 ε."""

    def mechanism(numbers):
        people = len(numbers)
        done = published(
            numbers.T.ravel(), np.full(2 * people, 40.0), ["Black"] * people + ["White"] * people
        )
        return np.column_stack([done[:people, 0], done[people:, 0]])

    assert 1.5 < pair_bound(mechanism, (AGE, AGE), draws=PEOPLE).epsilon <= 2
