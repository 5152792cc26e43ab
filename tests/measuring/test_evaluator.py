"""Tests of measuring questions on a table."""

from collections.abc import Callable

import pandas as pd
import pytest

from qidguard.core.metric import Direction
from qidguard.core.statistic import CLASSES, SMALLEST_CLASS
from qidguard.core.verdict import Bound
from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.engines.duckdb import ENGINE
from qidguard.measuring import evaluator
from qidguard.measuring.evaluator import measure
from qidguard.measuring.question import Question, batches
from qidguard.sdk import (
    ClassValue,
    DataError,
    Explanation,
    GroupBy,
    Metric,
    NotMeasurable,
    Statistic,
    TableFunction,
    Unit,
    UserError,
)

WORDS = Explanation(**dict.fromkeys(Explanation.__dataclass_fields__, "words"))
TABLE = pd.DataFrame({"a": [1, 1, 2, 2], "b": [1, 1, 1, 2], "c": [1, 2, 3, 4], "s": ["x", "x", "x", "y"]})


def metric(method: GroupBy | TableFunction, name: str = "m", maximum: float = float("inf")) -> Metric:
    """Return a metric with this method."""
    return Metric(
        name=name, title=name, unit=Unit.PERSONS, minimum=0, maximum=maximum,
        direction=Direction.HIGHER_IS_SAFER, method=method, explanation=WORDS,
    )  # fmt: skip


SMALLEST = metric(GroupBy(statistics=(SMALLEST_CLASS,), compute=lambda s, _: s["smallest_class"] or 0))


def failing(error: BaseException) -> Callable[..., int]:
    """Return a function that raises."""

    def fail(*_: object) -> int:
        raise error

    return fail


def question(of: Metric = SMALLEST, **changes: object) -> Question:
    """Return a question about columns a and b."""
    fields: dict[str, object] = {
        "metric": of, "arguments": {}, "qids": ("a", "b"), "attribute": None,
        "bound": Bound.AT_LEAST, "owner": "plugin 'p' of dist 1.0",
    }  # fmt: skip
    return Question(**(fields | changes))  # type: ignore[arg-type]


@pytest.fixture
def table():
    """Return the small table, opened."""
    with ENGINE.open(TABLE, ReadOptions(), Needs(), EngineSettings()) as opened:
        yield opened


def test_a_question_gets_its_figure(table):
    """Classes of (a, b) are {2, 1, 1}: the smallest holds one record."""
    [found] = measure(table, [question()])
    assert (found.value, found.unit, found.qids, found.subsets) == (1, "records", ("a", "b"), 1)


def test_an_attacker_who_knows_any_one_column_meets_the_worst_of_them(table):
    """Alone, a has classes of 2, b of 3 and 1, c only of 1: the worst is 1, first met on b."""
    [found] = measure(table, [question(qids=("a", "b", "c"), knows_any=1)])
    assert (found.value, found.qids, found.subsets) == (1, ("b",), 3)


def test_the_worst_of_an_upper_limit_is_the_largest(table):
    """For a figure that must be at most, the largest over the subsets counts."""
    count = metric(GroupBy(statistics=(CLASSES,), compute=lambda s, _: s["classes"] or 0))
    [found] = measure(table, [question(count, qids=("a", "b", "c"), knows_any=1, bound=Bound.AT_MOST)])
    assert (found.value, found.qids) == (4, ("c",))


def test_any_m_of_the_columns_equals_asking_for_each_subset(table):
    """Two of three columns: the minimum over the three pairs."""
    pairs = [("a", "b"), ("a", "c"), ("b", "c")]
    alone = [m.value for m in measure(table, [question(qids=pair) for pair in pairs])]
    [found] = measure(table, [question(qids=("a", "b", "c"), knows_any=2)])
    assert found.value == min(alone)


def test_too_many_subsets_are_not_measured(table, monkeypatch):
    """A question that would take for ever says so in place of trying."""
    monkeypatch.setattr(evaluator, "MOST_SUBSETS", 2)
    [found] = measure(table, [question(qids=("a", "b", "c"), knows_any=1)])
    assert found.value is None
    assert "3 subsets" in found.reason


def test_metrics_share_one_statement(table, monkeypatch):
    """Two metrics over the same columns cost one query."""
    asked = []
    original = table.statistics
    monkeypatch.setattr(table, "statistics", lambda g, w: asked.append(w) or original(g, w))
    count = metric(GroupBy(statistics=(CLASSES,), compute=lambda s, _: s["classes"] or 0), "n")
    figures = measure(table, [question(), question(count)])
    assert [f.value for f in figures] == [1, 3]
    assert len(asked) == 1


def test_one_name_with_two_meanings_is_asked_twice(table):
    """Two plugins may use one statistic's name for different SQL; each gets its own number."""
    other = Statistic(name="smallest_class", sql="max(size)")
    largest = metric(GroupBy(statistics=(other,), compute=lambda s, _: s["smallest_class"] or 0), "largest")
    questions = [question(), question(largest)]
    assert len(batches(questions)) == 2
    assert [f.value for f in measure(table, questions)] == [1, 2]


def test_class_values_of_one_name_are_asked_apart():
    """The same holds for class values."""
    ones = [ClassValue(name="v", sql=sql) for sql in ("count(*)", "max(n)")]
    metrics = [
        metric(
            GroupBy(statistics=(Statistic(name=f"s{i}", sql="min(v)", values=(v,)),), compute=lambda *_: 0)
        )
        for i, v in enumerate(ones)
    ]
    assert len(batches([question(m) for m in metrics])) == 2


CRASHES = [
    ZeroDivisionError("secret 4711"),
    KeyError("secret 4711"),
    RuntimeError(),
    UserError("secret 4711"),
    DataError("secret 4711"),
    GeneratorExit(),
]


@pytest.mark.parametrize("error", CRASHES, ids=lambda error: type(error).__name__)
def test_a_metric_that_fails_is_a_fault_of_its_plugin_alone(table, error):
    """A crash in one metric names the plugin, tells no value, and leaves the others their figures."""
    crash = metric(GroupBy(statistics=(CLASSES,), compute=failing(error)), "crash")
    bad, good = measure(table, [question(crash), question()])
    assert bad.value is None
    assert bad.is_fault
    assert "plugin 'p' of dist 1.0" in bad.reason
    assert "4711" not in bad.reason
    assert (good.value, good.is_fault) == (1, False)


def test_hostile_sql_is_a_fault_of_its_plugin_alone(table):
    """Bad SQL in one metric does not spoil the statement that others share."""
    hostile = Statistic(name="h", sql="(SELECT count(*) FROM '/etc/hostname')")
    bad, good = measure(
        table,
        [question(metric(GroupBy(statistics=(hostile,), compute=lambda s, _: s["h"] or 0))), question()],
    )
    assert bad.is_fault
    assert good.value == 1


def test_a_figure_that_does_not_exist_is_no_fault(table):
    """NotMeasurable carries its reason and blocks no other metric."""
    absent = metric(GroupBy(statistics=(CLASSES,), compute=failing(NotMeasurable("no root exists"))))
    [found] = measure(table, [question(absent)])
    assert (found.value, found.reason, found.is_fault) == (None, "no root exists", False)


def test_one_subset_without_an_answer_is_no_answer(table):
    """Where any subset cannot be measured, the worst is unknown, so there is none."""

    def only_a(_: object, grouping, __: object) -> int:
        if grouping.qids != ("a",):
            raise NotMeasurable("not here")
        return 5

    [found] = measure(table, [question(metric(TableFunction(measure=only_a)), knows_any=1)])
    assert (found.value, found.reason) == (None, "not here")


@pytest.mark.parametrize("value", [float("nan"), None, "7", True, 7, -1])
def test_a_figure_that_is_no_number_in_its_range_is_a_fault(table, value):
    """NaN, text, a truth value and a figure outside 0..5 are never figures."""
    odd = metric(TableFunction(measure=lambda *_: value), maximum=5)
    [found] = measure(table, [question(odd)])
    assert found.value is None
    assert found.is_fault


def test_progress_is_told_from_start_to_end(table):
    """The first step says 0, the last says all."""
    steps: list[tuple[int, int]] = []

    class Listener:
        def step(self, title: str, done: int, total: int) -> None:
            steps.append((done, total))

    measure(table, [question(qids=("a", "b", "c"), knows_any=1)], Listener())
    assert steps == [(0, 3), (1, 3), (2, 3), (3, 3)]


def test_an_interrupt_is_not_swallowed(table):
    """Ctrl-C in a metric stops the audit."""
    with pytest.raises(KeyboardInterrupt):
        measure(table, [question(metric(TableFunction(measure=failing(KeyboardInterrupt()))))])
