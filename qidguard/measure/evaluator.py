"""Measure questions on a table: shared statements, worst subsets, each fault kept to its plugin."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from qidguard.core.errors import MemoryLimitError, NotMeasurable, PluginError
from qidguard.core.grouping import Grouping
from qidguard.core.measurement import Measurement
from qidguard.core.metric import Direction, GroupBy, TableFunction, Unit
from qidguard.core.progress import SILENT, Progress
from qidguard.core.statistic import Number, Statistic, StatisticValues
from qidguard.engines.base import Table
from qidguard.measure.batch import batches, union
from qidguard.measure.question import Question

MOST_SUBSETS = 20_000
"""Number of QID subsets that one question may ask for."""

_NO_REASON = "no number exists for this table"

_SLACK = 1e-9
"""How far beyond its range a figure may lie through rounding, relative to the range's end."""


@dataclass(kw_only=True)
class _Worst:
    """The worst value of one question so far."""

    value: Number | None = None
    qids: tuple[str, ...] = ()
    reason: str = ""
    is_fault: bool = False
    seen: int = 0


def measure(table: Table, questions: Sequence[Question], progress: Progress = SILENT) -> list[Measurement]:
    """Return one measurement for each question, in order.

    A question about any m of the QIDs is measured on every such subset and answered by the worst. Where one
    subset cannot be measured, there is no answer.
    """
    worst = [_Worst(qids=question.qids) for question in questions]
    work: dict[Grouping, list[int]] = {}
    for i, question in enumerate(questions):
        if question.subsets > MOST_SUBSETS:
            worst[i].reason = (
                f"any {question.knows_any} of {len(question.qids)} QIDs make {question.subsets:,} subsets,"
                f" more than the {MOST_SUBSETS:,} that are measured; name fewer QIDs or another knows_any"
            )
            continue
        worst[i] = _asked(question, worst[i])
        if worst[i].reason:
            continue
        for grouping in question.groupings():
            work.setdefault(grouping, []).append(i)
    work = _merged(work, questions)
    for done, (grouping, indexes) in enumerate(work.items()):
        progress.step("measuring", done, len(work))
        _measure_grouping(table, grouping, {i: questions[i] for i in indexes}, worst)
    progress.step("measuring", len(work), len(work))
    return [_measurement(table, q, w) for q, w in zip(questions, worst, strict=True)]


def _asked(question: Question, worst: _Worst) -> _Worst:
    """Return ``worst`` with a reason where the metric cannot even say which statistics it needs."""
    try:
        if all(isinstance(statistic, Statistic) for statistic in question.statistics()):
            return worst
        error: BaseException = TypeError()
    except NotMeasurable as reason:
        return _Worst(qids=question.qids, reason=str(reason) or _NO_REASON)
    except (Exception, SystemExit, GeneratorExit) as raised:  # noqa: BLE001 - a plugin may raise anything
        error = raised
    return _Worst(qids=question.qids, reason=_fault(question, error), is_fault=True)


def _fault(question: Question, error: BaseException) -> str:
    """Return a sentence on a plugin's failure; the error's own words could carry values of the table."""
    kind = type(error).__name__
    return f"{question.owner}: metric {question.metric.name!r} failed with {kind}; mend the plugin"


def _merged(work: dict[Grouping, list[int]], questions: Sequence[Question]) -> dict[Grouping, list[int]]:
    """Let group-by questions about class sizes ride along with a sensitive attribute over the same QIDs."""
    rides = {grouping.qids: grouping for grouping in work if grouping.sensitive is not None}
    merged: dict[Grouping, list[int]] = {}
    for grouping, indexes in work.items():
        for i in indexes:
            is_group_by = isinstance(questions[i].metric.method, GroupBy)
            target = rides.get(grouping.qids, grouping) if is_group_by else grouping
            merged.setdefault(grouping if grouping.sensitive is not None else target, []).append(i)
    return merged


def _measure_grouping(
    table: Table, grouping: Grouping, questions: dict[int, Question], worst: list[_Worst]
) -> None:
    for batch in batches(questions.values()):
        try:
            shared: StatisticValues | None = table.statistics(grouping, union(batch))
        except (PluginError, NotMeasurable, ValueError):
            shared = None  # ask one by one, so that only the one at fault goes without an answer
        for i, question in questions.items():
            if any(question is q for q in batch):
                _add(table, grouping, question, shared, worst[i])


def _add(
    table: Table, grouping: Grouping, question: Question, shared: StatisticValues | None, worst: _Worst
) -> None:
    worst.seen += 1
    if worst.reason:
        return
    try:
        value = _checked(question, _value(table, grouping, question, shared))
    except NotMeasurable as reason:
        worst.value, worst.qids, worst.reason = None, grouping.qids, str(reason) or _NO_REASON
    except PluginError as error:
        worst.value, worst.reason, worst.is_fault = None, f"{question.owner}: {error}", True
    except (MemoryLimitError, MemoryError):
        raise
    except (Exception, SystemExit, GeneratorExit) as error:  # noqa: BLE001 - a plugin may raise anything
        worst.value, worst.is_fault = None, True
        worst.reason = _fault(question, error)
    else:
        if worst.value is None or question.worse(value, worst.value) != worst.value:
            worst.value, worst.qids = value, grouping.qids


def _value(table: Table, grouping: Grouping, question: Question, shared: StatisticValues | None) -> Number:
    method = question.metric.method
    if isinstance(method, TableFunction):
        return method.measure(table, grouping, question.arguments)
    values = shared if shared is not None else table.statistics(grouping, question.statistics())
    return method.compute(values, question.arguments)


def _checked(question: Question, value: object) -> Number:
    """Return a figure inside its metric's range; PluginError for anything else."""
    metric = question.metric
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, (int, float)) or math.isnan(value):
        raise PluginError(f"metric {metric.name!r} gave no number; mend the plugin")
    if math.isinf(value) and metric.direction is not (
        Direction.LOWER_IS_SAFER if value > 0 else Direction.HIGHER_IS_SAFER
    ):
        # a division by zero must not be safer than every limit
        raise PluginError(
            f"metric {metric.name!r} gave {value}, which no table is as safe as; mend the plugin"
        )
    low, high = metric.minimum, metric.maximum
    if value < low - _SLACK * max(1.0, abs(low)) or value > high + _SLACK * max(1.0, abs(high)):
        raise PluginError(
            f"metric {metric.name!r} gave {value}, outside its range {low}..{high}; mend the plugin"
        )
    return min(max(value, low), high) if isinstance(value, float) else value


def _measurement(table: Table, question: Question, worst: _Worst) -> Measurement:
    metric = question.metric
    unit = (
        ("entities" if table.has_entities else "records")
        if metric.unit is Unit.PERSONS
        else metric.unit.value
    )
    return Measurement(
        metric=metric.name,
        title=metric.title,
        value=worst.value,
        unit=unit,
        qids=worst.qids,
        sensitive=question.sensitive,
        arguments=question.arguments,
        reason=worst.reason,
        subsets=question.subsets,
        is_fault=worst.is_fault,
    )
