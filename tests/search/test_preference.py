"""Preference: sets of plausible columns go before others, and nothing else changes."""

import math
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard.host import load_host
from qidguard.sdk import Direction, Termination
from qidguard.search.preference import Preference
from qidguard.search.run import run_search

COLUMNS = "abcd"
SETS = [frozenset(some) for size in range(1, 5) for some in combinations(COLUMNS, size)]
FEW = settings(max_examples=examples(60), deadline=None, derandomize=True, database=None)
SHARES = st.sampled_from([0.1, 0.5, 0.8, 1.0])
PLAUSIBLE = st.fixed_dictionaries(dict.fromkeys(COLUMNS, SHARES))
FITNESS = st.floats(-1e6, 1e6) | st.sampled_from([-math.inf, 0.0])
FIGURES = st.fixed_dictionaries(dict.fromkeys(SETS, st.integers(-9, 9)))
RISING = {"m": {"is_monotone": True, "direction": Direction.LOWER_IS_SAFER}}
HALF = {"a": 1.0, "b": 0.5, "c": 0.5}


@pytest.fixture(scope="session")
def every(strategy_of):
    """Return a strategy that evaluates every set of four columns."""

    def search(problem, _arguments, _seed):
        problem.evaluate(SETS)
        return Termination()

    return strategy_of(search)


@FEW
@given(plausible=PLAUSIBLE, fitness=FITNESS, more=st.floats(0, 1e3), one=st.sampled_from(SETS))
def test_a_preference_never_raises_a_fitness_and_keeps_the_order_of_sets_as_plausible(
    plausible, fitness, more, one
):
    """What becomes of f is at most f, and rises with f; −inf stays."""
    known = Preference(plausible)
    assert known.of(one, fitness) <= fitness
    assert known.of(one, fitness) <= known.of(one, fitness + more)
    assert (known.of(one, fitness) == -math.inf) == (fitness == -math.inf)


@FEW
@given(plausible=PLAUSIBLE, fitness=FITNESS, name=st.sampled_from(COLUMNS), one=st.sampled_from(SETS))
def test_a_more_plausible_column_never_lowers_the_fitness_of_its_sets_below_that_of_others(
    plausible, fitness, name, one
):
    """Of two sets as fit and as large, the one whose columns are at least as plausible is not below."""
    known = Preference({**plausible, "x": 0.1})
    assert known.of(one | {name}, fitness) >= known.of((one - {name}) | {"x"}, fitness) or name in one


@FEW
@given(share=SHARES, values=FIGURES)
def test_where_every_column_is_as_plausible_nothing_changes(share, values, make_measurer, sum_of, every):
    """Ranking, fitness and figures are those of a search without a preference."""
    measurer, objective = make_measurer({"m": values.__getitem__}), sum_of({"m": 1.0})
    known = Preference(dict.fromkeys(COLUMNS, share))
    assert known.is_neutral
    found = [
        run_search(measurer, objective, every, candidates=COLUMNS, preference=preference, ranked=15)
        for preference in (None, known)
    ]
    assert [(one.qids, one.own_fitness) for one in found[0].ranked] == [
        (one.qids, one.own_fitness) for one in found[1].ranked
    ]


@FEW
@given(plausible=PLAUSIBLE, values=FIGURES)
def test_ranking_front_and_what_would_be_best_without_are_those_that_all_sets_give(
    plausible, values, make_measurer, sum_of, every
):
    """Of all sets the best one by each fitness is counted anew; the preferred one is on the front."""
    measurer, known = make_measurer({"m": values.__getitem__}), Preference(plausible)
    found = run_search(measurer, sum_of({"m": 1.0}), every, candidates=COLUMNS, preference=known, ranked=15)
    assert [one.own_fitness for one in found.ranked] == sorted(
        (known.of(one, values[one]) for one in SETS), reverse=True
    )
    assert values[found.without_preference.qids] == max(values.values())
    assert found.best.qids in {one.qids for one in found.front}


@FEW
@given(plausible=PLAUSIBLE, weights=st.fixed_dictionaries(dict.fromkeys(COLUMNS, st.integers(0, 5))))
def test_bounds_hold_for_the_preferred_fitness(plausible, weights, make_measurer, sum_of, strategy_of):
    """For every interval of sets, of fitness of either sign: no set in it is above its bound."""
    known, intervals = Preference(plausible), [(a, b) for a in (frozenset(), *SETS) for b in SETS if a <= b]
    measurer = make_measurer({"m": lambda qids: float(sum(weights[name] for name in qids))}, RISING)

    def search(problem, _arguments, _seed):
        own = {one.qids: one.own_fitness for one in problem.evaluate(SETS)}
        for (inside, outside), bound in zip(intervals, problem.bounds(intervals), strict=True):
            assert all(own[one] <= bound for one in SETS if inside <= one <= outside)
        return Termination()

    for weight in (1.0, -1.0):
        run_search(measurer, sum_of({"m": weight}), strategy_of(search), candidates=COLUMNS, preference=known)


@pytest.mark.parametrize("name", ["exhaustive", "branch_and_bound", "greedy", "beam", "tabu"])
def test_every_strategy_sees_the_preference(name, make_measurer, sum_of):
    """B and c alone tell as much as a, which outsiders know: with the preference a is the best set of one."""
    alone = {"a": 3.0, "b": 4.0, "c": 3.5}
    measurer = make_measurer({"m": lambda qids: max(alone[one] for one in qids)}, RISING)
    strategy = load_host().search_strategy(name)
    both = [
        run_search(measurer, sum_of({"m": 1.0}), strategy, candidates="abc", largest=1, preference=preference)
        for preference in (None, Preference(HALF))
    ]
    assert [set(one.best.qids) for one in both] == [{"b"}, {"a"}]
    assert (both[0].without_preference, set(both[1].without_preference.qids)) == (None, {"b"})


def test_changes_since_a_current_set_are_multiplied_too(make_measurer, sum_of, strategy_of):
    """The fitness beside a current set is that of the objective, lowered by the same factor."""
    values = {"a": 4.0, "b": 4.0}
    measurer = make_measurer({"m": lambda qids: sum(map(values.get, qids))})

    def search(problem, _arguments, _seed):
        found = problem.evaluate([frozenset("a"), frozenset("b")], current=frozenset("a"))
        known = Preference(HALF)
        assert [one.fitness for one in found] == [4.0, known.of("b", 4.0)]
        assert [one.values[-1] for one in found] == [1.0, known.factor("b")]
        return Termination()

    run_search(
        measurer, sum_of({"m": 1.0}), strategy_of(search), candidates="ab", preference=Preference(HALF)
    )


@pytest.mark.parametrize("share", [0, -0.1, 1.1, math.nan])
def test_a_plausibility_is_above_zero_and_at_most_one(share):
    """A column of plausibility 0 could never be found."""
    with pytest.raises(ValueError, match="the plausibility of 'a' must be above 0 and at most 1"):
        Preference({"a": share})
