"""Measure questions on a table: shared statements, worst subsets, each fault kept to its plugin."""

from collections.abc import Sequence
from dataclasses import dataclass

from qidguard.core.errors import InternalError, MemoryLimitError, NotMeasurable, PluginError
from qidguard.core.grouping import Grouping
from qidguard.core.measurement import Measurement
from qidguard.core.metric import GroupBy, TableFunction, Unit
from qidguard.core.progress import SILENT, Progress
from qidguard.core.statistic import Number, Statistic, StatisticValues
from qidguard.engines.base import Table
from qidguard.measure.batch import batches, union
from qidguard.measure.figure_value import NO_REASON, checked, fault
from qidguard.measure.question import Question
from qidguard.measure.worst_subsets import Worst, WorstSubsets

MOST_SUBSETS = 2_000_000
"""Number of QID subsets that one question may ask for."""

MOST_SECONDS = 3600.0
"""Estimated time that the subsets of one question may take."""

FEW_SUBSETS = 10
"""Subsets up to which each is simply asked of the engine."""


@dataclass(kw_only=True)
class _Worst:
    """The worst value of one question so far."""

    value: Number | None = None
    qids: tuple[str, ...] = ()
    reason: str = ""
    is_fault: bool = False
    expected: float | None = None


NO_ORIGINAL = (
    "it compares the table with the one that it was made from, which nobody gave; measure it in qidguard"
    " anonymize, compare or release, or give the original"
)


def measure(table: Table, questions: Sequence[Question], progress: Progress = SILENT) -> list[Measurement]:
    """Return one measurement for each question, in order.

    A question about any m of the QIDs is measured on every such subset and answered by the worst. Where one
    subset cannot be measured, there is no answer.
    """
    worst = [_Worst(qids=question.qids) for question in questions]
    work: dict[Grouping, list[int]] = {}
    many: dict[tuple[tuple[str, ...], int], list[int]] = {}
    for i, question in enumerate(questions):
        if question.subsets > MOST_SUBSETS:
            worst[i].reason = (
                f"any {question.knows_any} of {len(question.qids)} QIDs make {question.subsets:,} subsets,"
                f" more than the {MOST_SUBSETS:,} that are measured; name fewer QIDs or another knows_any"
            )
            continue
        worst[i] = _asked(question, worst[i])
        if question.metric.needs_original and getattr(table, "changes", None) is None:
            worst[i].reason = NO_ORIGINAL
        if worst[i].reason:
            continue
        if question.knows_any is not None and question.subsets > FEW_SUBSETS:
            many.setdefault((question.qids, question.knows_any), []).append(i)
            continue
        for grouping in question.groupings():
            work.setdefault(grouping, []).append(i)
    for indexes in many.values():
        _find_worst(table, {i: questions[i] for i in indexes}, worst, work, progress)
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
        return _Worst(qids=question.qids, reason=str(reason) or NO_REASON)
    except (Exception, SystemExit, GeneratorExit) as raised:  # noqa: BLE001 - a plugin may raise anything
        error = raised
    return _Worst(qids=question.qids, reason=fault(question.metric, question.owner, error), is_fault=True)


def _find_worst(
    table: Table,
    questions: dict[int, Question],
    worst: list[_Worst],
    work: dict[Grouping, list[int]],
    progress: Progress,
) -> None:
    """Find the worst subset for questions about any m of the same QIDs; the engine is asked for its figure.

    Where a plugin fails, each question is looked at alone: only the one at fault goes without an answer.
    """
    try:
        subsets = WorstSubsets(table, list(questions.values()), progress)
        found = [Worst(reason=subsets.refusal(MOST_SECONDS))] * len(questions)
        if not found[0].reason:
            found = subsets.find()
    except PluginError as error:
        if len(questions) > 1:
            for i, question in questions.items():
                _find_worst(table, {i: question}, worst, work, progress)
            return
        [i] = questions
        worst[i].reason, worst[i].is_fault = str(error), True
        return
    for (i, question), one in zip(questions.items(), found, strict=True):
        if one.reason:
            worst[i].reason, worst[i].qids = one.reason, one.qids or question.qids
        else:
            work.setdefault(Grouping(qids=one.qids, sensitive=question.sensitive), []).append(i)
            worst[i].expected = one.value


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
    if worst.reason:
        return
    try:
        value = checked(question.metric, _value(table, grouping, question, shared))
    except NotMeasurable as reason:
        worst.value, worst.qids, worst.reason = None, grouping.qids, str(reason) or NO_REASON
    except PluginError as error:
        worst.value, worst.reason, worst.is_fault = None, f"{question.owner}: {error}", True
    except (MemoryLimitError, MemoryError):
        raise
    except (Exception, SystemExit, GeneratorExit) as error:  # noqa: BLE001 - a plugin may raise anything
        worst.value, worst.is_fault = None, True
        worst.reason = fault(question.metric, question.owner, error)
    else:
        if worst.expected is not None and float(value) != worst.expected:
            raise InternalError(
                f"metric {question.metric.name!r} of a set of QIDs is {value} by SQL and {worst.expected}"
                " in memory; report this as a fault of qidguard"
            )
        if worst.value is None or question.worse(value, worst.value) != worst.value:
            worst.value, worst.qids = value, grouping.qids


def _value(table: Table, grouping: Grouping, question: Question, shared: StatisticValues | None) -> Number:
    method = question.metric.method
    if isinstance(method, TableFunction):
        return method.measure(table, grouping, question.arguments)
    values = shared if shared is not None else table.statistics(grouping, question.statistics())
    return method.compute(values, question.arguments)


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
