"""Searches through the engine: figures of a real table, whatever the number of threads."""

import gc
import weakref

import pandas as pd
import pytest

from qidguard.engines.duckdb import ENGINE
from qidguard.measuring.question import Question
from qidguard.measuring.subset_measurer import SubsetMeasurer
from qidguard.sdk import (
    Direction,
    EngineSettings,
    Explanation,
    GroupBy,
    Metric,
    Needs,
    Objective,
    PluginError,
    ReadOptions,
    Statistic,
    Term,
    Termination,
    Unit,
)
from qidguard.search.run import run_search

FRAME = pd.DataFrame(
    {"a": ["x", "x", "y", "y", None, "x"], "b": [1, 2, 1, 2, 1, 1], "c": ["p", "p", "p", "q", "q", "p"]}
)
CLASSES, RECORDS = Statistic(name="how_many", sql="count(*)"), Statistic(name="everyone", sql="sum(size)")


def made(compute):
    """Return the measurer's figure of distinction, computed so."""
    words = Explanation(**dict.fromkeys(Explanation.__dataclass_fields__, "words"))
    metric = Metric(
        name="distinct",
        title="Distinction",
        unit=Unit.SHARE,
        minimum=0,
        maximum=1,
        direction=Direction.LOWER_IS_SAFER,
        method=GroupBy(statistics=(CLASSES, RECORDS), compute=compute),
        explanation=words,
    )
    return Question(metric=metric, arguments={}, owner="plugin 'x' of x-plugin 1.0")


OBJECTIVE = Objective(name="x", title="X", terms=(Term(metric="distinct"),))
DISTINCTION = made(lambda s, _: s["how_many"] / float(s["everyone"]))


def search(problem, _arguments, seed):
    """Evaluate all sets, in an order that the seed turns round."""
    sets = [frozenset(some) for some in ("a", "b", "c", "ab", "ac", "bc", "abc")]
    problem.evaluate(sets[:: -1 if seed else 1])
    problem.report("everything", 1, 1)
    return Termination(is_optimum=True)


def found(strategy_of, *, figure=DISTINCTION, threads=1, seed=0):
    """Return the result of a search on the table."""
    settings = EngineSettings(threads=threads)
    with ENGINE.open(FRAME, ReadOptions(), Needs(columns=tuple("abc")), settings) as table:
        measurer = SubsetMeasurer(table, "abc", (figure,))
        return run_search(measurer, OBJECTIVE, strategy_of(search), candidates="abc", seed=seed)


def test_fitness_is_counted_in_the_table(strategy_of):
    """The columns a and b make x1 x2 y1 y2 and NULL,1: five classes of six records; c splits none of them."""
    result = found(strategy_of)
    assert result.best.qids == {"a", "b"}
    assert result.best.fitness == pytest.approx(5 / 6)
    assert [sorted(e.qids) for e in result.ranked][:3] == [["a", "b"], ["a", "b", "c"], ["a", "c"]]


@pytest.mark.slow
def test_threads_change_nothing(strategy_of, timeless):
    """The same seed gives the same result for any number of threads, and another order the same best set."""
    alone = timeless(found(strategy_of))
    assert alone == timeless(found(strategy_of, threads=2)) == timeless(found(strategy_of, threads=3))
    assert found(strategy_of, seed=1).ranked == alone.ranked


def test_a_metrics_fault_names_the_metrics_plugin(strategy_of):
    """Not the strategy's."""
    with pytest.raises(PluginError, match=r"plugin 'x' of x-plugin 1.0: metric 'distinct'"):
        found(strategy_of, figure=made(lambda *_: 1 / 0))


def test_what_was_measured_is_given_back_at_the_end(strategy_of):
    """Nothing waits for the garbage collector: the measurer of a large table can hold much memory."""
    gc.disable()
    try:
        with ENGINE.open(FRAME, ReadOptions(), Needs(columns=tuple("abc")), EngineSettings()) as table:
            measurer = SubsetMeasurer(table, "abc", (DISTINCTION,))
            kept = weakref.ref(measurer)
            run_search(measurer, OBJECTIVE, strategy_of(search), candidates="abc")
            del measurer
            assert kept() is None
    finally:
        gc.enable()
