"""Noisy marginals agree afterward: one total, shared columns, nothing below 0."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidguard_hybrid_dp.private.consistent import agreed, consistent, non_negative
from qidguard_hybrid_dp.private.measuring import Marginal

COUNTS = st.lists(st.integers(-20, 50), min_size=1, max_size=8)


def star(seed, sizes=(3, 4), center=2, scales=(1.0, 2.0)):
    """Return noisy marginals of a star around ``y``."""
    random = np.random.default_rng(seed)
    return [
        Marginal(columns=("y", f"x{at}"), counts=random.integers(-5, 40, (center, size)), scale=scale)
        for at, (size, scale) in enumerate(zip(sizes, scales, strict=True))
    ]


@given(counts=COUNTS, total=st.floats(0, 200))
def test_non_negative_counts_are_the_nearest(counts, total):
    """They add up, and no other counts are nearer: moving some of one to another brings them farther off."""
    given_counts = np.array(counts, dtype=float)
    made = non_negative(given_counts, total)
    assert made.min() >= 0
    assert made.sum() == pytest.approx(total, abs=1e-9)
    gap = made - given_counts
    if total > 1e-6:
        # of a projection on the simplex the gap is one number where counts are left, and no less elsewhere
        assert np.ptp(gap[made > 1e-9]) <= 1e-6
        assert gap.min() >= gap[made > 1e-9].min() - 1e-6


def test_agreed_marginals_are_the_weighted_least_squares_solution():
    """An independent oracle solves the same with one matrix, weighted by precision."""
    marginals = star(0)
    sizes = [marginal.counts.shape for marginal in marginals]
    starts = np.cumsum([0, *(np.prod(shape) for shape in sizes)])
    cells = int(starts[-1])
    equal = np.zeros((2, cells))  # both tables have one count for each value of y
    for value in range(2):
        for at, shape in enumerate(sizes):
            first = int(starts[at]) + value * shape[1]
            equal[value, first : first + shape[1]] = 1 if at == 0 else -1
    weight = np.concatenate([np.full(np.prod(m.counts.shape), 1 / m.scale**2) for m in marginals])
    noisy = np.concatenate([m.counts.ravel() for m in marginals]).astype(float)
    inverse = np.diag(1 / weight)
    multipliers = np.linalg.solve(equal @ inverse @ equal.T, equal @ noisy)
    expected = noisy - inverse @ equal.T @ multipliers
    ours = np.concatenate([table.ravel() for table in agreed(marginals)])
    assert ours == pytest.approx(expected)


@given(seed=st.integers(0, 50), sizes=st.lists(st.integers(1, 5), min_size=1, max_size=4))
def test_consistent_marginals_agree_exactly_and_are_not_negative(seed, sizes):
    """Every pair adds up to the center's counts, value by value."""
    marginals = star(seed, sizes, 3, [1.0] * len(sizes))
    made = consistent(marginals, "y")
    for table in made.values():
        assert table.min() >= 0
    for columns, table in made.items():
        if len(columns) > 1:
            assert table.sum(axis=1) == pytest.approx(made[("y",)])


def test_a_chain_hangs_from_its_root():
    """Pairs may name the columns in either order, and parents come before their children."""
    marginals = [
        Marginal(columns=("c", "b"), counts=np.array([[9, 1], [2, 8]]), scale=1.0),
        Marginal(columns=("a", "b"), counts=np.array([[10, 1], [1, 8]]), scale=1.0),
    ]
    made = consistent(marginals, "a")
    assert list(made) == [("a",), ("a", "b"), ("b", "c")]
    assert made["b", "c"].sum(axis=1) == pytest.approx(made["a", "b"].sum(axis=0))


def test_without_noise_nothing_moves():
    """Counts that agree already stay as they are."""
    marginals = [
        Marginal(columns=("y", "x"), counts=np.array([[3, 1], [2, 4]]), scale=1.0),
        Marginal(columns=("y", "z"), counts=np.array([[4, 0, 0], [3, 2, 1]]), scale=1.0),
    ]
    made = consistent(marginals, "y")
    assert np.allclose(made["y", "x"], [[3, 1], [2, 4]])
    assert np.allclose(made["y", "z"], [[4, 0, 0], [3, 2, 1]])


def test_a_total_below_zero_is_zero():
    """Noise may say that there is nobody."""
    marginals = [Marginal(columns=("y",), counts=np.array([-4, 1]), scale=1.0)]
    assert consistent(marginals, "y")[("y",)].tolist() == [0, 0]
