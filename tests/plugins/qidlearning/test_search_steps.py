"""What searches are made of: neighbors, a climb, ranks by dominance, and breeding."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard.sdk import Termination
from qidguard.search.run import run_search
from qidguard_qidlearning.searches import space
from qidguard_qidlearning.searches.breeding import (
    Rates,
    children,
    crossed,
    distances,
    first_generation,
    fronts,
    mutated,
    places,
    tournament,
)
from qidguard_qidlearning.searches.space import SetSpace
from written_figures import Strategy, make_measurer, sum_of

FOUR = SetSpace(candidates=tuple("abcd"), largest=3)


def words(sets):
    """Return sets as words."""
    return ["".join(sorted(some)) for some in sets]


@pytest.mark.parametrize(
    ("word", "flips", "swaps"),
    [("a", "ab ac ad", "b c d"), ("ab", "b a abc abd", "bc bd ac ad"), ("abc", "bc ac ab", "bcd acd abd")],
)
def test_neighbors_are_never_empty_and_never_too_large(word, flips, swaps):
    """One column in or out, in the table's order; a swap keeps the size."""
    qids = frozenset(word)
    assert (words(FOUR.flips(qids)), words(FOUR.swaps(qids))) == (flips.split(), swaps.split())


def test_a_set_has_a_bit_for_each_candidate():
    """In the table's order."""
    assert FOUR.bits(frozenset("bd")).tolist() == [False, True, False, True]


def test_random_sets_have_every_size_equally_often():
    """Three sizes, a third each; every column as often as another."""
    rng = np.random.default_rng(0)
    drawn = [FOUR.random(rng) for _ in range(3000)]
    sizes = np.bincount([len(qids) for qids in drawn])
    columns = [sum(name in qids for qids in drawn) / 3000 for name in FOUR.candidates]
    assert sizes / 3000 == pytest.approx([0, 1 / 3, 1 / 3, 1 / 3], abs=0.03)
    assert sizes[0] == 0
    assert columns == pytest.approx([0.5] * 4, abs=0.03)


@pytest.mark.parametrize(
    ("bits", "sets"),
    [
        # an empty vector gets one column, a full one loses some; what fits stays
        ([False] * 4, "a b c d"),
        ([True] * 4, "abc abd acd bcd"),
        ([True, False, True, False], "ac"),
    ],
)
def test_bits_outside_the_space_are_mended(bits, sets):
    """In fifty draws every set that may come of them does."""
    rng = np.random.default_rng(0)
    assert sorted(set(words(FOUR.mended(np.array(bits), rng) for _ in range(50)))) == sets.split()


VALUES = {"a": 1, "b": 1, "c": 0, "ab": 3, "ac": 2, "bc": 4}


def climbed(start):
    """Climb from a set, with sets of up to two of three columns; return the top and the sets asked for."""
    tops = []

    def search(problem, _arguments, _seed):
        begin = problem.evaluate([frozenset(start)])[0]
        tops.append(space.climb(problem, space.SetSpace.of(problem), begin).qids)
        return Termination()

    measurer = make_measurer({"m": lambda qids: VALUES["".join(sorted(qids))]})
    run_search(measurer, sum_of({"m": 1}), Strategy(search), candidates="abc", largest=2)
    return words(tops)[0], words(measurer.asked)


def test_a_climb_tries_flips_and_then_swaps(monkeypatch):
    """From a to ab (3) by a flip, to bc (4) by a swap; from c to bc at once; with too many swaps it stays."""
    assert climbed("a")[0] == "bc"
    assert climbed("c") == ("bc", ["c", "ac", "bc", "b", "ab"])
    monkeypatch.setattr(space, "MOST_SWAPS", 1)
    assert climbed("a")[0] == "ab"


ROWS = st.lists(st.tuples(*[st.sampled_from([0.0, 0.5, 1.0, 2.0])] * 2), min_size=1, max_size=15)


def dominates(one, other):
    """Whether a row is nowhere lower and somewhere higher."""
    return one != other and all(a >= b for a, b in zip(one, other, strict=True))


@settings(max_examples=examples(100), deadline=None, derandomize=True, database=None)
@given(ROWS)
def test_a_rank_is_one_more_than_that_of_who_dominates_it(rows):
    """Held against the definition: the longest chain of dominating rows."""

    def rank(row):
        return max((rank(other) + 1 for other in rows if dominates(other, row)), default=0)

    assert [rank(row) for row in rows] == fronts(np.array(rows)).tolist()


@settings(max_examples=examples(100), deadline=None, derandomize=True, database=None)
@given(ROWS)
def test_places_are_a_ranking(rows):
    """Each place once, and a lower rank is always before a higher one."""
    found = places(np.array(rows))
    assert sorted(found) == list(range(len(rows)))
    ranks = fronts(np.array(rows))
    assert [ranks[i] for i in np.argsort(found)] == sorted(ranks)


LINE = [[0.0, 4.0], [1.0, 3.0], [3.0, 1.0], [4.0, 0.0]]


@pytest.mark.parametrize(
    ("values", "crowding", "order"),
    [
        # on a line 0, 1, 3, 4 the inner ones have (3 − 0)/4 and (4 − 1)/4 for each term; the ends go first
        (LINE, [np.inf, 1.5, 1.5, np.inf], [0, 2, 3, 1]),
        # a row without a number is dominated by everybody, and so is none else by it
        ([[np.nan, 9.0], [0.0, 0.0], [1.0, 1.0]], None, [2, 1, 0]),
        # a term without a finite span says nothing
        ([[1.0], [1.0], [1.0]], [0.0, 0.0, 0.0], None),
        ([[-np.inf], [0.0], [1.0]], [0.0, 0.0, 0.0], None),
    ],
)
def test_crowding_is_the_box_between_neighbors(values, crowding, order):
    """Rows with more room around them come first, within a rank."""
    assert crowding is None or distances(np.array(values)).tolist() == crowding
    assert order is None or places(np.array(values)) == order


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
    """Of 4,000 pairs and bits the stated share is crossed and flipped (4 sigma); parents stay as they are."""
    rng = np.random.default_rng(1)
    ones, zeros = np.ones(8, bool), np.zeros(8, bool)
    crosses = [crossed(ones, zeros, rate, rng) for _ in range(4000)]
    flips = mutated(np.zeros(4000, bool), rate, rng)
    shares = [sum(not first.all() for first, _ in crosses) / 4000, flips.mean()]
    assert shares == pytest.approx([rate] * 2, abs=4 * (rate * (1 - rate) / 4000) ** 0.5 + 1e-12)
    for child in (*crosses[0], mutated(ones, rate, rng)):
        child[:] = ~child
    assert (ones.all(), zeros.any()) == (True, False)


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
    """The paper's 0.2 would flip sixty columns of three hundred; five are the most, if rates adapt at all."""
    assert mutation == Rates(crossover=0.3, mutation=0.2, candidates=candidates).mutation
    fixed = Rates(crossover=0.0, mutation=1.0, candidates=candidates, is_adaptive=False)
    fixed.adapt(is_better=True)
    assert (fixed.crossover, fixed.mutation) == (0.0, 1.0)
