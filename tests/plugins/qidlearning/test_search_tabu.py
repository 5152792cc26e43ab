from itertools import pairwise

import pytest

from qidguard.core.parameter import bind
from qidguard.sdk import Evaluation, Termination
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
    assert isinstance(finish, Termination)
    return problem.stood


def around_a_hill(**arguments):
    """Return the sets a search stands on around three columns of eight, the best number."""
    return stood(lambda qids: -abs(len(qids) - 3.0), patience=1000, **arguments)


@pytest.mark.parametrize("tenure", [1, 2, 3, 4])
def test_no_set_comes_back_before_every_flip_was_undone(tenure):
    """A column stays for ``tenure`` moves: tenure + 1 flips on the way out, as many on the way back."""
    walked = around_a_hill(tenure=tenure)
    assert len(walked) == 100
    returns = [walked[i + 1 :].index(qids) + 1 for i, qids in enumerate(walked) if qids in walked[i + 1 :]]
    assert min(returns) >= 2 * (tenure + 1)


@pytest.mark.parametrize("tenure", [1, 2, 3, 4])
def test_no_set_comes_back_within_the_tenure_by_swaps(tenure):
    """A swap flips two columns; with either of them tabu it is."""
    walked = around_a_hill(tenure=tenure, swaps=True)
    for i in range(len(walked)):
        assert walked[i] not in walked[i + 1 : i + 1 + tenure]


def test_without_a_tenure_it_steps_back_at_once():
    """The test above can fail."""
    walked = around_a_hill(tenure=0)
    assert any(a == b for a, b in zip(walked, walked[2:], strict=False))


def test_it_goes_over_a_valley():
    """From a (5) through worse sets to abc (9), where greedy search would stay."""
    values = {"a": 5.0, "ab": 1.0, "abc": 9.0}
    fitness = lambda qids: values.get("".join(sorted(qids)), 0.0)  # noqa: E731 - a figure in one line
    measurer = make_measurer({"m": fitness})
    found = run_search(measurer, sum_of({"m": 1}), Tabu(), candidates="abc", arguments={"patience": 99})
    assert found.best.qids == frozenset("abc")


def test_a_tabu_set_that_is_the_best_of_all_is_allowed():
    """From a to abcd by flips of b, c, d; then b back out, though it is tabu: acd is the best of all."""
    values = {"a": 5.0, "ab": 4.0, "abc": 3.0, "abcd": 2.0, "acd": 9.0}

    def fitness(qids):
        few = qids & frozenset("abcd")
        return values.get("".join(sorted(few)), 0.0) - 10.0 * len(qids - few)

    walked = stood(fitness, tenure=4, patience=1000, iterations=6)
    assert ["".join(sorted(qids)) for qids in walked[:5]] == ["a", "ab", "abc", "abcd", "acd"]


def test_it_starts_again_where_nothing_gets_better():
    """After ``patience`` moves it goes on from a random set, which need not be a neighbor."""
    walked = stood(lambda qids: -float(len(qids)), patience=3, iterations=40)
    jumps = [len(a ^ b) for a, b in pairwise(walked)]
    assert jumps[:2] == [1, 1]
    assert jumps[2] > 1
