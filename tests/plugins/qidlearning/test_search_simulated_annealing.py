import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard.core.parameter import bind
from qidguard.sdk import Evaluation
from qidguard_qidlearning.searches.simulated_annealing import (
    SimulatedAnnealing,
    acceptance,
    first_temperature,
)
from qidguard_qidlearning.searches.space import SetSpace


@settings(max_examples=examples(50), deadline=None, derandomize=True, database=None)
@given(st.floats(-5, 5), st.floats(0.01, 10))
def test_acceptance_is_the_papers_formula(change, temperature):
    """1 for a better or equal set, exp(change / T) for a worse one."""
    expected = 1.0 if change >= 0 else math.exp(change / temperature)
    assert expected == acceptance(change, temperature)


def test_absolute_cold_accepts_nothing_worse():
    """At T = 0 only sets that are as good."""
    assert [acceptance(change, 0.0) for change in (-1e-12, 0.0, 1.0)] == [0.0, 1.0, 1.0]
    assert acceptance(-math.inf, 1.0) == 0.0


class Ladder:
    """Candidates a and b with {a}: 1, {ab}: 0, {b}: 1: from ab each move is up, from a or b each is down."""

    candidates = ("a", "b")
    largest = 2
    has_bounds = False
    is_stopped = False

    def __init__(self):
        self.stood = []

    def evaluate(self, sets, *, current=None):
        """Return 1 for one column, 0 for both; note where the search stands."""
        if current is not None:
            self.stood.append(current)
        found = []
        for qids in sets:
            value = float(2 - len(qids))
            found.append(Evaluation(qids=qids, fitness=value, own_fitness=value, values=(value,)))
        return found

    def report(self, *_):
        """Hear nothing."""


@pytest.mark.parametrize("temperature", [0.5, 1.0, 3.0])
def test_worse_sets_are_accepted_with_the_stated_probability(temperature):
    """From one column the only move loses 1: it is made in exp(−1/T) of the times (5,000 moves, 4 sigma)."""
    problem = Ladder()
    arguments = bind(
        SimulatedAnnealing.parameters,
        {"temperature": temperature, "moves": 5000, "coldest": 0.95, "cooling": 0.95},
    )
    finish = SimulatedAnnealing().search(problem, arguments, 3)
    tried = [b for a, b in zip(problem.stood, problem.stood[1:], strict=False) if len(a) == 1]
    share = sum(len(qids) == 2 for qids in tried) / len(tried)
    expected = math.exp(-1 / temperature)
    assert share == pytest.approx(expected, abs=4 * math.sqrt(expected * (1 - expected) / len(tried)))
    assert finish.state["temperature"] == (temperature,)


def test_better_sets_are_always_accepted():
    """From both columns every move is up, and none is refused."""
    problem = Ladder()
    arguments = bind(SimulatedAnnealing.parameters, {"temperature": 1.0, "moves": 500})
    SimulatedAnnealing().search(problem, arguments, 1)
    after_both = [b for a, b in zip(problem.stood, problem.stood[1:], strict=False) if len(a) == 2]
    assert after_both
    assert all(len(qids) == 1 for qids in after_both)


def test_it_cools_by_alpha_until_it_is_cold():
    """T, α·T, α²·T … down to the coldest share."""
    arguments = bind(
        SimulatedAnnealing.parameters, {"temperature": 2.0, "cooling": 0.5, "coldest": 0.1, "moves": 1}
    )
    finish = SimulatedAnnealing().search(Ladder(), arguments, 0)
    assert finish.state["temperature"] == (2.0, 1.0, 0.5, 0.25)
    assert len(finish.state["accepted"]) == 4


def test_the_first_temperature_accepts_the_median_loss_with_four_fifths():
    """Every move here changes the fitness by 1: exp(−1/T) = 0.8."""
    space = SetSpace(candidates=("a", "b"), largest=2)
    temperature = first_temperature(Ladder(), space, frozenset("a"), np.random.default_rng(0))
    assert math.exp(-1 / temperature) == pytest.approx(0.8)
