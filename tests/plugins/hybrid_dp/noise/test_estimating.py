"""A range that is privately estimated: its cost and choices; a range read off the data is caught."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidguard.sdk import AnonymizationTask, NotMeasurable, PrivacyGuarantee
from qidguard_hybrid_dp.noise.checking import epsilon_bound
from qidguard_hybrid_dp.noise.column import NoisedColumn, NoiseScale
from qidguard_hybrid_dp.noise.estimating import (
    OPENDP_QUANTILES,
    RangeEstimate,
    RehearsedQuantiles,
    estimated,
    quantiles_of,
)
from qidguard_hybrid_dp.noise.guarantee import noised_part
from qidguard_hybrid_dp.noise.laplace import SeededLaplace
from qidguard_hybrid_dp.noise.noised import noised

OUTER = NoisedColumn(name="hours", bounds=(Fraction(0), Fraction(1000)), step=Fraction(1))


def asked(epsilon=1, **more):
    """Return an estimate of the range of hours."""
    return RangeEstimate(outer=OUTER, epsilon=Fraction(epsilon), **more)


class Chosen:
    """A source that gives what it is told, and remembers what it was asked."""

    def __init__(self, *choices):
        self.choices, self.heard = list(choices), []

    def quantile(self, grid, candidates, share, scale):
        """Return the next choice."""
        self.heard.append((grid.tolist(), candidates, share, scale))
        return self.choices.pop(0)


def test_two_choices_make_the_range():
    """Values are clamped and rounded first, missing ones left out; a third of 300 is added at either side."""
    source = Chosen(100, 400)
    found = estimated(np.array([-5.0, 20.4, np.nan, np.inf]), asked(candidates=3), source)
    assert found.bounds == (0, 500)
    assert source.heard == [([0, 20, 1000], [0, 500, 1000], share, 4.0) for share in (0.1, 0.9)]


@pytest.mark.parametrize(
    ("values", "choices", "bounds"),
    [
        # ends out of order leave the outer range
        ([20.0], (400, 100), (0, 1000)),
        ([20.0], (100, 100), (0, 1000)),
        # from 100 to 940 nothing lies beside that is not within 0 and 1000
        ([20.0], (100, 940), (0, 1000)),
        ([20.0], (500, 800), (400, 900)),
        # without values nothing is chosen
        ([np.nan], (), (0, 1000)),
    ],
)
def test_a_range_has_two_ends_within_the_outer_bounds(values, choices, bounds):
    """Its margin ends there too."""
    assert estimated(np.array(values), asked(), Chosen(*choices)).bounds == bounds


@pytest.mark.slow
def test_both_sources_choose_alike():
    """OpenDP and the seed choose each of four candidates equally often, within six standard errors."""
    grid = np.array([5] * 4 + [30] * 3 + [70] * 3)
    rehearsed, many, candidates = RehearsedQuantiles(1, "hours"), 1500, [0, 20, 40, 100]
    for share in (0.5, 0.2):
        drawn = [
            [source.quantile(grid, candidates, share, 2.0) for _ in range(many)]
            for source in (OPENDP_QUANTILES, rehearsed)
        ]
        counts = np.array([np.bincount(one, minlength=101)[candidates] for one in drawn])
        spread = np.sqrt(2 * np.maximum(counts.mean(axis=0), 1))
        assert (np.abs(counts[0] - counts[1]) <= 6 * spread).all()


@given(st.fractions("1/1000", 50, max_denominator=1000), st.integers(1, 10**6), st.integers(0, 100))
def test_the_scale_gives_each_end_half_of_epsilon(epsilon, records, percent):
    """OpenDP's map for one changed value is half of ε, but for the last digits of a float."""
    estimate = asked(epsilon, candidates=3)
    loss = OPENDP_QUANTILES.loss(records, estimate.points, percent / 100, estimate.scale)
    assert abs(loss - epsilon / 2) <= epsilon / 10**12


@pytest.mark.parametrize("epsilon", ["147/29", "1", "1/3"])
def test_what_is_drawn_never_exceeds_it(epsilon):
    """Where OpenDP's map is above half of ε in its last digits, the scale grows until it is not."""
    heard = []

    class Heard(type(OPENDP_QUANTILES)):
        def quantile(self, grid, candidates, share, scale):
            heard.append(self.loss(len(grid), candidates, share, scale))
            return super().quantile(grid, candidates, share, scale)

    estimated(np.arange(100.0), asked(epsilon), Heard())
    assert len(heard) == 2
    assert all(loss <= Fraction(epsilon) / 2 for loss in heard)


def test_it_fits_a_guarantee_before_anything_is_drawn():
    """The estimate is a part of its own, for all records; noise is told in widths of the range."""
    estimate = asked("1/2")
    parts = [
        estimate.noised_part(epsilon=Fraction(epsilon), partition=name)
        for name, epsilon in (("violating", 3), ("other", 5))
    ]
    own = (estimate.part(), *parts)
    assert PrivacyGuarantee(parts=own, are_partitions_public=True).cost.epsilon == Fraction(11, 2)
    assert PrivacyGuarantee(parts=own).cost.epsilon == Fraction(17, 2)
    told = [(part.scale, part.reach, part.bounds) for part in parts]
    assert told == [(Fraction(1, 3), 1, None), (Fraction(1, 5), 1, None)]
    assert "Both cost every record ε = 0.5 beside its own noise" in estimate.words


@given(st.integers(1, 1000), st.fractions("1/100", 10, max_denominator=1000))
def test_noise_is_never_less_than_told_in_widths(width, epsilon):
    """Whatever range is found, the scale that is drawn is at least 1/ε of its width."""
    found = NoisedColumn(name="hours", bounds=(Fraction(0), Fraction(width)), step=Fraction(1))
    drawn = noised_part(found, epsilon=epsilon, scale=NoiseScale.RANGE)
    assert drawn.scale / width >= asked().noised_part(epsilon=epsilon).scale


@pytest.mark.slow
def test_the_whole_keeps_the_sum_and_a_range_read_off_does_not():
    """Three values, one unknown: all that is published of them, by estimate and noise, within ε = 1 + 1."""
    estimate = asked(candidates=5)
    quantiles, noise = RehearsedQuantiles(3, "hours"), SeededLaplace(3, "hours", "")

    def run(unknown, find):
        numbers = np.array([unknown, 400.0, 600.0])
        given_ = {"epsilon": Fraction(1), "scale": NoiseScale.RANGE, "source": noise}
        return noised(numbers, find(numbers), **given_).numbers

    def private(numbers):
        return estimated(numbers, estimate, quantiles)

    def read_off(numbers):
        bounds = Fraction(int(numbers.min())), Fraction(int(numbers.max()))
        return NoisedColumn(name="hours", bounds=bounds, step=Fraction(1))

    for find, is_kept in ((private, True), (read_off, False)):
        runs = [np.array([run(unknown, find) for _ in range(800)]) for unknown in (0.0, 1000.0)]
        assert (epsilon_bound(*runs).epsilon <= 2) is is_kept


@pytest.mark.slow
def test_a_large_table_finds_its_range():
    """Deciles of values from 17 to 90 are about 24 and 83: a third of 59 beside each makes 5 to 102."""
    values = np.random.default_rng(1).integers(17, 91, 32_561).astype(float)
    low, high = estimated(values, asked("1/10"), OPENDP_QUANTILES).bounds
    assert 0 <= low <= 10
    assert 97 <= high <= 107


def test_only_a_rehearsal_has_a_seed():
    """A task that is published chooses by OpenDP."""
    for is_rehearsal in (False, True):
        task = AnonymizationTask(
            combinations=(("hours",),), entity=None, sensitive=(), seed=1, is_rehearsal=is_rehearsal
        )
        assert isinstance(quantiles_of(task, "hours"), RehearsedQuantiles) == is_rehearsal
        assert (quantiles_of(task, "hours") is OPENDP_QUANTILES) != is_rehearsal


@pytest.mark.parametrize(
    ("epsilon", "words"),
    [(0, "must be above 0"), (-1, "must be above 0"), (Fraction(1, 10**30), "of a size that can be drawn")],
)
def test_what_cannot_be_estimated_is_said(epsilon, words):
    """ε is checked before anything is drawn."""
    with pytest.raises(NotMeasurable, match=words):
        asked(epsilon)
