"""A set that takes too long is left out of a search, and single columns come first where a table is large."""

from types import SimpleNamespace

import pytest

from qidguard.sdk import StoppedBy, Termination
from qidguard.search.problem import LARGE_CELLS
from qidguard.search.run import run_search

COLUMNS = "abcdef"


@pytest.fixture
def slow(make_measurer, sum_of):
    """Return a search over a fake clock; a set takes the square of its size, in seconds, or what is left."""

    def run(strategy, *, table=None, **more):
        clock, measured = SimpleNamespace(now=0.0), []

        def pass_time(sets):
            measured.append(["".join(sorted(one)) for one in sets])
            clock.now += sum(len(one) ** 2 for one in sets)

        measurer = make_measurer({"m": len}, before=pass_time)

        def within(sets, seconds):
            if sum(len(one) ** 2 for one in sets) > seconds:
                clock.now += seconds
                return None
            return measurer.measure(sets)

        measurer.measure_within = within
        if table is not None:
            measurer.table = table
        given = {"candidates": COLUMNS, "clock": lambda: clock.now} | more
        return run_search(measurer, sum_of({"m": 1}), strategy, **given), measured

    return run


def evaluating(*words):
    """Return what a strategy does: it evaluates one set after the other."""

    def search(problem, _arguments, _seed):
        for word in words:
            problem.evaluate([frozenset(word)])
        return Termination(is_optimum=True)

    return search


def large(distinct=(3, 9, 4, 8, 5, 1)):
    """Return a large table of which only facts are known."""
    facts = [SimpleNamespace(name=n, groups=g) for n, g in zip(COLUMNS, distinct, strict=True)]
    return SimpleNamespace(records=LARGE_CELLS, columns=facts)


def test_a_set_that_does_not_fit_in_the_time_is_left_out(slow, strategy_of):
    """Sets a and ab take 5 of 10 seconds; abcdef would take 36: it is interrupted and left out."""
    found, measured = slow(strategy_of(evaluating("a", "ab", "abcdef", "b")), budget_seconds=10)
    assert (found.stopped_by, found.seconds, found.evaluations) == (StoppedBy.BUDGET, 10, 2)
    assert found.best.qids == frozenset("ab")
    assert measured == [["a"], ["ab"]]
    assert not found.is_optimum


def test_the_first_set_is_not_interrupted(slow, strategy_of):
    """A search without a single set would have no answer."""
    found, _ = slow(strategy_of(evaluating("abc", "a")), budget_seconds=2)
    assert (found.best.qids, found.seconds) == (frozenset("abc"), 9)


def test_without_a_budget_nothing_is_interrupted(slow, strategy_of):
    """Both sets are measured."""
    assert slow(strategy_of(evaluating("a", "abcdef")))[0].evaluations == 2


def test_single_columns_of_a_large_table_come_first(slow, strategy_of):
    """Those with most values first, one and then several; then what the strategy asks for.

    Of c nearly each value occurs once only, so it comes last, though it has the most.
    """
    found, measured = slow(
        strategy_of(evaluating("abcdef", "ab")),
        table=large((3, 9, LARGE_CELLS // 2, 8, 5, 1)),
        budget_seconds=1_000,
    )
    assert measured == [["b"], ["d", "e", "a", "f"], ["c"], ["abcdef"], ["ab"]]
    assert found.is_optimum


@pytest.mark.parametrize("case", ["without a budget", "a small table"])
def test_elsewhere_a_strategy_looks_as_it_likes(slow, strategy_of, case):
    """A budget that is far away must not change what small tables give, nor a search without one."""
    more = {"table": large()} if case == "without a budget" else {"budget_seconds": 1_000}
    assert slow(strategy_of(evaluating("ab")), **more)[1] == [["ab"]]


def test_a_large_table_whose_sets_are_too_slow_gives_its_best_small_ones(slow, strategy_of):
    """Six single columns take 6 of 12 seconds; all columns together do not fit in the 4 after them.

    The descent has 2 seconds, a pair takes 4: the best single column is the answer, within the budget.
    """
    found, _ = slow(strategy_of(evaluating("abcdef")), table=large(), budget_seconds=12, has_descent=True)
    assert (found.stopped_by, found.seconds, found.evaluations) == (StoppedBy.BUDGET, 12, 6)
    assert found.best.qids == frozenset("a")  # the first of equals
