"""Measure questions on a table: shared statements, worst subsets, each fault kept to its plugin."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qidguard.core.errors import InternalError, NotMeasurable, PluginError
from qidguard.core.measurement import Interval, Measurement
from qidguard.core.metric import TableFunction, Unit
from qidguard.core.new_table import NewTableKind
from qidguard.core.progress import SILENT, Progress
from qidguard.core.statistic import Number, Statistic
from qidguard.core.verdict import Bound
from qidguard.engines.base import Table
from qidguard.measuring.answers import NO_REASON, code_of
from qidguard.measuring.cost import function_seconds
from qidguard.measuring.question import Question
from qidguard.measuring.runner import QuestionOutcome, Runner
from qidguard.measuring.subset_measurer import SubsetMeasurer

MOST_SUBSETS = 2_000_000
"""Number of QID subsets that one question may ask for."""

MOST_SECONDS = 3600.0
"""Estimated time that the subsets of one question may take."""

FEW_SUBSETS = 10
"""Subsets up to which each is simply asked of the engine."""

NO_ORIGINAL = (
    "it compares the table with the one that it was made from, which nobody gave; measure it in qidguard"
    " anonymize, compare or release, or give the original"
)


@dataclass(kw_only=True)
class _Worst:
    """The worst value of one question so far."""

    qids: tuple[str, ...]
    value: Number | None = None
    reason: str = ""
    is_fault: bool = False
    expected: float | None = None
    interval: Interval | None = None
    remark: str = ""


_Asked = dict[tuple[str, ...], list[int]]
"""QIDs → the questions that are asked of them."""


def measure(table: Table, questions: Sequence[Question], progress: Progress = SILENT) -> list[Measurement]:
    """Return one measurement for each question, in order.

    A question about any m of the QIDs is measured on every such subset and answered by the worst. Where one
    subset cannot be measured, there is no answer.
    """
    worst = [_Worst(qids=question.qids) for question in questions]
    asked: _Asked = {}
    many: dict[tuple[tuple[str, ...], int], list[int]] = {}
    for i, question in enumerate(questions):
        _refuse(table, question, worst[i])
        if worst[i].reason:
            continue
        if question.knows_any is not None and question.subsets > FEW_SUBSETS:
            many.setdefault((question.qids, question.knows_any), []).append(i)
            continue
        for qids in question.every_qids():
            asked.setdefault(qids, []).append(i)
    for indexes in many.values():
        _find_worst(table, {i: questions[i] for i in indexes}, worst, asked, progress)
    for done, (qids, indexes) in enumerate(asked.items()):
        progress.step("measuring", done, len(asked))
        runner = Runner(table, [(i, questions[i]) for i in indexes if not worst[i].reason])
        for i, outcome in runner.outcomes(qids):
            _add(questions[i], qids, outcome, worst[i])
    progress.step("measuring", len(asked), len(asked))
    return [_measurement(table, q, w) for q, w in zip(questions, worst, strict=True)]


def _refuse(table: Table, question: Question, worst: _Worst) -> None:
    """Note why a question cannot be asked at all."""
    if question.refusal:
        worst.reason = question.refusal
        return
    if question.subsets > MOST_SUBSETS:
        worst.reason = (
            f"any {question.knows_any} of {len(question.qids)} QIDs make {question.subsets:,} subsets,"
            f" more than the {MOST_SUBSETS:,} that are measured; name fewer QIDs or another knows_any"
        )
        return
    try:
        with code_of(question.metric, question.owner):
            for statistic in question.statistics():
                if not isinstance(statistic, Statistic):
                    raise PluginError.of_somebody(
                        f"metric {question.metric.name!r} needs {type(statistic).__name__}, not Statistic;"
                        " mend the plugin"
                    )
    except NotMeasurable as reason:
        worst.reason = str(reason) or NO_REASON
    except PluginError as error:
        worst.reason, worst.is_fault = str(error), True
    if question.metric.needs_original and getattr(table, "changes", None) is None:
        worst.reason = NO_ORIGINAL
    worst.reason = worst.reason or _refusal_of_new_table(table, question)


def _refusal_of_new_table(table: Table, question: Question) -> str:
    """Return why a metric has no figure on a new table, whose records are nobody's; empty where it has."""
    changes, metric = getattr(table, "changes", None), question.metric
    if changes is None or changes.new_table is None:
        return ""
    if metric.needs_original and changes.new_table.kind is NewTableKind.COUNTS:
        return "it compares records, and those of a table of counts are cells"
    if metric.needs_original and not metric.compares_tables:
        return "it compares each record with its original, and the records of a new table have none"
    if metric.needs_history:
        return "it follows persons from release to release, and no record of a new table is a person's"
    if metric.needs_population:
        return "it looks for persons of a population, and no record of a new table is a person's"
    return ""


def _find_worst(
    table: Table, questions: dict[int, Question], worst: list[_Worst], asked: _Asked, progress: Progress
) -> None:
    """Find the worst subset for questions about any m of the same QIDs; the engine is asked for its figure.

    Where a plugin fails, each question is looked at alone: only the one at fault goes without an answer.
    """
    asked_together = list(questions.values())
    first = asked_together[0]
    try:
        measurer = SubsetMeasurer(
            table, first.qids, asked_together, expected_sets=first.subsets, progress=progress
        )
        if refusal := too_long(measurer, table.records, MOST_SECONDS):
            for i in questions:
                worst[i].reason = refusal
            return
        every = measurer.every([first.knows_any or len(first.qids)])
    except PluginError as error:
        if len(questions) > 1:
            for i, question in questions.items():
                _find_worst(table, {i: question}, worst, asked, progress)
            return
        [i] = questions
        worst[i].reason, worst[i].is_fault = str(error), True
        return
    for j, (i, question) in enumerate(questions.items()):
        values = every.values[:, j]
        lacking = np.flatnonzero(np.isnan(values))
        worst_row = values.argmin() if question.bound is Bound.AT_LEAST else values.argmax()
        # the first in the order of combinations that has no figure, or that is as bad
        row = int(lacking[0] if len(lacking) else worst_row)
        qids = every.names(row)
        reason = measurer.reason(frozenset(qids), j) if len(lacking) else ""
        if reason:
            worst[i].qids, worst[i].reason = qids, reason
        else:
            asked.setdefault(qids, []).append(i)
            worst[i].expected = None if len(lacking) else float(values[row])


def too_long(measurer: SubsetMeasurer, records: int, most_seconds: float) -> str:
    """Return why the subsets of a measurer's questions, all alike, are too many; empty where they are not."""
    plan, first = measurer.plan, measurer.questions[0]
    functions = sum(isinstance(q.metric.method, TableFunction) for q in measurer.questions)
    estimate = plan.seconds[plan.path] + function_seconds(first.subsets, functions, records)
    if estimate <= most_seconds:
        return ""
    return (
        f"any {first.knows_any or len(first.qids)} of {len(first.qids)} QIDs make {first.subsets:,} subsets,"
        f" which take about {estimate / 3600:,.1f} hours where {most_seconds / 3600:g} are allowed; name"
        " fewer QIDs or another knows_any"
    )


def _add(question: Question, qids: tuple[str, ...], outcome: QuestionOutcome, worst: _Worst) -> None:
    value = outcome.value
    if value is None:
        worst.value, worst.reason, worst.is_fault = None, outcome.reason, outcome.fault is not None
        worst.qids = worst.qids if worst.is_fault else qids
        return
    if worst.expected is not None and float(value) != worst.expected:
        raise InternalError(
            f"metric {question.metric.name!r} of a set of QIDs is {value} by SQL and {worst.expected}"
            " in memory; report this as a fault of qidguard"
        )
    is_worse = worst.value is None or question.worse(value, worst.value) != worst.value
    # other questions may have had a later subset measured first
    is_earlier = value == worst.value and _rank(question, qids) < _rank(question, worst.qids)
    if is_worse or is_earlier:
        worst.value, worst.qids = value, qids
        worst.interval, worst.remark = outcome.interval, outcome.remark


def _rank(question: Question, qids: tuple[str, ...]) -> list[int]:
    """Return what orders the subsets of a question's QIDs as ``every_qids`` does."""
    return [question.qids.index(name) for name in qids]


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
        qids=question.rest if metric.needs_rest and question.rest is not None else worst.qids,
        sensitive=question.attribute,
        arguments=question.arguments,
        reason=worst.reason,
        subsets=question.subsets,
        is_fault=worst.is_fault,
        noised=question.noised,
        interval=None if worst.value is None else worst.interval,
        remark="" if worst.value is None else worst.remark,
    )
