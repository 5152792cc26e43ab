"""Bounds: no set between two others has a higher own fitness, and nothing is claimed that is not known."""

import math
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard.sdk import Direction, NotMeasurable, Termination
from qidguard.search.run import run_search

COLUMNS = "abcd"
SETS = [frozenset(some) for size in range(1, 5) for some in combinations(COLUMNS, size)]
FEW = settings(max_examples=examples(60), deadline=None, derandomize=True, database=None)

FACTS = {
    "distinction": {
        "is_monotone": True,
        "direction": Direction.LOWER_IS_SAFER,
        "minimum": 0.0,
        "maximum": 1.0,
    },
    "mean_size": {"is_monotone": True, "direction": Direction.HIGHER_IS_SAFER, "minimum": 1.0},
    "penalty": {"is_of_size": True, "minimum": 0.5, "maximum": 1.0},
    "unknown": {"is_monotone": True, "direction": Direction.NEITHER},
}
WEIGHTS = st.sampled_from([-2.0, -0.3, 0.0, 0.1, 1.0, 5.0])
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


def asked(measurer, objective, strategy_of, look, **more):
    """Run a function of the problem."""

    def search(problem, _arguments, _seed):
        problem.evaluate([frozenset("a")])
        look(problem)
        return Termination()

    return run_search(measurer, objective, strategy_of(search), candidates=COLUMNS, **more)


@FEW
@given(
    records=RECORDS,
    weights=st.tuples(WEIGHTS, WEIGHTS, WEIGHTS),
    divisors=st.none() | st.tuples(WEIGHTS, WEIGHTS, WEIGHTS),
    largest=st.integers(1, 4),
)
def test_no_set_in_an_interval_is_above_its_bound(
    records, weights, divisors, largest, make_measurer, sum_of, strategy_of
):
    """For every interval of sets, sums and ratios with weights of either sign, sets up to a size."""
    objective = sum_of(
        dict(zip(FACTS, weights, strict=False)), divisors and dict(zip(FACTS, divisors, strict=False))
    )
    figures = counted(records)
    asked_for = figures if divisors is None else figures | {f"{n}_by": f for n, f in figures.items()}
    facts = FACTS | {f"{name}_by": fact for name, fact in FACTS.items()}
    measurer = make_measurer(asked_for, facts)
    # a divisor may be a metric that is a term already
    measurer.questions = tuple(measurer.questions[i % 3] for i in range(len(asked_for)))

    def look(problem):
        assert problem.has_bounds
        small = [qids for qids in SETS if len(qids) <= largest]
        own = {e.qids: e.own_fitness for e in problem.evaluate(small)}
        intervals = [(i, o) for i in [frozenset(), *SETS] for o in SETS if i <= o]
        for (inside, outside), bound in zip(intervals, problem.bounds(intervals), strict=True):
            between = [own[x] for x in small if inside <= x <= outside]
            assert max(between, default=-math.inf) <= bound
            if not between:
                assert bound == -math.inf

    try:
        asked(measurer, objective, strategy_of, look, largest=largest)
    except NotMeasurable as reason:
        # a ratio whose divisors are never positive has no best set, but bounds all the same
        assert "no positive number" in str(reason)  # noqa: PT017 - only some examples raise


def test_a_bound_of_one_set_is_its_fitness(make_measurer, sum_of, strategy_of):
    """Up to the slack for rounding, a billionth."""
    measurer = make_measurer(counted([("x", "y", "x", "y"), ("x", "y", "y", "y")]), FACTS)

    def look(problem):
        for qids in SETS:
            own = problem.evaluate([qids])[0].own_fitness
            bound = problem.bounds([(qids, qids)])[0]
            assert own < bound < own + 1e-7

    asked(measurer, sum_of({"distinction": 5, "mean_size": -0.4, "penalty": -1}), strategy_of, look)


@pytest.mark.parametrize(
    ("fact", "has_bounds"),
    [
        ({"is_of_size": True}, True),
        ({"change_of": "m"}, True),
        ({"is_monotone": True, "direction": Direction.LOWER_IS_SAFER}, True),
        ({"is_monotone": True, "direction": Direction.HIGHER_IS_SAFER}, True),
        ({"is_monotone": True, "direction": Direction.NEITHER}, False),
        ({"direction": Direction.LOWER_IS_SAFER}, False),
    ],
)
def test_bounds_are_known_where_each_term_allows_them(fact, has_bounds, make_measurer, sum_of, strategy_of):
    """A change, a metric of the size or a monotone one with a direction; else the bound is infinite."""
    monotone = {"is_monotone": True, "direction": Direction.LOWER_IS_SAFER}
    measurer = make_measurer({"m": len, "other": len}, {"m": monotone, "other": fact})

    def look(problem):
        assert problem.has_bounds == has_bounds
        assert (problem.bounds([(frozenset("a"), frozenset("ab"))])[0] < math.inf) == has_bounds

    asked(measurer, sum_of({"m": 1, "other": 1}), strategy_of, look)


def test_no_figure_leaves_the_metrics_own_range(make_measurer, sum_of, strategy_of):
    """Where the larger set has no figure, the bound is what the metric can be at most."""
    measurer = make_measurer({"distinction": lambda qids: 0.25 if len(qids) == 1 else math.nan}, FACTS)

    def look(problem):
        assert problem.bounds([(frozenset("a"), frozenset("ab"))])[0] == pytest.approx(2.0)
        assert problem.bounds([(frozenset("a"), frozenset("a"))])[0] == pytest.approx(0.5)

    asked(measurer, sum_of({"distinction": 2}), strategy_of, look)


def test_a_lack_of_figures_is_bounded_from_below_too(make_measurer, sum_of, strategy_of):
    """A mean class size is at least 1, even where the larger set has none: −2 with a weight of −2."""
    measurer = make_measurer({"mean_size": lambda qids: 8.0 if len(qids) == 1 else math.nan}, FACTS)

    def look(problem):
        assert problem.bounds([(frozenset("a"), frozenset("ab"))])[0] == pytest.approx(-2.0)

    asked(measurer, sum_of({"mean_size": -2}), strategy_of, look)


def test_divisors_that_cannot_be_positive_leave_no_fitness(make_measurer, sum_of, strategy_of):
    """Between a and ab the divisor is at most −1: no set there has a fitness."""
    functions = {"distinction": lambda qids: len(qids) / 4, "mean_size": lambda qids: 5 - len(qids)}
    measurer = make_measurer(functions, FACTS)

    def look(problem):
        assert problem.bounds([(frozenset("a"), frozenset("ab"))]) == [-math.inf]

    with pytest.raises(NotMeasurable, match="no positive number"):
        asked(measurer, sum_of({"distinction": 1}, {"mean_size": -1}), strategy_of, look)


def test_sets_above_the_largest_are_measured_for_bounds_and_never_the_best(
    make_measurer, sum_of, strategy_of
):
    """The whole set bounds the small ones; it is no candidate itself."""
    rising = {"m": {"is_monotone": True, "direction": Direction.LOWER_IS_SAFER}}
    measurer = make_measurer({"m": len}, rising)

    def look(problem):
        assert problem.bounds([(frozenset(), frozenset(COLUMNS))])[0] == pytest.approx(4.0)

    found = asked(measurer, sum_of({"m": 1}), strategy_of, look, largest=2)
    assert found.best.qids == {"a"}
    assert found.evaluations == 2
    assert [moment.best for moment in found.evolution] == [1.0]
    assert all(len(e.qids) <= 2 for e in (*found.ranked, *found.front))
