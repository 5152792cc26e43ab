from itertools import pairwise

import pytest

from qidguard import UserError
from qidguard.search.run import run_search
from qidguard_qidlearning.objectives import OBJECTIVES
from qidguard_qidlearning.searches.breeding import Rates
from qidguard_qidlearning.searches.evolutionary import Evolutionary
from written_figures import counted, letters, make_measurer, sum_of

COLUMNS = "abcdefghij"
LINEAR = next(objective for objective in OBJECTIVES if objective.name == "linear")


class Watching(Evolutionary):
    """Notes each generation, as it is asked for."""

    def search(self, problem, arguments, seed):
        """Search while each batch of evaluations is noted."""
        self.generations = []
        ask = problem.evaluate

        def noted(sets, *, current=None):
            found = ask(sets, current=current)
            self.generations.append((list(sets), current, found))
            return found

        problem.evaluate = noted
        return super().search(problem, arguments, seed)


def watched(seed=0, records=60, **arguments):
    """Return the generations of a search, and its result."""
    strategy = Watching()
    measurer = counted(letters(seed, columns=10, records=records), COLUMNS)
    given = {"polish": False, "generations": 12, "population": 16} | arguments
    found = run_search(measurer, LINEAR, strategy, candidates=COLUMNS, arguments=given, seed=seed)
    return strategy.generations, found


def best_of(evaluations):
    """Return the highest own fitness."""
    return max(e.own_fitness for e in evaluations)


@pytest.mark.samples(1)
@pytest.mark.parametrize("objectives", ["weighted", "pareto"])
@pytest.mark.parametrize("seed", range(3))
def test_the_elite_is_never_lost(seed, objectives):
    """The best set is in the next generation with the same own fitness, and what changes counts from it."""
    generations, found = watched(seed, 900, objectives=objectives)
    assert (len(generations), generations[0][1]) == (13, None)
    for (_, _, before), (_, current, after) in pairwise(generations):
        top = max(before, key=lambda e: e.own_fitness)
        assert (top.qids, top.own_fitness) in [(e.qids, e.own_fitness) for e in after]
        assert current in [e.qids for e in before if e.own_fitness == top.own_fitness]
    assert found.best.own_fitness == best_of(generations[-1][2])


@pytest.mark.samples(1)
@pytest.mark.parametrize("objectives", ["weighted", "pareto"])
@pytest.mark.parametrize("seed", range(3))
def test_selection_prefers_the_better(seed, objectives):
    """The last generation is better on average than the first, by far."""
    generations, _ = watched(seed, 900, objectives=objectives, immigrants=0.0)
    first, last = ([e.own_fitness for e in generations[i][2]] for i in (0, -1))
    assert sum(last) / len(last) > sum(first) / len(first) + 0.2


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_rates_follow_the_best_of_each_generation(seed):
    """A generation with a better set than all before counts as a success, one without does not."""
    generations, found = watched(seed, 900)
    rates = Rates(crossover=0.3, mutation=0.2, candidates=10)
    best, expected = best_of(generations[0][2]), []
    for _, _, evaluations in generations[1:]:
        expected.append(rates.mutation)
        rates.adapt(is_better=best_of(evaluations) > best)
        best = max(best, best_of(evaluations))
    assert tuple(expected) == found.state["mutation_rate"]


def test_the_rates_of_each_generation_are_kept():
    """One crossover and one mutation rate a generation, the first ones as asked for."""
    _, found = watched(3, crossover=0.5, mutation=0.3)
    crossover, mutation = found.state["crossover_rate"], found.state["mutation_rate"]
    assert (len(crossover), len(mutation), crossover[0], mutation[0]) == (12, 12, 0.5, 0.3)
    assert len(set(mutation)) > 1
    assert set(watched(3, adaptive=False)[1].state["mutation_rate"]) == {0.2}


@pytest.mark.parametrize("extreme", ["elite 0", "elite 99", "immigrants 1.0", "tournament 1", "mutation 0.0"])
def test_at_the_ends_of_its_parameters_it_still_runs(extreme):
    """Without an elite, with immigrants only, without choice, without mutation."""
    name, value = extreme.split()
    assert watched(0, **{name: float(value) if "." in value else int(value)})[1].evaluations >= 16


def test_the_climb_at_the_end_can_be_left_out():
    """One generation of two sets is far from the top; the climb takes it there."""
    far, near = (watched(0, 900, generations=1, population=2, polish=polish)[1] for polish in (False, True))
    assert near.best.fitness > far.best.fitness
    assert ["climb" in found.reason for found in (far, near)] == [False, True]


def test_pareto_keeps_both_ends():
    """Of two opposed terms the weighted search goes to one end; by Pareto ranks both ends are found."""
    measurer = make_measurer({"few": lambda qids: -len(qids), "many": lambda qids: len(qids) ** 2})
    limits = {"candidates": "abcdefghijkl", "arguments": {"objectives": "pareto", "polish": False}}
    found = run_search(measurer, sum_of({"few": 1, "many": 1}), Evolutionary(), **limits)
    assert {len(e.qids) for e in found.front} == set(range(1, 13))


@pytest.mark.parametrize("name", ["population", "tournament"])
def test_a_generation_that_no_budget_could_end_is_refused(name):
    """The clock is looked at between generations only."""
    with pytest.raises(UserError, match=f"parameter '{name}' must lie in .*5000, not 5001"):
        watched(**{name: 5_001})
