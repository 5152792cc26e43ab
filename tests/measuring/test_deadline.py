"""Work on a table ends at a deadline; what was measured then is neither believed nor remembered."""

import math
from dataclasses import replace
from threading import Event

import pandas as pd
import pytest

from qidguard.anonymizing.example import CLASSES_QUESTION
from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.engines.duckdb.engine import ENGINE
from qidguard.measuring.cost import Path
from qidguard.measuring.question import Question
from qidguard.measuring.subset_measurer import SubsetMeasurer, deadline
from qidguard.sdk import TableFunction
from written_figures import metric

TABLE = pd.DataFrame({"a": [1, 1, 2, 3], "b": list("abab")})
A = frozenset({"a"})


class Interruptible:
    """A table whose work waits until it is interrupted."""

    def __init__(self):
        self.is_interrupted, self.came = False, Event()

    def interrupt(self):
        """End what waits."""
        self.came.set()


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError, None])
def test_past_the_deadline_whatever_comes_of_the_work_ends_there(error):
    """An interrupted statement, a plugin that takes it for a fault, and one that hides it are the same."""
    table = Interruptible()
    with deadline(table, 0.0) as end:
        assert table.came.wait()
        assert table.is_interrupted
        if error is not None:
            raise error
    assert end.has_come
    assert not table.is_interrupted


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_before_the_deadline_faults_and_ctrl_c_are_what_they_are(error):
    """There is no reason to hide them; nothing is interrupted afterward."""
    table = Interruptible()
    with pytest.raises(error), deadline(table, 1_000.0):
        raise error
    assert not table.came.is_set()
    assert not table.is_interrupted


@pytest.mark.parametrize(("table", "seconds"), [(object(), 0.0), (Interruptible(), math.inf)])
def test_what_cannot_be_interrupted_or_need_not_be_goes_on(table, seconds):
    """An engine of a plugin need not know how to end a statement."""
    with deadline(table, seconds) as end:
        pass
    assert not end.has_come


def swallowing(wait):
    """Return a metric that hides its interruption behind a figure of its own."""

    def measure(view, _grouping, _arguments):
        while wait.is_set() and not view.is_interrupted:
            pass
        if view.is_interrupted:
            return 99.0
        return float(len(view.class_sizes(_grouping.qids)))

    return replace(metric("classes"), method=TableFunction(measure=measure))


def test_an_interrupted_figure_is_neither_given_nor_remembered():
    """A metric that gives 99 when it is interrupted: None comes back, and 3 classes when asked again."""
    wait = Event()
    wait.set()
    with ENGINE.open(TABLE, ReadOptions(), Needs(), EngineSettings()) as table:
        measurer = SubsetMeasurer(table, ("a", "b"), [Question(metric=swallowing(wait), arguments={})])
        assert measurer.measure_within([A], 0.01) is None
        assert measurer.evaluations == 0
        wait.clear()
        assert measurer.measure_within([A], 1_000.0).tolist() == [[3.0]]
        assert measurer.measure([A, frozenset("ab")]).tolist() == [[3.0], [4.0]]
        assert measurer.measure_within([A], 0.0).tolist() == [[3.0]]  # which is remembered


@pytest.mark.parametrize(("is_hurried", "ways"), [(True, ["sql", "refinement"]), (False, ["refinement"] * 2)])
def test_single_columns_of_a_large_table_are_asked_of_the_engine_in_a_hurry(monkeypatch, is_hurried, ways):
    """In memory all columns would be read first; figures are the same, and larger sets are measured there."""
    monkeypatch.setattr("qidguard.measuring.subset_measurer.is_long_to_count", lambda *_: True)
    taken = []
    with ENGINE.open(TABLE, ReadOptions(), Needs(), EngineSettings()) as table:
        questions = [CLASSES_QUESTION]
        measurer = SubsetMeasurer(table, ("a", "b"), questions, is_hurried=is_hurried)
        measurer.plan = replace(measurer.plan, path=Path.REFINEMENT)
        real = measurer._paths.measure
        measurer._paths.measure = lambda *given: (taken.append(given[2].value), real(*given))
        assert measurer.measure([A, frozenset("b")]).tolist() == [[3.0], [2.0]]
        assert measurer.measure([frozenset("ab")]).tolist() == [[4.0]]
    assert taken == ways


def test_columns_that_a_function_takes_one_by_one_are_coded_together():
    """A large table is coded once for all sets that are asked for together, not once a column."""
    coded = []
    with ENGINE.open(TABLE, ReadOptions(), Needs(), EngineSettings()) as table:
        real = table.prepare
        table.prepare = lambda names: (coded.append(list(names)), real(names))
        measurer = SubsetMeasurer(table, ("a", "b"), [Question(metric=swallowing(Event()), arguments={})])
        measurer.measure([A, frozenset("b")])
    assert coded == [["a", "b"]]
