import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard_qidlearning.searches.breeding import (
    Rates,
    children,
    crossed,
    first_generation,
    mutated,
    tournament,
)
from qidguard_qidlearning.searches.space import SetSpace

SPACE = SetSpace(candidates=tuple("abcdefgh"), largest=5)


@settings(max_examples=examples(50), deadline=None, derandomize=True, database=None)
@given(st.integers(1, 12), st.integers(0, 999))
def test_crossover_exchanges_tails(size, seed):
    """Head of one, tail of the other, at one point inside; together the children have the parents' bits."""
    rng = np.random.default_rng(seed)
    one, other = rng.random((2, size)) < 0.5
    first, second = crossed(one, other, 1.0, rng)
    assert [sorted(pair) for pair in zip(one, other, strict=True)] == [
        sorted(pair) for pair in zip(first, second, strict=True)
    ]
    ways = [(one[:p].tolist() + other[p:].tolist()) for p in range(1, size)] or [one.tolist()]
    assert first.tolist() in ways


@pytest.mark.parametrize("rate", [0.0, 0.3, 1.0])
def test_rates_are_probabilities(rate):
    """Of 4,000 pairs and bits the stated share is crossed and flipped (4 sigma)."""
    rng = np.random.default_rng(1)
    ones, zeros = np.ones(8, bool), np.zeros(8, bool)
    shares = [
        sum(not crossed(ones, zeros, rate, rng)[0].all() for _ in range(4000)) / 4000,
        mutated(np.zeros(4000, bool), rate, rng).mean(),
    ]
    assert shares == pytest.approx([rate] * 2, abs=4 * (rate * (1 - rate) / 4000) ** 0.5 + 1e-12)


def test_parents_stay_as_they_are():
    """Children are copies."""
    rng = np.random.default_rng(0)
    one, other = np.ones(4, bool), np.zeros(4, bool)
    for child in (*crossed(one, other, 0.0, rng), mutated(one, 1.0, rng)):
        child[:] = True
    assert (one.all(), other.any()) == (True, False)


def test_a_tournament_is_won_by_the_best_drawn():
    """Of five ranks, two drawn at a time, rank r wins in (2(4 − r) + 1) / 25 of the tournaments."""
    rng = np.random.default_rng(2)
    won = np.bincount([tournament([4, 3, 2, 1, 0], 2, rng) for _ in range(5000)])
    assert won[::-1] / 5000 == pytest.approx([9 / 25, 7 / 25, 5 / 25, 3 / 25, 1 / 25], abs=0.03)


def test_a_generation_keeps_the_elite_and_repeats_nobody():
    """The kept sets come first; no set comes twice, none is empty or too large."""
    rng = np.random.default_rng(3)
    parents = first_generation(SPACE, 30, rng)
    assert len(set(parents)) == 30
    rates = Rates(crossover=0.9, mutation=0.05, candidates=8)
    bred = children(SPACE, parents, lambda: 0, rates, parents[:3], 4, rng)
    assert bred[:3] == parents[:3]
    assert len(set(bred)) == len(bred) == 30
    assert all(1 <= len(qids) <= 5 for qids in bred)


def test_a_space_smaller_than_a_generation_repeats():
    """Three sets are all there are; a generation of ten is made all the same."""
    space, rng = SetSpace(candidates=("a", "b"), largest=2), np.random.default_rng(0)
    parents = first_generation(space, 10, rng)
    rates = Rates(crossover=0.3, mutation=0.2, candidates=2)
    assert len(children(space, parents, lambda: 0, rates, parents[:1], 1, rng)) == 10
    assert len(set(parents)) == 3


@pytest.mark.parametrize(
    ("is_better", "crossover", "mutation"), [(True, (0.1, 0.3), (0.2, 0.5)), (False, (0.3, 0.9), (0.1, 0.2))]
)
def test_rates_follow_success_within_their_limits(is_better, crossover, mutation):
    """Success: bolder mutation, less crossover; none: the other way; both end at a limit."""
    rates = Rates(crossover=0.3, mutation=0.2, candidates=10)
    seen = []
    for _ in range(50):
        rates.adapt(is_better=is_better)
        seen.append((rates.crossover, rates.mutation))
    assert [round(rate, 12) for rate in seen[-1]] == ([0.1, 0.5] if is_better else [0.9, 0.1])
    assert all(crossover[0] <= c <= crossover[1] for c, _ in seen)
    assert all(mutation[0] <= m <= mutation[1] for _, m in seen)


@pytest.mark.parametrize(("candidates", "mutation"), [(1, 0.5), (2, 0.5), (14, 0.2), (300, 5 / 300)])
def test_a_wide_table_has_few_flips(candidates, mutation):
    """The paper's 0.2 would flip sixty columns of three hundred; five are the most on average."""
    assert mutation == Rates(crossover=0.3, mutation=0.2, candidates=candidates).mutation


def test_rates_that_do_not_adapt_stay_as_asked_for():
    """Even those outside the limits."""
    fixed = Rates(crossover=0.0, mutation=1.0, candidates=300, is_adaptive=False)
    fixed.adapt(is_better=True)
    assert (fixed.crossover, fixed.mutation) == (0.0, 1.0)
