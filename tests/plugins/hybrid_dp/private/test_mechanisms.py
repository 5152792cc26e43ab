"""ε and δ are what OpenDP's maps say, and what is drawn bears them out."""

from fractions import Fraction
from math import exp, nextafter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidguard_hybrid_dp.noise.checking import epsilon_bound
from qidguard_hybrid_dp.private.mechanisms import (
    OpenDPMechanisms,
    SeededMechanisms,
    choice_map,
    choice_scale,
    counts_map,
    laplace_scale,
    smallest_threshold,
    threshold_map,
)
from qidguard_hybrid_dp.private.plan import LEAST_EPSILON, MOST_EPSILON

EPSILONS = st.fractions(min_value=Fraction(1, 100), max_value=10)
EXTREMES = st.sampled_from([LEAST_EPSILON, Fraction(1, 10**6), Fraction(10**4), MOST_EPSILON])
DRAWS = 60_000

DRAWN_ANEW = pytest.param(OpenDPMechanisms(), marks=pytest.mark.slow)
"""OpenDP takes no seed: what it draws is asked about in the whole check, within six standard errors."""


@given(epsilon=EPSILONS | EXTREMES)
def test_the_map_of_a_scale_never_oversteps_epsilon(epsilon):
    """Neither for counts nor for a choice; and the scale is the next float or so above 1/ε and 2/ε."""
    for scale, times, mapped in (
        (laplace_scale(epsilon), 1, counts_map),
        (choice_scale(epsilon), 2, choice_map),
    ):
        assert Fraction(mapped(scale)) <= epsilon
        assert Fraction(scale) * epsilon >= times
        assert scale <= float(times / epsilon) * (1 + 1e-14)


@given(epsilon=EPSILONS, delta=st.sampled_from([Fraction(1, 10**power) for power in (2, 5, 9)]))
def test_the_threshold_is_the_smallest_that_holds_delta(epsilon, delta):
    """The map holds ε and δ at it, not one below; P(1 + noise > t) = p^t / (1 + p) is at most δ."""
    scale = laplace_scale(epsilon)
    threshold = smallest_threshold(scale, delta)
    assert Fraction(threshold_map(scale, threshold)[0]) <= epsilon
    assert Fraction(threshold_map(scale, threshold)[1]) <= delta
    if threshold > 1:
        assert Fraction(threshold_map(scale, threshold - 1)[1]) > delta
    stay = exp(-1 / scale)
    assert stay**threshold / (1 + stay) <= float(delta) * (1 + 1e-9)


@pytest.mark.parametrize("mechanisms", [DRAWN_ANEW, SeededMechanisms(3)], ids=["opendp", "rehearsed"])
def test_counts_are_the_counts_with_laplace_noise_of_the_scale(mechanisms):
    """Their mean is right to 6 standard errors, and so is their spread 2p / (1 − p)²."""
    scale = 3.0
    noise = mechanisms.counts(np.arange(DRAWS), DRAWS, scale) - 1
    stay = exp(-1 / scale)
    variance = 2 * stay / (1 - stay) ** 2
    assert abs(noise.mean()) <= 6 * (variance / DRAWS) ** 0.5
    assert abs((noise**2).mean() - variance) <= 6 * (6 * variance**2 / DRAWS) ** 0.5


@pytest.mark.parametrize("mechanisms", [DRAWN_ANEW, SeededMechanisms(4)], ids=["opendp", "rehearsed"])
def test_neighboring_tables_differ_by_epsilon_and_hardly_less(mechanisms):
    """One record more or less: what draws prove of ε = 1 lies between 0.85 and 1 of it."""
    scale = laplace_scale(Fraction(1))
    drawn = (counts.astype(float) for counts in neighbors(mechanisms, scale))
    assert 0.85 <= epsilon_bound(*drawn, level=1e-9).epsilon <= 1


def test_a_scale_too_small_is_caught():
    """Noise of three quarters of the scale proves that it is not ε = 1."""
    found = epsilon_bound(*(counts.astype(float) for counts in neighbors(SeededMechanisms(8), 0.75)))
    assert found.epsilon > 1


def neighbors(mechanisms, scale):
    """Return noisy counts of cells without a record, and of cells with one."""
    empty = mechanisms.counts(np.zeros(0, dtype=np.int64), DRAWS, scale)
    return empty, mechanisms.counts(np.arange(DRAWS), DRAWS, scale)


@pytest.mark.slow
@pytest.mark.parametrize("mechanisms", [DRAWN_ANEW, SeededMechanisms(5)], ids=["opendp", "rehearsed"])
def test_a_category_that_occurs_once_appears_with_delta_at_most(mechanisms):
    """100,000 categories of one record each: as many appear as δ says, which is OpenDP's own map."""
    scale, threshold, draws = 2.0, 4, 100_000
    delta = threshold_map(scale, threshold)[1]
    found = mechanisms.frequent(np.arange(draws), scale, threshold)
    assert min(found.values()) > threshold
    assert abs(len(found) / draws - delta) <= 6 * (delta * (1 - delta) / draws) ** 0.5


@pytest.mark.parametrize("mechanisms", [DRAWN_ANEW, SeededMechanisms(6)], ids=["opendp", "rehearsed"])
def test_a_frequent_category_is_found_and_none_that_does_not_occur(mechanisms):
    """1,000 records of one code and one of another, at a threshold between."""
    codes = np.array([7] * 1000 + [9])
    found = mechanisms.frequent(codes, 1.0, 50)
    assert list(found) == [7]
    assert abs(found[7] - 1000) <= 40


@pytest.mark.slow
@pytest.mark.parametrize("mechanisms", [DRAWN_ANEW, SeededMechanisms(7)], ids=["opendp", "rehearsed"])
def test_the_choice_is_permute_and_flip(mechanisms):
    """Of two scores 1 apart the lower one is chosen in e^(−1/scale) / 2 of the draws."""
    scale, draws = 2.0, 4000
    chosen = sum(mechanisms.highest(np.array([5, 6]), scale) == 0 for _ in range(draws))
    expected = exp(-1 / scale) / 2
    assert abs(chosen / draws - expected) <= 6 * (expected * (1 - expected) / draws) ** 0.5


def test_a_rehearsal_repeats_by_its_seed_and_opendp_does_not():
    """Whoever rehearses may draw again; nobody may draw OpenDP's noise again."""
    codes = np.arange(500)
    assert (
        SeededMechanisms(1).counts(codes, 500, 5.0).tolist()
        == SeededMechanisms(1).counts(codes, 500, 5.0).tolist()
    )
    assert (
        SeededMechanisms(1).counts(codes, 500, 5.0).tolist()
        != SeededMechanisms(2).counts(codes, 500, 5.0).tolist()
    )
    assert (
        OpenDPMechanisms().counts(codes, 500, 5.0).tolist()
        != OpenDPMechanisms().counts(codes, 500, 5.0).tolist()
    )


def test_a_scale_below_what_is_claimed_is_caught_by_the_map():
    """The next float below 1/ε costs more than ε in exact numbers."""
    scale = nextafter(laplace_scale(Fraction(1, 3)), 0)
    assert Fraction(scale) * Fraction(1, 3) < 1 or Fraction(counts_map(scale)) > Fraction(1, 3)
