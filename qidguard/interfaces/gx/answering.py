"""Answer every question about a batch, from as few openings of it as the questions allow."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

from qidguard.auditing.doubts import doubts
from qidguard.auditing.run import AuditRequest, run_audit
from qidguard.auditing.summary import notes_on, policy_notes, summarise
from qidguard.core.errors import UserError
from qidguard.core.progress import SILENT
from qidguard.core.report import AuditReport, ClassSummary
from qidguard.core.verdict import ThresholdResult, Verdict
from qidguard.host import load_host
from qidguard.interfaces.gx.answer import FAULTS, Answer, of_columns, of_fault, of_policy, of_threshold
from qidguard.interfaces.gx.asked import Asked
from qidguard.interfaces.gx.opened import OpenedEngine, Part
from qidguard.interfaces.gx.task import Task, task, union
from qidguard.measure.evaluator import measure

if TYPE_CHECKING:
    from qidguard.core.measurement import Measurement
    from qidguard.engines.base import Table
    from qidguard.host import Host
    from qidguard.interfaces.gx.batches.reader import Reader


def answers(reader: "Reader", texts: Sequence[str]) -> dict[str, Answer]:
    """Return an answer for every question; whatever fails is the answer of those whom it concerns.

    Args:
        reader: The batch.
        texts: The questions, as metrics are told them.

    Returns:
        Question → answer.

    Units:
        Those of the metrics.

    Raises:
        KeyboardInterrupt: When somebody stops it.

    Example:
        >>> answers(None, ["?"])["?"].details["reason"]
        'What the expectation asks did not reach its metric.'
    """
    found: dict[str, Answer] = {}
    tasks: list[Task] = []
    names: tuple[str, ...] = ()
    for text in texts:
        try:
            asked = Asked.parse(text)
            names = names or reader.names()
            if asked.kind == "columns":
                found[text] = of_columns(asked.columns, names)
            else:
                tasks.append(task(text, asked, names, load_host()))
        except FAULTS as error:
            found[text] = of_fault(error)
    shared: dict[object, list[Task]] = {}
    for one in tasks:
        shared.setdefault(one.sharing, []).append(one)
    for group in shared.values():
        found |= _answered(reader, group, load_host())
    return found


def _answered(reader: "Reader", tasks: Sequence[Task], host: "Host") -> dict[str, Answer]:
    """Answer together, or else in halves, so that only the one at fault goes without an answer."""
    try:
        return _together(reader, tasks, host)
    except FAULTS as error:
        if len(tasks) == 1:
            return {tasks[0].text: of_fault(error)}
    half = len(tasks) // 2
    return _answered(reader, tasks[:half], host) | _answered(reader, tasks[half:], host)


def _together(reader: "Reader", tasks: Sequence[Task], host: "Host") -> dict[str, Answer]:
    started = time.perf_counter()
    first = tasks[0]
    engine = host.engine(first.plan.policy.engine)
    needs = replace(first.plan.needs, columns=union([one.plan.needs.columns for one in tasks]))
    settings = next((t.settings for t in tasks if t.asked.kind == "policy"), first.settings)
    with reader.source(union([one.columns for one in tasks])) as (source, options):
        if not engine.can_open(source):
            kind = type(source).__name__
            raise UserError(f"engine {engine.name!r} cannot open a batch that is a Python {kind}")
        read = replace(options, missing=first.options.missing, is_trimmed=first.options.is_trimmed)
        table = engine.open(source, read, needs, settings)
    try:
        found = _thresholds(table, [t for t in tasks if t.asked.kind == "threshold"])
        for one in tasks:
            if one.asked.kind == "policy":
                report = _audited(OpenedEngine(engine, table, one.plan.names), one, host, reader.label)
                seconds = time.perf_counter() - started
                found[one.text] = of_policy(replace(report, seconds=seconds))
        return found
    finally:
        table.close()


def _audited(engine: Any, one: Task, host: "Host", label: str) -> AuditReport:
    """Return the report of the ordinary audit."""
    request = AuditRequest(
        source=None,
        policy=one.plan.policy,
        host=host,
        engine=engine,
        options=one.options,
        settings=one.settings,
        progress=SILENT,
        today=datetime.now(UTC).date(),
        label=label,
    )
    with run_audit(request) as audit:
        return audit.report


def _thresholds(table: "Table", tasks: Sequence[Task]) -> dict[str, Answer]:
    """Measure what all thresholds ask at once, so that they share the statements of an audit."""
    if not tasks:
        return {}
    demands = [one.plan.demands[0] for one in tasks if one.plan.demands]
    figures = measure(table, [demand.question for demand in demands])
    named = {",".join(map(repr, demand.question.qids)): demand.question.qids for demand in demands}
    classes = {summary.qids: summary for summary in summarise(table, named)}
    return {
        one.text: _threshold(table, one, figure, classes) for one, figure in zip(tasks, figures, strict=True)
    }


def _threshold(
    table: "Table", one: Task, figure: "Measurement", classes: Mapping[tuple[str, ...], ClassSummary]
) -> Answer:
    policy, asked = one.plan.policy, one.plan.demands or ()
    limit = replace(asked[0].limit, combination=one.asked.combination, is_blocking=one.asked.is_blocking)
    result = ThresholdResult(limit=limit, measurement=figure)
    part = cast("Table", Part.of(table, one.columns or one.plan.names))
    report = AuditReport(
        source="",
        verdict=Verdict(thresholds=(result,), blocks=tuple(doubts(part, policy, None, (), asked))),
        columns=(),
        summaries=(replace(classes[asked[0].question.qids], combination=one.asked.combination),),
        records=table.records,
        entities=table.entities,
        notes=(*notes_on(part, [result]), *policy_notes(policy, (), asked)),
        policy=None,
        policy_digest=None,
        preset=None,
        versions={},
        engine="",
        seconds=0.0,
    )
    return of_threshold(report)
