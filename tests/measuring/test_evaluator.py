"""Tests of measuring questions on a table."""

from collections.abc import Callable

import pandas as pd
import pytest

import written_figures
from qidguard.core.metric import Direction
from qidguard.core.statistic import CLASSES, SMALLEST_CLASS
from qidguard.core.verdict import Bound
from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.engines.duckdb.engine import ENGINE
from qidguard.measuring import evaluator
from qidguard.measuring.evaluator import measure
from qidguard.measuring.question import Question, batches
from qidguard.sdk import (
    ClassValue,
    DataError,
    GroupBy,
    Metric,
    NotMeasurable,
    Statistic,
    TableFunction,
    Unit,
    UserError,
)


def metric(method: GroupBy | TableFunction, name: str = "m", maximum: float = float("inf")) -> Metric:
    """Return a metric with this method."""
    facts = {"unit": Unit.PERSONS, "minimum": 0, "maximum": maximum, "direction": Direction.HIGHER_IS_SAFER}
    return written_figures.metric(name, method=method, **facts)


TABLE = pd.DataFrame({"a": [1, 1, 2, 2], "b": [1, 1, 1, 2], "c": [1, 2, 3, 4], "s": ["x", "x", "x", "y"]})


SMALLEST = metric(GroupBy(statistics=(SMALLEST_CLASS,), compute=lambda s, _: s["smallest_class"] or 0))


def failing(error: BaseException) -> Callable[..., int]:
    """Return a function that raises."""

    def fail(*_: object) -> int:
        raise error

    return fail


COUNT = metric(GroupBy(statistics=(CLASSES,), compute=lambda s, _: s["classes"] or 0), "n")
ANY_ONE = {"qids": ("a", "b", "c"), "knows_any": 1}


def question(of: Metric = SMALLEST, **changes: object) -> Question:
    """Return a question about columns a and b."""
    fields: dict[str, object] = {"metric": of, "arguments": {}, "qids": ("a", "b"), "attribute": None}
    fields |= {"bound": Bound.AT_LEAST, "owner": "plugin 'p' of dist 1.0"}
    return Question(**(fields | changes))  # type: ignore[arg-type]


@pytest.fixture
def table():
    """Return the small table, opened."""
    with ENGINE.open(TABLE, ReadOptions(), Needs(), EngineSettings()) as opened:
        yield opened


@pytest.mark.parametrize(
    ("of", "changes", "expected"),
    [
        (SMALLEST, {}, (1, "records", ("a", "b"), 1)),
        (SMALLEST, ANY_ONE, (1, "records", ("b",), 3)),
        (SMALLEST, ANY_ONE | {"knows_any": 2}, (1, "records", ("a", "b"), 3)),
        (COUNT, ANY_ONE | {"bound": Bound.AT_MOST}, (4, "records", ("c",), 3)),
    ],
)
def test_a_question_gets_its_figure(table, of, changes, expected):
    """Classes of (a, b) are {2, 1, 1}; alone, a has 2 and 2, b 3 and 1, c only 1: the first worst is told."""
    [found] = measure(table, [question(of, **changes)])
    assert (found.value, found.unit, found.qids, found.subsets) == expected


def test_which_subset_is_told_does_not_depend_on_what_else_is_asked(table):
    """Of b and c, which are as bad, b is told; another question has c measured first."""
    [_, found] = measure(table, [question(qids=("c",)), question(**ANY_ONE)])
    assert found.qids == ("b",)


def test_too_many_subsets_are_not_measured(table, monkeypatch):
    """A question that would take for ever says so in place of trying."""
    monkeypatch.setattr(evaluator, "MOST_SUBSETS", 2)
    [found] = measure(table, [question(**ANY_ONE)])
    assert (found.value, "3 subsets" in found.reason) == (None, True)


def test_metrics_share_one_statement_unless_one_name_has_two_meanings(table, monkeypatch):
    """Two plugins may use one name for different SQL, also of a class value; each gets its own number."""
    asked = []
    original = table.statistics
    monkeypatch.setattr(table, "statistics", lambda g, w: asked.append(w) or original(g, w))
    assert [f.value for f in measure(table, [question(), question(COUNT)])] == [1, 3]
    assert len(asked) == 1
    other = Statistic(name="smallest_class", sql="max(size)")
    largest = metric(GroupBy(statistics=(other,), compute=lambda s, _: s["smallest_class"] or 0), "largest")
    questions = [question(), question(largest)]
    assert (len(batches(questions)), [f.value for f in measure(table, questions)]) == (2, [1, 2])
    values = [(ClassValue(name="v", sql=sql),) for sql in ("count(*)", "max(n)")]
    wanted = [Statistic(name=f"s{i}", sql="min(v)", values=v) for i, v in enumerate(values)]
    apart = [question(metric(GroupBy(statistics=(one,), compute=lambda *_: 0))) for one in wanted]
    assert len(batches(apart)) == 2


ERRORS = (
    ZeroDivisionError("secret"),
    KeyError("secret"),
    RuntimeError(),
    UserError("secret"),
    DataError("secret"),
)
HOSTILE = Statistic(name="h", sql="(SELECT count(*) FROM '/etc/hostname')")
ABSENT = NotMeasurable("no root exists")
WRONG = [
    *((GroupBy(statistics=(CLASSES,), compute=failing(error)), True) for error in (*ERRORS, GeneratorExit())),
    (GroupBy(statistics=(HOSTILE,), compute=lambda s, _: s["h"] or 0), True),
    *((TableFunction(measure=lambda *_, v=v: v), True) for v in (float("nan"), None, "7", True, 7, -1)),
    (GroupBy(statistics=(CLASSES,), compute=failing(ABSENT)), False),
]


@pytest.mark.parametrize(("method", "is_fault"), WRONG)
def test_a_metric_that_fails_is_a_fault_of_its_plugin_alone(table, method, is_fault):
    """The plugin is named, no value told, and others keep their figures; what does not exist is no fault."""
    bad, good = measure(table, [question(metric(method, maximum=5)), question()])
    assert (bad.value, bad.is_fault, good.value, good.is_fault) == (None, is_fault, 1, False)
    assert ("plugin 'p' of dist 1.0" in bad.reason, "secret" in bad.reason) == (is_fault, False)
    assert is_fault or bad.reason == "no root exists"


def test_one_subset_without_an_answer_is_no_answer(table):
    """Where any subset cannot be measured, the worst is unknown, so there is none."""

    def only_a(_: object, grouping, __: object) -> int:
        if grouping.qids != ("a",):
            raise NotMeasurable("not here")
        return 5

    [found] = measure(table, [question(metric(TableFunction(measure=only_a)), knows_any=1)])
    assert (found.value, found.reason) == (None, "not here")


def test_progress_is_told_from_start_to_end(table):
    """The first step says 0, the last says all."""
    steps: list[tuple[int, int]] = []

    class Listener:
        def step(self, title: str, done: int, total: int) -> None:
            steps.append((done, total))

    measure(table, [question(**ANY_ONE)], Listener())
    assert steps == [(0, 3), (1, 3), (2, 3), (3, 3)]


def test_an_interrupt_is_not_swallowed(table):
    """Ctrl-C in a metric stops the audit."""
    with pytest.raises(KeyboardInterrupt):
        measure(table, [question(metric(TableFunction(measure=failing(KeyboardInterrupt()))))])
