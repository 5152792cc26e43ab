from itertools import pairwise

import pytest

from qidguard import Evaluation, Finish
from qidguard.core.parameter import bind
from qidguard.search.run import run_search
from qidguard_qidlearning.searches.tabu import Tabu
from written_figures import make_measurer, sum_of

COLUMNS = "abcdefgh"


class Listening:
    """A problem that notes the sets a search stood on, in order."""

    candidates = tuple(COLUMNS)
    largest = 8
    has_bounds = False
    is_stopped = False

    def __init__(self, fitness):
        self.fitness = fitness
        self.stood = []

    def evaluate(self, sets, *, current=None):
        """Return the fitness of each set; note the current one."""
        if current is not None:
            self.stood.append(current)
        values = [self.fitness(qids) for qids in sets]
        return [
            Evaluation(qids=qids, fitness=value, own_fitness=value, values=(value,))
            for qids, value in zip(sets, values, strict=True)
        ]

    def report(self, *_):
        """Hear nothing."""


def stood(fitness, **arguments):
    """Return the sets that a search stood on."""
    problem = Listening(fitness)
    finish = Tabu().search(problem, bind(Tabu.parameters, arguments), 0)
    assert isinstance(finish, Finish)
    return problem.stood


@pytest.mark.parametrize("tenure", [1, 2, 3, 4])
@pytest.mark.parametrize("swaps", [False, True])
def test_no_set_comes_back_within_the_tenure(tenure, swaps):
    """Around one high hill: without a tabu list it would step off and on again for ever."""
    walked = stood(lambda qids: -abs(len(qids) - 3.0), tenure=tenure, patience=1000, swaps=swaps)
    assert len(walked) == 100
    for i in range(len(walked)):
        assert walked[i] not in walked[i + 1 : i + 1 + tenure]


def test_without_a_tenure_it_steps_back_at_once():
    """The test above can fail."""
    walked = stood(lambda qids: -abs(len(qids) - 3.0), tenure=0, patience=1000)
    assert any(a == b for a, b in zip(walked, walked[2:], strict=False))


def test_it_goes_over_a_valley():
    """From a (5) through worse sets to abc (9), where greedy search would stay."""
    values = {"a": 5.0, "ab": 1.0, "abc": 9.0}
    fitness = lambda qids: values.get("".join(sorted(qids)), 0.0)  # noqa: E731 - a figure in one line
    measurer = make_measurer({"m": fitness})
    found = run_search(measurer, sum_of({"m": 1}), Tabu(), candidates="abc", arguments={"patience": 99})
    assert found.best.qids == frozenset("abc")


def test_a_tabu_set_that_is_the_best_of_all_is_allowed():
    """From a over ab to abc, and on to bc though a was touched lately: 9 is the best of all (aspiration)."""
    values = {"a": 5.0, "ab": 4.0, "b": 1.0, "abc": 3.0, "bc": 9.0}

    def fitness(qids):
        return values.get("".join(sorted(qids & frozenset("abc"))), 0.0) - 10.0 * len(qids - frozenset("abc"))

    walked = stood(fitness, tenure=4, patience=1000, iterations=6)
    assert walked[:4] == [frozenset("a"), frozenset("ab"), frozenset("abc"), frozenset("bc")]


def test_it_starts_again_where_nothing_gets_better():
    """After ``patience`` moves it goes on from a random set, which need not be a neighbour."""
    walked = stood(lambda qids: -float(len(qids)), patience=3, iterations=40)
    jumps = [len(a ^ b) for a, b in pairwise(walked)]
    assert jumps[:2] == [1, 1]
    assert jumps[2] > 1
