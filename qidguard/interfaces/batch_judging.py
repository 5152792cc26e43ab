"""Several questions about one batch that another program holds, answered together on one open table.

A whole policy is judged as ``qidguard.audit`` judges it. A single threshold is a policy that says nothing
else, of which only the figure is wanted. Whatever fails is the answer of those whom it concerns.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Protocol, cast

from qidguard.auditing.blocks import doubts
from qidguard.auditing.context import AuditContext, engine_settings
from qidguard.auditing.judging import report_on
from qidguard.auditing.questions import AuditPlan, plan
from qidguard.auditing.reading import read_options
from qidguard.auditing.summary import notes_on, policy_notes, summarize
from qidguard.core.column import ColumnFacts
from qidguard.core.errors import EmptyRecordsError, InternalError, UserError
from qidguard.core.progress import SILENT
from qidguard.core.report import AuditReport, ClassSummary
from qidguard.core.verdict import ThresholdResult, Verdict
from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.interfaces.advice_output import is_wanted
from qidguard.measuring.evaluator import measure
from qidguard.rendering.document import document
from qidguard.rendering.sentence import reasons

if TYPE_CHECKING:
    from qidguard.core.measurement import Measurement
    from qidguard.engines.base import Engine, Table
    from qidguard.host import Host
    from qidguard.policy import Policy

FAULTS = (Exception, SystemExit, GeneratorExit)
"""What a library or a plugin may raise; only Ctrl-C goes on."""


class BatchSource(Protocol):
    """One batch; nothing is read before it is asked for."""

    @property
    def label(self) -> str:
        """What reports call it, never the options that chose its records."""

    def names(self) -> tuple[str, ...]:
        """Return the column names without reading a record; DataError where one stands twice."""

    def source(self, columns: Sequence[str] | None) -> AbstractContextManager[tuple[Any, ReadOptions]]:
        """Return a source of these columns alone, or of all, and what an engine must know to open it.

        It may be used until the context ends. Markers of missing values come on top of the options.
        """


@dataclass(frozen=True, kw_only=True)
class BatchQuestion:
    """What is asked of a batch.

    Args:
        policy: The policy; of a single threshold, one that says nothing else.
        is_figure: Whether only the figure of its one threshold is wanted, without an audit around it.
        combination: What results call the QIDs of a single threshold.
        is_blocking: Whether a missed single threshold fails; else it only warns.
    """

    policy: "Policy"
    is_figure: bool = False
    combination: str = "default"
    is_blocking: bool = True


@dataclass(frozen=True, kw_only=True)
class BatchAnswer:
    """What a batch answers.

    Args:
        report: The report; that of a single threshold speaks of its columns alone. None where something
            failed.
        advice: What would make a blocked batch pass, in lines.
        fault: What failed; its words may hold values of the table unless it is one of qidguard's own.
    """

    report: AuditReport | None = None
    advice: tuple[str, ...] = ()
    fault: BaseException | None = field(default=None, repr=False)

    @property
    def document(self) -> dict[str, Any]:
        """The report as the document of an audit; empty where there is none."""
        return {} if self.report is None else document(self.report)

    @property
    def reasons(self) -> list[str]:
        """Why it is blocked, one sentence each."""
        return [] if self.report is None else reasons(self.report)


def judge_batch(
    batch: BatchSource, questions: Sequence[BatchQuestion], host: "Host"
) -> tuple[BatchAnswer, ...]:
    """Return an answer for every question, in their order; those that can share one opened table.

    Args:
        batch: The batch.
        questions: What is asked.
        host: The plugins.

    Returns:
        The answers; whatever fails is the answer of those whom it concerns, so nothing is raised for them.

    Units:
        Every figure in a report carries its own.

    NULL in a quasi-identifier is a group of its own, and a batch without a record is blocked.

    Example:
        >>> from qidguard.host import load_host
        >>> from qidguard.policy import parse_policy
        >>> policy = parse_policy(
        ...     "{qidguard: 1, name: p, preset: pdpc-sg-5, roles: {quasi_identifiers: [age]}}"
        ... )
        >>> [answer] = judge_batch(None, [BatchQuestion(policy=policy)], load_host())
        >>> answer.report is None, isinstance(answer.fault, AttributeError)
        (True, True)
    """
    answers: dict[int, BatchAnswer] = {}
    shared: dict[object, list[_Task]] = {}
    names: tuple[str, ...] = ()
    for at, question in enumerate(questions):
        try:
            names = names or batch.names()
            task = _Task.of(at, question, names, host)
        except FAULTS as error:
            answers[at] = BatchAnswer(fault=error)
        else:
            shared.setdefault(task.sharing, []).append(task)
    for group in shared.values():
        answers |= _answered(batch, group, host)
    return tuple(answers[at] for at in range(len(questions)))


@dataclass(frozen=True, kw_only=True)
class _Task:
    """One question that fits the batch: what it demands, and what an engine has to open for it.

    Args:
        at: Its place among the questions.
        asked: The question.
        plan: What its policy demands of these columns.
        options: What values mean; how a file is read is the batch's business.
    """

    at: int
    asked: BatchQuestion
    plan: AuditPlan
    options: ReadOptions

    @classmethod
    def of(cls, at: int, asked: BatchQuestion, names: tuple[str, ...], host: "Host") -> "_Task":
        """Return the task that a question makes of a batch with these columns."""
        policy = asked.policy
        planned = plan(policy, names, host)
        if asked.is_figure:
            if not planned.demands:
                raise InternalError("a single threshold names its quasi-identifiers")
            needs = replace(planned.needs, compared=())  # a figure says nothing of other columns
            if not any(demand.question.metric.needs_rest for demand in planned.demands):
                needs = replace(needs, rest=())
            planned = replace(planned, needs=needs)
        options = ReadOptions().meaning_as(read_options(policy.source, policy.order))
        return cls(at=at, asked=asked, plan=planned, options=options)

    @property
    def sharing(self) -> tuple[str, ReadOptions, Needs, bool]:
        """What must be equal for two tasks to be answered from one opened table."""
        alike = replace(self.plan.needs, columns=None, rest=(), compared=())
        # a table that is kept whole does not say which columns carry others
        return self.plan.policy.engine, self.options, alike, self.plan.needs.columns is None

    @property
    def settings(self) -> EngineSettings:
        """The resources that the policy grants."""
        return engine_settings(self.plan.policy)

    @property
    def columns(self) -> tuple[str, ...] | None:
        """The columns to read: those of a threshold, or None: an audit describes every column."""
        kept = self.plan.needs.columns
        if not self.asked.is_figure or kept is None:
            return None
        more = (self.plan.needs.entity, self.plan.needs.weight)
        wanted = {*kept, *self.plan.needs.rest, *(name for name in more if name is not None)}
        return tuple(name for name in self.plan.names if name in wanted)


def _union(columns: Sequence[tuple[str, ...] | None]) -> tuple[str, ...] | None:
    """Return all columns, each once; None, which is every column, where one of them is None."""
    every: dict[str, None] = {}
    for names in columns:
        if names is None:
            return None
        every |= dict.fromkeys(names)
    return tuple(every)


def _answered(batch: BatchSource, tasks: Sequence[_Task], host: "Host") -> dict[int, BatchAnswer]:
    """Answer together, or else in halves, so that only the one at fault goes without an answer."""
    try:
        return _together(batch, tasks, host)
    except FAULTS as error:
        if len(tasks) == 1:
            return {tasks[0].at: BatchAnswer(fault=error)}
    half = len(tasks) // 2
    return _answered(batch, tasks[:half], host) | _answered(batch, tasks[half:], host)


def _together(batch: BatchSource, tasks: Sequence[_Task], host: "Host") -> dict[int, BatchAnswer]:
    started = time.perf_counter()
    first = tasks[0]
    engine = host.engine(first.plan.policy.engine)
    needs = replace(
        first.plan.needs,
        columns=_union([task.plan.needs.columns for task in tasks]),
        rest=_union([task.plan.needs.rest for task in tasks]) or (),
        compared=tuple(
            name for name in first.plan.names if any(name in t.plan.needs.compared for t in tasks)
        ),
    )
    settings = next((task.settings for task in tasks if not task.asked.is_figure), first.settings)
    columns = _union([task.columns for task in tasks])
    table = _some_opened(batch, columns, first.options, engine, needs, settings) if columns else None
    if table is None:
        table = _opened(batch, None, first.options, engine, needs, settings)
    try:
        answers = _figures(table, [task for task in tasks if task.asked.is_figure])
        for task in tasks:
            if not task.asked.is_figure:
                report = _audited(engine, table, task, host, batch, started)
                answers[task.at] = BatchAnswer(report=report, advice=_advice(batch, task, report))
        return answers
    finally:
        table.close()


def _some_opened(
    batch: BatchSource,
    columns: tuple[str, ...],
    read: ReadOptions,
    engine: "Engine",
    needs: Needs,
    settings: EngineSettings,
) -> "Table | None":
    """Open some columns of a batch; None where only the others tell whether a record holds any value."""
    try:
        table = _opened(batch, columns, replace(read, skip_empty_records=False), engine, needs, settings)
    except EmptyRecordsError:
        return None
    if len(columns) == 1 and any(facts.missing for facts in table.columns):
        table.close()
        return None
    return table


def _opened(
    batch: BatchSource,
    columns: tuple[str, ...] | None,
    read: ReadOptions,
    engine: "Engine",
    needs: Needs,
    settings: EngineSettings,
) -> "Table":
    with batch.source(columns) as (source, options):
        if not engine.can_open(source):
            kind = type(source).__name__
            raise UserError(f"engine {engine.name!r} cannot open a batch that is a Python {kind}")
        return engine.open(source, options.meaning_as(read), needs, settings)


def _advice(batch: BatchSource, task: _Task, report: AuditReport) -> tuple[str, ...]:
    """Return what would make a blocked batch pass, as lines; the batch is read again for it."""
    if not is_wanted(report):
        return ()
    from qidguard.advising.advice_lines import PLAIN_WIDTH, tried_lines
    from qidguard.advising.asking import advise, tried_advice

    try:
        with _once_more(batch, task) as (source, read):
            policy, settings = task.plan.policy, task.settings
            tried = tried_advice(lambda: advise(source, policy, report=report, read=read, settings=settings))
            return tuple(tried_lines(tried, PLAIN_WIDTH))
    except FAULTS as error:  # the verdict stands
        return (f"There is no advice: the batch could not be read again ({type(error).__name__}).",)


@contextmanager
def _once_more(batch: BatchSource, task: _Task) -> Iterator[tuple[Any, ReadOptions]]:
    """Give the whole batch once more, read as the policy says."""
    with batch.source(None) as (source, options):
        yield source, options.meaning_as(task.options)


def _audited(
    engine: "Engine", table: "Table", task: _Task, host: "Host", batch: BatchSource, started: float
) -> AuditReport:
    """Return the report of the ordinary audit on a table that is open already."""
    context = AuditContext(
        source=None,
        label=batch.label,
        policy=task.plan.policy,
        host=host,
        engine=engine,
        read=task.options,
        settings=task.settings,
        today=datetime.now(UTC).date(),
        progress=SILENT,
        reopened=lambda: _once_more(batch, task),
    )
    return report_on(context, table, task.plan, started)


def _figures(table: "Table", tasks: Sequence[_Task]) -> dict[int, BatchAnswer]:
    """Measure what all thresholds ask at once, so that they share the statements of an audit."""
    if not tasks:
        return {}
    demands = [task.plan.demands[0] for task in tasks if task.plan.demands]
    figures = measure(table, [demand.question for demand in demands])
    named = {",".join(map(repr, demand.question.qids)): demand.question.qids for demand in demands}
    classes = {summary.qids: summary for summary in summarize(table, named)}
    return {
        task.at: BatchAnswer(report=_figure_report(table, task, figure, classes))
        for task, figure in zip(tasks, figures, strict=True)
    }


@dataclass(frozen=True, kw_only=True)
class _ColumnsPart:
    """What a table says of some of its columns."""

    columns: tuple[ColumnFacts, ...]
    records: int
    entities: int | None
    missing_entities: int
    notes: tuple[str, ...]


def _figure_report(
    table: "Table", task: _Task, figure: "Measurement", classes: Mapping[tuple[str, ...], ClassSummary]
) -> AuditReport:
    policy, asked, names = task.plan.policy, task.plan.demands or (), task.columns or task.plan.names
    limit = replace(asked[0].limit, combination=task.asked.combination, is_blocking=task.asked.is_blocking)
    result = ThresholdResult(limit=limit, measurement=figure)
    summary = replace(classes[asked[0].question.qids], combination=task.asked.combination)
    columns = _ColumnsPart(
        columns=tuple(facts for facts in table.columns if facts.name in names),
        records=table.records,
        entities=table.entities,
        missing_entities=table.missing_entities,
        notes=table.notes,
    )
    part = cast("Table", columns)
    return AuditReport(
        source="",
        verdict=Verdict(thresholds=(result,), blocks=tuple(doubts(part, policy, (), asked))),
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
