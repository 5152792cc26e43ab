"""The worst of any m QIDs is found in memory, and is the one that asking for every subset gives."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import written_figures
from qidguard.core.metric import Direction
from qidguard.core.statistic import CLASSES, SMALLEST_CLASS
from qidguard.core.verdict import Bound
from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.engines.duckdb.engine import ENGINE
from qidguard.host import load_host
from qidguard.measuring import evaluator
from qidguard.measuring.evaluator import measure, too_long
from qidguard.measuring.question import Question
from qidguard.measuring.subset_measurer import SubsetMeasurer
from qidguard.sdk import GroupBy, InternalError, NotMeasurable, Statistic, TableFunction, Unit

QIDS = ("a", "b", "c", "d", "e", "f")
GENERATOR = np.random.default_rng(4)
TABLE = pd.DataFrame({name: GENERATOR.integers(0, 2 + i, 40) for i, name in enumerate(QIDS)}).assign(
    s=GENERATOR.integers(0, 3, 40)
)


def metric(compute, *statistics):
    """Return a metric."""
    facts = {"unit": Unit.PERSONS, "minimum": 0, "direction": Direction.HIGHER_IS_SAFER}
    return written_figures.metric("m", method=GroupBy(statistics=statistics, compute=compute), **facts)


SMALLEST = metric(lambda s, _: s["smallest_class"], SMALLEST_CLASS)
COUNT = metric(lambda s, _: s["classes"], CLASSES)


ASKED = {"arguments": {}, "qids": QIDS, "bound": Bound.AT_LEAST, "owner": "plugin 'p'", "knows_any": 3}


def question(of=SMALLEST, bound=Bound.AT_LEAST, **changes):
    """Return a question about any three of six columns: 20 subsets."""
    return Question(metric=of, **(ASKED | {"attribute": None, "bound": bound} | changes))


@pytest.fixture
def table():
    """Return the table, opened."""
    with ENGINE.open(TABLE, ReadOptions(), Needs(), EngineSettings(threads=1)) as opened:
        yield opened


@pytest.mark.slow
def test_the_worst_subset_is_the_one_that_asking_for_each_gives(table, monkeypatch):
    """Question, its type, the first worst set in the order of combinations and the reasons are the same."""
    host = load_host()
    questions = [
        question(),
        question(knows_any=2),
        question(COUNT, Bound.AT_MOST),
        question(host.metric("t_closeness"), Bound.AT_MOST, attribute="s"),
        question(host.metric("entropy_l_diversity"), attribute="s"),
        question(host.metric("marketer_risk"), Bound.AT_MOST, knows_any=2),
        question(host.metric("k_map")),
    ]
    in_memory = measure(table, questions)
    monkeypatch.setattr(evaluator, "FEW_SUBSETS", 1000)
    by_sql = measure(table, questions)
    assert in_memory == by_sql
    assert len({TABLE.groupby(list(two)).size().min() for two in combinations(QIDS, 2)}) > 1
    assert [type(m.value) for m in in_memory] == [int, int, int, float, float, float, type(None)]


def test_twenty_subsets_cost_one_statement_each_no_more(table, monkeypatch):
    """Only the worst subsets are asked of the engine, and what helps to choose the way."""
    asked = []
    original = table.statistics
    monkeypatch.setattr(table, "statistics", lambda g, w: asked.append(g.qids) or original(g, w))
    [found] = measure(table, [question()])
    assert len(asked) <= 2
    assert found.qids in asked


def test_of_equally_bad_subsets_the_first_is_named(table):
    """Several sets of three columns share the smallest class, and the first combination is the answer."""
    [found] = measure(table, [question()])
    smallest = {some: TABLE.groupby(list(some)).size().min() for some in combinations(QIDS, 3)}
    first = min(smallest, key=smallest.__getitem__)
    assert (found.value, found.qids, found.subsets) == (smallest[first], first, 20)


def test_one_subset_without_a_figure_is_no_answer(table):
    """The first subset that has none is named, with its reason."""

    def compute(values, _):
        if values["classes"] > 30:
            raise NotMeasurable("too many classes")
        return 1

    counts = {some: TABLE.groupby(list(some)).ngroups for some in combinations(QIDS, 3)}
    [found] = measure(table, [question(metric(compute, CLASSES))])
    assert (found.value, found.reason, found.is_fault) == (None, "too many classes", False)
    assert found.qids == next(some for some, count in counts.items() if count > 30)


def test_a_fault_in_memory_is_a_fault_of_its_plugin_alone(table):
    """A crash on one subset leaves the question without an answer, and the others with theirs."""

    def crash(values, _):
        return 1 // (0 if values["classes"] > 30 else 1)

    bad, good = measure(table, [question(metric(crash, CLASSES)), question()])
    assert (bad.value, bad.is_fault) == (None, True)
    assert bad.reason == "plugin 'p': metric 'm' failed with ZeroDivisionError; mend the plugin"
    assert good.value is not None


def test_hours_of_measuring_are_refused(table, monkeypatch):
    """The estimate decides, and the sentence says how long it would take and what to do."""
    monkeypatch.setattr(evaluator, "MOST_SECONDS", 1e-9)
    [found] = measure(table, [question()])
    said = ("any 3 of 6 QIDs make 20 subsets", "name fewer QIDs")
    assert (found.value, [words in found.reason for words in said]) == (None, [True, True])


@pytest.mark.slow
def test_functions_of_the_table_count_in_the_hours():
    """Nothing in memory helps a function of the table: 817,190 calls of one are refused."""
    wide = tuple(f"q{i}" for i in range(23))
    of = replace(SMALLEST, method=TableFunction(measure=lambda *_: 1))
    asked = [question(one, qids=wide, knows_any=9) for one in (SMALLEST, of)]
    assert asked[1].subsets == 817_190
    frame = pd.DataFrame({name: [0, 1] for name in wide})
    with ENGINE.open(frame, ReadOptions(), Needs(), EngineSettings(threads=1)) as opened:
        measurers = [SubsetMeasurer(opened, wide, [one], expected_sets=one.subsets) for one in asked]
        of_classes, of_table = (too_long(one, opened.records, 1200) for one in measurers)
    assert of_classes == ""
    assert of_table.startswith("any 9 of 23 QIDs make 817,190 subsets, which take about ")
    assert of_table.endswith("name fewer QIDs or another knows_any")
    assert "where 0.333333 are allowed" in of_table


def test_a_figure_that_sql_denies_is_never_given(table, monkeypatch):
    """Were memory and SQL to differ, the audit would stop and not choose."""
    original = table.statistics

    def odd(grouping, wanted):
        return {name: value + 1 for name, value in original(grouping, wanted).items()}

    monkeypatch.setattr(table, "statistics", odd)
    with pytest.raises(InternalError, match="by SQL"):
        measure(table, [question()])


def test_many_subsets_of_a_statistic_that_only_sql_knows(table):
    """What arrays cannot say is asked subset by subset, with the same answer."""
    odd = Statistic(name="odd", sql="sum(sqrt(size))")
    [found] = measure(table, [question(metric(lambda s, _: s["odd"], odd), Bound.AT_MOST)])
    sums = {some: np.sqrt(TABLE.groupby(list(some)).size()).sum() for some in combinations(QIDS, 3)}
    assert found.value == pytest.approx(max(sums.values()))
    assert found.qids == max(sums, key=sums.__getitem__)
