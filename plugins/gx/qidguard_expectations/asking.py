"""What is asked of one batch while a suite runs: gathered first, then answered together on one open table."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self, cast

from qidguard.auditing.blocks import doubts
from qidguard.auditing.context import AuditContext
from qidguard.auditing.judging import report_on
from qidguard.auditing.summary import notes_on, policy_notes, summarize
from qidguard.core.column import ColumnFacts
from qidguard.core.errors import EmptyRecordsError, InternalError, UserError
from qidguard.core.progress import SILENT
from qidguard.core.report import AuditReport, ClassSummary
from qidguard.core.verdict import ThresholdResult, Verdict
from qidguard.host import load_host
from qidguard.interfaces.advice_output import is_wanted, lines_of_advice
from qidguard_expectations.answers import (
    FAULTS,
    ExpectationAnswer,
    of_columns,
    of_fault,
    of_policy,
    of_threshold,
)
from qidguard_expectations.questions import ExpectationQuestion
from qidguard.interfaces.batch_judging import Task, task, union
from qidguard.measuring.evaluator import measure

if TYPE_CHECKING:
    from qidguard.core.measurement import Measurement
    from qidguard.engines.base import Engine, EngineSettings, Needs, ReadOptions, Table
    from qidguard.host import Host
    from qidguard_expectations.batches.readers import BatchReader


@dataclass(frozen=True, kw_only=True)
class ColumnsPart:
    """What a table says of some of its columns.

    Args:
        columns: The facts of these columns.
        records: Number of records of the table.
        entities: Number of its entities, or None.
        missing_entities: Number of records whose entity is NULL.
        notes: How the table was read.
    """

    columns: tuple[ColumnFacts, ...]
    records: int
    entities: int | None
    missing_entities: int
    notes: tuple[str, ...]

    @classmethod
    def of(cls, table: "Table", names: Sequence[str]) -> Self:
        """Return the part of a table that these columns are."""
        return cls(
            columns=tuple(facts for facts in table.columns if facts.name in names),
            records=table.records,
            entities=table.entities,
            missing_entities=table.missing_entities,
            notes=table.notes,
        )


def answers(reader: "BatchReader", texts: Sequence[str]) -> dict[str, ExpectationAnswer]:
    """Return an answer for every question; whatever fails is the answer of those whom it concerns.

    Example:
        >>> answers(None, ["?"])["?"].details["reason"]
        'What the expectation asks did not reach its metric.'
    """
    answers_of: dict[str, ExpectationAnswer] = {}
    tasks: list[Task] = []
    names: tuple[str, ...] = ()
    for text in texts:
        try:
            asked = ExpectationQuestion.parse(text)
            if asked.kind == "refused":
                raise UserError(asked.reason)
            names = names or reader.names()
            if asked.kind == "columns":
                answers_of[text] = of_columns(asked.columns, names)
            else:
                tasks.append(task(text, asked, names, load_host()))
        except FAULTS as error:
            answers_of[text] = of_fault(error)
    shared: dict[object, list[Task]] = {}
    for asked_task in tasks:
        shared.setdefault(asked_task.sharing, []).append(asked_task)
    for group in shared.values():
        answers_of |= _answered(reader, group, load_host())
    return answers_of


def _answered(reader: "BatchReader", tasks: Sequence[Task], host: "Host") -> dict[str, ExpectationAnswer]:
    """Answer together, or else in halves, so that only the one at fault goes without an answer."""
    try:
        return _together(reader, tasks, host)
    except FAULTS as error:
        if len(tasks) == 1:
            return {tasks[0].text: of_fault(error)}
    half = len(tasks) // 2
    return _answered(reader, tasks[:half], host) | _answered(reader, tasks[half:], host)


def _together(reader: "BatchReader", tasks: Sequence[Task], host: "Host") -> dict[str, ExpectationAnswer]:
    started = time.perf_counter()
    first = tasks[0]
    engine = host.engine(first.plan.policy.engine)
    needs = replace(
        first.plan.needs,
        columns=union([asked_task.plan.needs.columns for asked_task in tasks]),
        rest=union([asked_task.plan.needs.rest for asked_task in tasks]) or (),
        compared=tuple(
            name for name in first.plan.names if any(name in t.plan.needs.compared for t in tasks)
        ),
    )
    settings = next((t.settings for t in tasks if t.asked.kind == "policy"), first.settings)
    columns = union([asked_task.columns for asked_task in tasks])
    table = _some_opened(reader, columns, first.options, engine, needs, settings) if columns else None
    if table is None:
        table = _opened(reader, None, first.options, engine, needs, settings)
    try:
        by_threshold = _thresholds(table, [t for t in tasks if t.asked.kind == "threshold"])
        for asked_task in tasks:
            if asked_task.asked.kind == "policy":
                report = _audited(engine, table, asked_task, host, reader, started)
                by_threshold[asked_task.text] = of_policy(report, _advice(reader, asked_task, report))
        return by_threshold
    finally:
        table.close()


def _some_opened(
    reader: "BatchReader",
    columns: "tuple[str, ...]",
    read: "ReadOptions",
    engine: "Engine",
    needs: "Needs",
    settings: "EngineSettings",
) -> "Table | None":
    """Open some columns of a batch; None where only the others tell whether a record holds any value."""
    try:
        table = _opened(reader, columns, replace(read, skip_empty_records=False), engine, needs, settings)
    except EmptyRecordsError:
        return None
    if len(columns) == 1 and any(facts.missing for facts in table.columns):
        table.close()
        return None
    return table


def _opened(
    reader: "BatchReader",
    columns: "tuple[str, ...] | None",
    read: "ReadOptions",
    engine: "Engine",
    needs: "Needs",
    settings: "EngineSettings",
) -> "Table":
    with reader.source(columns) as (source, options):
        if not engine.can_open(source):
            kind = type(source).__name__
            raise UserError(f"engine {engine.name!r} cannot open a batch that is a Python {kind}")
        return engine.open(source, options.meaning_as(read), needs, settings)


def _advice(reader: "BatchReader", task: Task, report: AuditReport) -> tuple[str, ...]:
    """Return what would make a blocked batch pass, as lines; the batch is read again for it."""
    if not is_wanted(report):
        return ()
    try:
        with _once_more(reader, task) as (source, read):
            return lines_of_advice(source, task.plan.policy, report, read=read, settings=task.settings)
    except FAULTS as error:  # the verdict stands
        return (f"There is no advice: the batch could not be read again ({type(error).__name__}).",)


@contextmanager
def _once_more(reader: "BatchReader", task: Task) -> "Iterator[tuple[Any, ReadOptions]]":
    """Give the whole batch once more, read as the policy says."""
    with reader.source(None) as (source, options):
        yield source, options.meaning_as(task.options)


def _audited(
    engine: "Engine", table: "Table", task: Task, host: "Host", reader: "BatchReader", started: float
) -> AuditReport:
    """Return the report of the ordinary audit on a table that is open already."""
    context = AuditContext(
        source=None,
        label=reader.label,
        policy=task.plan.policy,
        host=host,
        engine=engine,
        read=task.options,
        settings=task.settings,
        today=datetime.now(UTC).date(),
        progress=SILENT,
        reopened=lambda: _once_more(reader, task),
    )
    return report_on(context, table, task.plan, started)


def _thresholds(table: "Table", tasks: Sequence[Task]) -> dict[str, ExpectationAnswer]:
    """Measure what all thresholds ask at once, so that they share the statements of an audit."""
    if not tasks:
        return {}
    demands = [task.plan.demands[0] for task in tasks if task.plan.demands]
    figures = measure(table, [demand.question for demand in demands])
    named = {",".join(map(repr, demand.question.qids)): demand.question.qids for demand in demands}
    classes = {summary.qids: summary for summary in summarize(table, named)}
    return {
        task.text: _threshold(table, task, figure, classes)
        for task, figure in zip(tasks, figures, strict=True)
    }


def _threshold(
    table: "Table", task: Task, figure: "Measurement", classes: Mapping[tuple[str, ...], ClassSummary]
) -> ExpectationAnswer:
    policy, asked = task.plan.policy, task.plan.demands or ()
    limit = replace(asked[0].limit, combination=task.asked.combination, is_blocking=task.asked.is_blocking)
    result = ThresholdResult(limit=limit, measurement=figure)
    summary = replace(classes[asked[0].question.qids], combination=task.asked.combination)
    part = cast("Table", ColumnsPart.of(table, task.columns or task.plan.names))
    report = AuditReport(
        source="",
        verdict=Verdict(thresholds=(result,), blocks=tuple(doubts(part, policy, None, (), asked))),
        columns=(),
        summaries=(summary,),
        records=table.records,
        entities=table.entities,
        notes=(*notes_on(part, (summary,), [result]), *policy_notes(policy, ())),
        policy=None,
        policy_digest=None,
        preset=None,
        versions={},
        engine="",
        seconds=0.0,
    )
    return of_threshold(report)


class AskedBatch:
    """A batch, the questions about it and their answers. It keeps no table open.

    Args:
        reader: The batch.
    """

    def __init__(self, reader: "BatchReader") -> None:
        self._reader = reader
        self._waiting: dict[str, None] = {}
        self._answers: dict[str, ExpectationAnswer] = {}

    def ask(self, text: str) -> None:
        """Remember a question, to be answered together with the others."""
        if text not in self._answers:
            self._waiting[text] = None

    def answer(self, text: str) -> ExpectationAnswer:
        """Return the answer of a question; all that wait are answered at once."""
        self.ask(text)
        if text not in self._answers:
            waiting, self._waiting = list(self._waiting), {}
            try:
                self._answers |= answers(self._reader, waiting)
            except FAULTS as error:  # the words of an error that leaves here would be shown by GX
                self._answers |= dict.fromkeys(waiting, of_fault(error))
        lost = InternalError("The batch gave no answer to this expectation; run it again.")
        return self._answers.get(text) or of_fault(lost)
