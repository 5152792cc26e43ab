"""Bounds claim nothing that is not known, and sets of plausible columns go before others."""

import math
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard.host import load_host
from qidguard.sdk import Direction, NotMeasurable, Termination
from qidguard.search.preference import Preference
from qidguard.search.run import run_search
from written_figures import Strategy, make_measurer, sum_of

INF, NAN = math.inf, math.nan
COLUMNS = "abcd"
SETS = [frozenset(some) for size in range(1, 5) for some in combinations(COLUMNS, size)]
INTERVALS = [(inside, outside) for inside in [frozenset(), *SETS] for outside in SETS if inside <= outside]
A, AB = frozenset("a"), frozenset("ab")
FEW = settings(max_examples=examples(60), deadline=None, derandomize=True, database=None)
RISING = {"is_monotone": True, "direction": Direction.LOWER_IS_SAFER}
FALLING = {"is_monotone": True, "direction": Direction.HIGHER_IS_SAFER}
FACTS = {
    "distinction": RISING | {"minimum": 0.0, "maximum": 1.0},
    "mean_size": FALLING | {"minimum": 1.0},
    "penalty": {"is_of_size": True, "minimum": 0.5, "maximum": 1.0},
}
WEIGHTS = st.tuples(*[st.sampled_from([-2.0, -0.3, 0.0, 0.1, 1.0, 5.0])] * 3)
RECORDS = st.lists(st.tuples(*[st.sampled_from("xyz")] * 4), min_size=1, max_size=12)


def counted(records):
    """Return the figures of a table, counted in plain Python."""

    def classes(qids):
        return len({tuple(r[COLUMNS.index(c)] for c in sorted(qids)) for r in records})

    return {
        "distinction": lambda qids: classes(qids) / len(records),
        "mean_size": lambda qids: len(records) / classes(qids),
        "penalty": lambda qids: (1 - len(qids) / 5) ** 2 + (len(qids) / 5) ** 2,
    }


@FEW
@given(RECORDS, WEIGHTS, st.none() | WEIGHTS, st.integers(1, 4))
def test_no_set_in_an_interval_is_above_its_bound(records, weights, divisors, largest):
    """For every interval of sets, sums and ratios with weights of either sign, sets up to a size."""
    by = divisors and dict(zip(FACTS, divisors, strict=True))
    figures = counted(records)
    asked_for = figures if divisors is None else figures | {f"{n}_by": f for n, f in figures.items()}
    measurer = make_measurer(asked_for, FACTS | {f"{name}_by": fact for name, fact in FACTS.items()})
    # a divisor may be a metric that is a term already
    measurer.questions = tuple(measurer.questions[i % 3] for i in range(len(asked_for)))

    def search(problem, _arguments, _seed):
        assert problem.has_bounds
        small = [qids for qids in SETS if len(qids) <= largest]
        own = {e.qids: e.own_fitness for e in problem.evaluate(small)}
        for (inside, outside), bound in zip(INTERVALS, problem.bounds(INTERVALS), strict=True):
            between = [own[x] for x in small if inside <= x <= outside]
            assert max(between, default=-INF) <= bound
            assert between or bound == -INF
        return Termination()

    objective = sum_of(dict(zip(FACTS, weights, strict=True)), by)
    try:
        run_search(measurer, objective, Strategy(search), candidates=COLUMNS, largest=largest)
    except NotMeasurable as reason:
        # a ratio whose divisors are never positive has no best set, but bounds all the same
        assert "no positive number" in str(reason)  # noqa: PT017 - only some examples raise


@pytest.fixture
def bounds(search_by):
    """Return what the bounds of some intervals are, after a set was measured."""

    def found(figures, weights, *intervals, **more):
        told = []

        def look(problem):
            problem.evaluate([A])
            told.append((problem.has_bounds, problem.bounds(intervals)))

        try:
            search_by(look, figures, weights, candidates=COLUMNS, **more)
        except NotMeasurable as reason:
            assert "no positive number" in str(reason)  # noqa: PT017 - of a divisor only
        return told[0]

    return found


def test_a_bound_of_one_set_is_its_fitness(search_by):
    """Up to the slack for rounding, a billionth."""

    def look(problem):
        for qids in SETS:
            own = problem.evaluate([qids])[0].own_fitness
            assert own < problem.bounds([(qids, qids)])[0] < own + 1e-7

    figures = counted([("x", "y", "x", "y"), ("x", "y", "y", "y")])
    weights = {"distinction": 5, "mean_size": -0.4, "penalty": -1}
    search_by(look, figures, weights, facts=FACTS, candidates=COLUMNS)


@pytest.mark.parametrize(
    ("fact", "has_bounds"),
    [
        ({"is_of_size": True}, True),
        ({"change_of": "m"}, True),
        (RISING, True),
        (FALLING, True),
        ({"is_monotone": True, "direction": Direction.NEITHER}, False),
        ({"direction": Direction.LOWER_IS_SAFER}, False),
    ],
)
def test_bounds_are_known_where_each_term_allows_them(bounds, fact, has_bounds):
    """A change, a metric of the size or a monotone one with a direction; else the bound is infinite."""
    known, [bound] = bounds({"m": len, "other": len}, None, (A, AB), facts={"m": RISING, "other": fact})
    assert (known, bound < INF) == (has_bounds, has_bounds)


def alone(figure):
    """Return a figure that only sets of one column have."""
    return lambda qids: figure if len(qids) == 1 else NAN


@pytest.mark.parametrize(
    ("figures", "weights", "by", "expected"),
    [
        ({"distinction": alone(0.25)}, {"distinction": 2}, None, [2.0, 0.5]),
        ({"mean_size": alone(8.0)}, {"mean_size": -2}, None, [-2.0, -16.0]),
        # between a and ab the divisor is at most −1: no set there has a fitness
        (
            {"distinction": lambda qids: len(qids) / 4, "mean_size": lambda qids: 5 - len(qids)},
            {"distinction": 1},
            {"mean_size": -1},
            [-INF, -INF],
        ),
    ],
)
def test_no_figure_leaves_the_metrics_own_range(bounds, figures, weights, by, expected):
    """Where the larger set has no figure, the bound is what the metric can be at most, or at least."""
    _, found = bounds(figures, weights, (A, AB), (A, A), by=by, facts=FACTS)
    assert found == pytest.approx(expected)


def test_sets_above_the_largest_are_measured_for_bounds_and_never_the_best(search_by):
    """The whole set bounds the small ones; it is no candidate itself."""

    def look(problem):
        problem.evaluate([A])
        assert problem.bounds([(frozenset(), frozenset(COLUMNS))])[0] == pytest.approx(4.0)

    found = search_by(look, {"m": len}, facts={"m": RISING}, candidates=COLUMNS, largest=2)
    assert (found.best.qids, found.evaluations, [moment.best for moment in found.evolution]) == (A, 2, [1.0])
    assert all(len(e.qids) <= 2 for e in (*found.ranked, *found.front))


SHARES = st.sampled_from([0.1, 0.5, 0.8, 1.0])
PLAUSIBLE = st.fixed_dictionaries(dict.fromkeys(COLUMNS, SHARES))
FITNESS = st.floats(-1e6, 1e6) | st.sampled_from([-INF, 0.0])
FIGURES = st.fixed_dictionaries(dict.fromkeys(SETS, st.integers(-9, 9)))
HALF = {"a": 1.0, "b": 0.5, "c": 0.5}


def of_all(values, preference):
    """Return what a search that evaluates every set of four columns finds."""

    def search(problem, _arguments, _seed):
        problem.evaluate(SETS)
        return Termination()

    more = {"candidates": COLUMNS, "preference": preference, "ranked": 15}
    return run_search(make_measurer({"m": values.__getitem__}), sum_of({"m": 1.0}), Strategy(search), **more)


@FEW
@given(PLAUSIBLE, FITNESS, st.floats(0, 1e3), st.sampled_from(COLUMNS), st.sampled_from(SETS))
def test_a_preference_keeps_the_order_of_sets_as_plausible(plausible, fitness, more, name, one):
    """What becomes of f is at most f, and rises with f and with a column's plausibility; −inf stays."""
    known = Preference({**plausible, "x": 0.1})
    assert known.of(one, fitness) <= fitness
    assert known.of(one, fitness) <= known.of(one, fitness + more)
    assert (known.of(one, fitness) == -INF) == (fitness == -INF)
    assert known.of(one | {name}, fitness) >= known.of((one - {name}) | {"x"}, fitness) or name in one


@FEW
@given(SHARES, FIGURES)
def test_where_every_column_is_as_plausible_nothing_changes(share, values):
    """Ranking, fitness and figures are those of a search without a preference."""
    known = Preference(dict.fromkeys(COLUMNS, share))
    ranked = [[(one.qids, one.own_fitness) for one in of_all(values, p).ranked] for p in (None, known)]
    assert ranked[0] == ranked[1]


@FEW
@given(PLAUSIBLE, FIGURES)
def test_ranking_front_and_what_would_be_best_without_are_those_that_all_sets_give(plausible, values):
    """Of all sets the best one by each fitness is counted anew; none on the front is fitter than the best."""
    known = Preference(plausible)
    found = of_all(values, known)
    every = sorted((known.of(one, values[one]) for one in SETS), reverse=True)
    assert [one.own_fitness for one in found.ranked] == every
    assert values[found.without_preference.qids] == max(values.values())
    assert max(one.own_fitness for one in found.front) == found.best.own_fitness


@FEW
@given(plausible=PLAUSIBLE, weights=st.fixed_dictionaries(dict.fromkeys(COLUMNS, st.integers(0, 5))))
def test_bounds_hold_for_the_preferred_fitness(search_by, plausible, weights):
    """For every interval of sets, of fitness of either sign: no set in it is above its bound."""
    figures = {"m": lambda qids: float(sum(weights[name] for name in qids))}

    def look(problem):
        own = {one.qids: one.own_fitness for one in problem.evaluate(SETS)}
        for (inside, outside), bound in zip(INTERVALS, problem.bounds(INTERVALS), strict=True):
            assert all(own[one] <= bound for one in SETS if inside <= one <= outside)

    more = {"facts": {"m": RISING}, "candidates": COLUMNS, "preference": Preference(plausible)}
    for weight in (1.0, -1.0):
        search_by(look, figures, {"m": weight}, **more)


@pytest.mark.parametrize("name", ["exhaustive", "branch_and_bound", "greedy", "beam", "tabu"])
def test_every_strategy_sees_the_preference(name):
    """B and c alone tell as much as a, which outsiders know: with the preference a is the best set of one."""
    by_itself = {"a": 3.0, "b": 4.0, "c": 3.5}
    measurer = make_measurer({"m": lambda qids: max(by_itself[one] for one in qids)}, {"m": RISING})
    strategy = load_host().search_strategy(name)
    plain, known = (
        run_search(measurer, sum_of({"m": 1.0}), strategy, candidates="abc", largest=1, preference=preference)
        for preference in (None, Preference(HALF))
    )
    assert [set(one.best.qids) for one in (plain, known)] == [{"b"}, {"a"}]
    assert (plain.without_preference, set(known.without_preference.qids)) == (None, {"b"})


def test_changes_since_a_current_set_are_multiplied_too(search_by):
    """The fitness beside a current set is that of the objective, lowered by the same factor."""
    known = Preference(HALF)

    def look(problem):
        found = problem.evaluate([A, frozenset("b")], current=A)
        told = [(one.fitness, one.values[-1]) for one in found]
        assert told == [(4.0, 1.0), (known.of("b", 4.0), known.factor("b"))]

    search_by(look, {"m": lambda qids: 4.0 * len(qids)}, candidates="ab", preference=known)


@pytest.mark.parametrize("share", [0, -0.1, 1.1, NAN])
def test_a_plausibility_is_above_zero_and_at_most_one(share):
    """A column of plausibility 0 could never be found."""
    with pytest.raises(ValueError, match="the plausibility of 'a' must be above 0 and at most 1"):
        Preference({"a": share})
