"""What holds for every strategy of the plugin, on tables small enough to look at every set."""

import math
import random
from itertools import combinations

import numpy as np
import pytest

from qidguard.sdk import NotMeasurable, StoppedBy, Termination
from qidguard.search.run import run_search
from qidguard_qidlearning.objectives import OBJECTIVES
from qidguard_qidlearning.searches import SEARCH_STRATEGIES
from written_figures import Strategy, counted, letters, make_measurer, sum_of, without_times

COLUMNS = "uvwxyz"
EVERY = [frozenset(some) for size in range(1, 7) for some in combinations(COLUMNS, size)]
LINEAR = next(objective for objective in OBJECTIVES if objective.name == "linear")
NAMES = {strategy.name: strategy for strategy in SEARCH_STRATEGIES}
CLIMBERS = {"greedy", "beam"}
"""What may end below the optimum where the fitness is a chance of each set."""


@pytest.fixture(params=SEARCH_STRATEGIES, ids=lambda strategy: strategy.name)
def strategy(request):
    """Return each strategy."""
    return request.param


def rugged(seed):
    """Return a measurer whose figure is a random number for each set."""
    rng = np.random.default_rng(seed)
    values = dict(zip(EVERY, rng.random(len(EVERY)), strict=True))
    return make_measurer({"m": values.__getitem__}), max(EVERY, key=values.__getitem__)


def optimum(measurer, objective, largest=6):
    """Return the best set of all."""
    everything = Strategy(lambda p, *_: p.evaluate([x for x in EVERY if len(x) <= largest]) and Termination())
    return run_search(measurer, objective, everything, candidates=COLUMNS, largest=largest).best


@pytest.mark.samples(5)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("largest", [2, 6])
def test_the_optimum_of_a_small_table_is_found(strategy, seed, largest):
    """By the paper's listing on thirty records of six columns; greedy search finds it on these, too."""
    measurer = counted(letters(seed), COLUMNS)
    found = run_search(measurer, LINEAR, strategy, candidates=COLUMNS, largest=largest, seed=seed)
    assert found.best == optimum(measurer, LINEAR, largest)
    assert found.stopped_by is StoppedBy.FINISHED


@pytest.mark.samples(6)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", sorted(set(NAMES) - CLIMBERS - {"branch_and_bound"}))
def test_chance_fitness_is_no_obstacle(name, seed):
    """Sixty-three sets without any slope: whoever leaves hills finds the highest one."""
    measurer, best = rugged(seed)
    found = run_search(measurer, sum_of({"m": 1}), NAMES[name], candidates=COLUMNS, seed=seed)
    assert found.best.qids == best


@pytest.mark.samples(4)
def test_the_same_seed_looks_at_the_same_sets(strategy):
    """In the same order, with the same result, times apart."""
    runs = []
    for _ in range(2):
        measurer = counted(letters(1), COLUMNS)
        result = run_search(measurer, LINEAR, strategy, candidates=COLUMNS, seed=5)
        runs.append((measurer.asked, without_times(result)))
    assert runs[0] == runs[1]


def test_global_random_numbers_stay_as_they_are(strategy):
    """Neither Python's nor numpy's global generator is touched or read."""
    measurer = counted(letters(1), COLUMNS)
    results = []
    for seed in (1, 2):
        random.seed(seed)
        np.random.seed(seed)  # noqa: NPY002 - the global generator is what must not matter
        before = random.getstate(), np.random.get_state()[1].tolist()  # noqa: NPY002 - as above
        results.append(run_search(measurer, LINEAR, strategy, candidates=COLUMNS, seed=3).evaluations)
        assert before == (random.getstate(), np.random.get_state()[1].tolist())  # noqa: NPY002 - as above
    assert results[0] == results[1]


def test_every_evaluation_is_the_sets_own(strategy):
    """Measured again, each ranked set has the same fitness: none was paired with another one's."""
    result = run_search(counted(letters(2), COLUMNS), LINEAR, strategy, candidates=COLUMNS, ranked=63)
    fresh = counted(letters(2), COLUMNS)
    again = Strategy(lambda p, *_: p.evaluate([e.qids for e in result.ranked]) and Termination())
    measured = run_search(fresh, LINEAR, again, candidates=COLUMNS, ranked=63)
    assert measured.ranked == result.ranked


@pytest.mark.samples(3)
def test_one_candidate_is_enough(strategy):
    """Then there is one set, and it is the best."""
    measurer = counted(letters(0, columns=1), "u")
    assert run_search(measurer, LINEAR, strategy, candidates="u").best.qids == {"u"}


@pytest.mark.samples(3)
def test_equal_sets_go_to_the_first_column(strategy):
    """Where every set is as good, the smallest wins, then the table's first."""
    flat = make_measurer({"m": lambda _: 1.0}, {"m": {"is_of_size": True}})
    assert run_search(flat, sum_of({"m": 1}), strategy, candidates="cab").best.qids == {"c"}


@pytest.mark.samples(3)
def test_sets_without_a_figure_are_passed_by(strategy):
    """Sets with u have no figure; the best of the others is found. Without any figure there is no answer."""
    measurer = counted(letters(3), COLUMNS)
    usable = measurer.functions["distinction"]
    measurer.functions["distinction"] = lambda qids: math.nan if "u" in qids else usable(qids)
    found = run_search(measurer, LINEAR, strategy, candidates=COLUMNS)
    assert found.best == optimum(measurer, LINEAR)
    measurer.functions["distinction"] = lambda _: math.nan
    with pytest.raises(NotMeasurable, match="figure 0 of"):
        run_search(measurer, LINEAR, strategy, candidates=COLUMNS)


def test_the_budget_is_kept(strategy):
    """A clock that ends after the first step ends the search, with what was seen; nothing is proven."""
    measurer = counted(letters(0, columns=10), "abcdefghij")
    now = 0.0

    def tick(_sets):
        nonlocal now
        now += 100  # so that a slow machine's own clock, by which strategies are watched, is far from it

    measurer.before = tick
    found = run_search(
        measurer, LINEAR, strategy, candidates="abcdefghij", budget_seconds=100, clock=lambda: now
    )
    assert (found.stopped_by, found.is_optimum) == (StoppedBy.BUDGET, False)
    assert found.best.fitness > -math.inf


def test_each_step_is_reported(strategy):
    """Progress begins at 0 and ends at the total, and the evolution never falls."""
    heard = []

    class Listening:
        def step(self, title, done, total):
            heard.append((title.partition(": ")[0], done, total))

    measurer = counted(letters(0), COLUMNS)
    found = run_search(measurer, LINEAR, strategy, candidates=COLUMNS, progress=Listening())
    assert len({title for title, _, _ in heard}) == 1
    assert all(0 <= done <= total for _, done, total in heard)
    assert heard[-1][1] == heard[-1][2]
    best = [moment.best for moment in found.evolution]
    assert best == sorted(best)
    assert best[-1] == found.best.fitness
    assert all(len(values) >= 1 for values in found.state.values())


def test_names_titles_and_parameters_are_there():
    """They stand by name; each parameter has a default and a meaning."""
    assert list(NAMES) == sorted(NAMES)
    assert len(NAMES) == 7
    for strategy in SEARCH_STRATEGIES:
        assert strategy.title
        assert all(p.default is not None and p.meaning for p in strategy.parameters)
