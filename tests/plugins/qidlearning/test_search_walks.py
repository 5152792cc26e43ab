"""Searches that walk from set to set: annealing by its formula, and tabu that never steps back."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard.core.parameter import bind
from qidguard.sdk import Evaluation, Termination
from qidguard.search.run import run_search
from qidguard_qidlearning.searches.simulated_annealing import (
    SimulatedAnnealing,
    acceptance,
    first_temperature,
)
from qidguard_qidlearning.searches.space import SetSpace
from qidguard_qidlearning.searches.tabu import Tabu
from written_figures import make_measurer, sum_of


@settings(max_examples=examples(50), deadline=None, derandomize=True, database=None)
@given(st.floats(-5, 5), st.floats(0.01, 10))
def test_acceptance_is_the_papers_formula(change, temperature):
    """1 for a better or equal set, exp(change / T) for a worse one; at T = 0 only sets that are as good."""
    expected = 1.0 if change >= 0 else math.exp(change / temperature)
    assert (acceptance(change, temperature), acceptance(change, 0.0)) == (expected, float(change >= 0))
    assert (acceptance(-1e-12, 0.0), acceptance(-math.inf, 1.0)) == (0.0, 0.0)


class Listening:
    """A problem that notes the sets a search stood on, in order."""

    has_bounds = is_stopped = False

    def __init__(self, candidates, fitness):
        self.candidates = tuple(candidates)
        self.largest = len(candidates)
        self.fitness = fitness
        self.stood = []

    def evaluate(self, sets, *, current=None):
        """Return the fitness of each set; note the current one."""
        if current is not None:
            self.stood.append(current)
        values = [(qids, self.fitness(qids)) for qids in sets]
        return [Evaluation(qids=q, fitness=v, own_fitness=v, values=(v,)) for q, v in values]

    def report(self, *_):
        """Hear nothing."""


def walked(strategy, problem, seed=0, **arguments):
    """Return the sets that a search stood on, and what it kept."""
    finish = strategy.search(problem, bind(strategy.parameters, arguments), seed)
    assert isinstance(finish, Termination)
    return problem.stood, finish.state


def ladder():
    """Return a and b with {a}: 1, {ab}: 0, {b}: 1: from ab each move is up, from a or b each is down."""
    return Listening("ab", lambda qids: float(2 - len(qids)))


def stood(fitness, **arguments):
    """Return the sets that a tabu search stood on, of eight columns."""
    return walked(Tabu(), Listening(COLUMNS, fitness), **arguments)[0]


def by_word(values):
    """Return a fitness that is written down, 0 for what is not."""
    return lambda qids: values.get("".join(sorted(qids)), 0.0)


@pytest.mark.parametrize("temperature", [0.5, 1.0, 3.0])
def test_worse_sets_are_accepted_with_the_stated_probability(temperature):
    """Down by 1 in exp(−1/T) of the times (5,000 moves, 4 sigma), and up always."""
    cool = {"temperature": temperature, "moves": 5000, "coldest": 0.95, "cooling": 0.95}
    places, state = walked(SimulatedAnnealing(), ladder(), 3, **cool)
    down, up = ([b for a, b in pairwise(places) if len(a) == size] for size in (1, 2))
    share = sum(len(qids) == 2 for qids in down) / len(down)
    expected = math.exp(-1 / temperature)
    assert share == pytest.approx(expected, abs=4 * math.sqrt(expected * (1 - expected) / len(down)))
    assert up
    assert {len(qids) for qids in up} == {1}
    assert state["temperature"] == (temperature,)


def test_it_cools_by_alpha_until_it_is_cold():
    """T, α·T, α²·T … down to the coldest share; the first T accepts the median loss of 1 by four fifths."""
    cool = {"temperature": 2.0, "cooling": 0.5, "coldest": 0.1, "moves": 1}
    _, state = walked(SimulatedAnnealing(), ladder(), **cool)
    assert (state["temperature"], len(state["accepted"])) == ((2.0, 1.0, 0.5, 0.25), 4)
    space = SetSpace(candidates=("a", "b"), largest=2)
    temperature = first_temperature(ladder(), space, frozenset("a"), np.random.default_rng(0))
    assert math.exp(-1 / temperature) == pytest.approx(0.8)


COLUMNS = "abcdefgh"


def around_a_hill(**arguments):
    """Return the sets a search stands on around three columns of eight, the best number."""
    return stood(lambda qids: -abs(len(qids) - 3.0), patience=1000, **arguments)


@pytest.mark.parametrize("tenure", [1, 2, 3, 4])
def test_no_set_comes_back_before_every_flip_was_undone(tenure):
    """Tenure + 1 flips on the way out, as many on the way back; by swaps of two columns within the tenure."""
    flips, swaps = (around_a_hill(tenure=tenure, swaps=swaps) for swaps in (False, True))
    assert len(flips) == 100
    returns = [flips[i + 1 :].index(qids) + 1 for i, qids in enumerate(flips) if qids in flips[i + 1 :]]
    assert min(returns) >= 2 * (tenure + 1)
    assert not any(qids in swaps[i + 1 : i + 1 + tenure] for i, qids in enumerate(swaps))
    # without a tenure it steps back at once, so the test can fail
    free = around_a_hill(tenure=0)
    assert any(a == b for a, b in zip(free, free[2:], strict=False))


def test_it_goes_over_a_valley():
    """From a (5) through worse sets to abc (9), where greedy search would stay."""
    measurer = make_measurer({"m": by_word({"a": 5.0, "ab": 1.0, "abc": 9.0})})
    found = run_search(measurer, sum_of({"m": 1}), Tabu(), candidates="abc", arguments={"patience": 99})
    assert found.best.qids == frozenset("abc")


def test_a_tabu_set_that_is_the_best_of_all_is_allowed():
    """From a to abcd by flips of b, c, d; then b back out, though it is tabu: acd is the best of all."""
    few = by_word({"a": 5.0, "ab": 4.0, "abc": 3.0, "abcd": 2.0, "acd": 9.0})
    fitness = lambda qids: few(qids & frozenset("abcd")) - 10.0 * len(qids - frozenset("abcd"))  # noqa: E731
    places = stood(fitness, tenure=4, patience=1000, iterations=6)
    assert ["".join(sorted(qids)) for qids in places[:5]] == ["a", "ab", "abc", "abcd", "acd"]


def test_it_starts_again_where_nothing_gets_better():
    """After ``patience`` moves it goes on from a random set, which need not be a neighbor."""
    places = stood(lambda qids: -float(len(qids)), patience=3, iterations=40)
    jumps = [len(a ^ b) for a, b in pairwise(places)]
    assert (jumps[:2], jumps[2] > 1) == ([1, 1], True)
