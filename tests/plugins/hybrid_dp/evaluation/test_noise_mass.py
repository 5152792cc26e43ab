"""The mass of clamped discrete Laplace noise, against a sum over every noise there is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidguard_hybrid_dp.evaluation.noise_mass import noised_mass

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
