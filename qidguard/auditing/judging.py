"""Judge an open table by a policy, or describe it: roles, questions, figures, and the report of them."""

import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from qidguard.auditing.blocks import doubts, overdue
from qidguard.auditing.context import AuditContext
from qidguard.auditing.demands import Demand
from qidguard.auditing.linked.judging import with_tables
from qidguard.auditing.new_table import NOTHING_OUTSIDE, unaccepted
from qidguard.auditing.noise import noised_combinations
from qidguard.auditing.outside import accepted_of, outside_notes, outside_qids, rest_blocks
from qidguard.auditing.proposed import unlimited
from qidguard.auditing.questions import AuditPlan, Questions
from qidguard.auditing.recognizing import Recognition, recognize
from qidguard.auditing.remedy import remedy_notes
from qidguard.auditing.roles import ColumnRoles, column_reports, rest_of, suggested_roles
from qidguard.auditing.spelling import spelling_notes
from qidguard.auditing.summary import (
    codebook_note,
    entity_note,
    next_steps,
    notes_on,
    policy_notes,
    same_values_notes,
    summarize,
    with_carried,
)
from qidguard.auditing.undoing import TransformedTable, held_against_original, held_as_it_is
from qidguard.core.errors import PluginError
from qidguard.core.guard import PluginCode
from qidguard.core.isolated import IsolatedOverTime
from qidguard.core.new_table import NewTableFacts
from qidguard.core.outside import OutsideQids
from qidguard.core.privacy import PrivacyGuarantee
from qidguard.core.report import AuditReport, ClassSummary, ColumnReport
from qidguard.core.role import Role
from qidguard.core.verdict import Block, Bound, ThresholdResult, judge
from qidguard.engines.base import Table
from qidguard.measuring.evaluator import measure

if TYPE_CHECKING:
    from qidguard.core.versions import History
    from qidguard.engines.base import Snapshot
    from qidguard.host import Host
    from qidguard.policy import Policy


def report_on(
    context: AuditContext,
    table: Table,
    planned: AuditPlan | None,
    started: float,
    *,
    recognition: Recognition | None = None,
    copy: "Snapshot | None" = None,
    noise: PrivacyGuarantee | None = None,
) -> AuditReport:
    """Return the whole report on a table that is open already, and tell it to the listening plugins.

    Args:
        context: What was asked for; its source is not opened here.
        table: The table; whoever opened it closes it.
        planned: The plan that its policy makes of its columns; None describes the table only.
        started: When the work began, by ``time.perf_counter``.
        recognition: What recognizers said before; None asks them.
        copy: The private copy that was opened; beside its original, what undoes the work is looked for.
        noise: What the noise that was drawn for the table guarantees; None where none is known.
    """
    report = (
        _described(context, table, started)
        if planned is None
        else _judged(context, table, planned, started, recognition, copy, noise)
    )
    return notify_listeners(report, context.host)


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """A table under a policy, with what is asked of it: all of a report but its figures.

    Args:
        context: What was asked for.
        policy: The policy, as far as it is about this table.
        table: The table.
        roles: The roles of its columns.
        questions: What is asked of them.
        outside: What is published outside the QIDs.
        noise: What the noise that was drawn for the table guarantees; None where none is known.
        new_table: What the table is where its records are none of its source's; None where they are.
    """

    context: AuditContext
    policy: "Policy"
    table: Table
    roles: ColumnRoles
    questions: Questions
    outside: OutsideQids
    noise: PrivacyGuarantee | None = None
    new_table: NewTableFacts | None = None

    @property
    def combinations(self) -> dict[str, tuple[str, ...]]:
        """Each QID combination, by name; none where no QID is known."""
        every = self.policy.all_combinations(self.roles.qids) if self.roles.qids else ()
        return {one.name: tuple(one.quasi_identifiers) for one in every}

    @property
    def faults(self) -> list[Block]:
        """What blocks the table and is no threshold."""
        policy, roles, asked = self.policy, self.roles, self.questions.asked
        return [
            *roles.blocks,
            *unaccepted(policy, self.new_table),
            *unlimited(policy, roles.assignments, asked),
            *roles.faults,
            *doubts(self.table, policy, roles.qids, asked),
            *rest_blocks(self.outside.identifying),
            *overdue(policy, self.context.today),
        ]

    def report(
        self,
        results: Sequence[ThresholdResult],
        *,
        blocks: Iterable[Block] = (),
        columns: tuple[ColumnReport, ...],
        summaries: tuple[ClassSummary, ...],
        entities: int | None,
        notes: Iterable[str] = (),
    ) -> AuditReport:
        """Return the report.

        Args:
            results: What came of the questions.
            blocks: What blocks beside ``faults``.
            columns: The columns with their roles.
            summaries: The classes of each combination.
            entities: The number of persons, where they are not the records.
            notes: Further sentences.
        """
        context, policy, new_table = self.context, self.policy, self.new_table
        noised = noised_combinations(self.noise, self.combinations, self.questions.read)
        report = AuditReport(
            source=context.label,
            verdict=judge(results, [*self.faults, *blocks]),
            columns=columns,
            summaries=summaries,
            records=self.table.records,
            entities=entities,
            notes=(
                *(one.sentence for one in noised),
                *(() if new_table is None else (new_table.sentence,)),
                *notes,
            ),
            outside=self.outside,
            accepted=accepted_of(
                policy, self.outside, self.questions.asked, is_recognized=self.roles.is_recognized
            ),
            noised=noised,
            new_table=new_table,
            policy=policy.name,
            policy_digest=policy.digest,
            preset=policy.preset,
            versions=context.host.versions,
            engine=context.engine.name,
            seconds=0.0,
            is_auto=policy.is_auto,
        )
        return replace(report, notes=(*outside_notes(report), *report.notes))


def _judged(
    context: AuditContext,
    table: Table,
    planned: AuditPlan,
    started: float,
    recognition: Recognition | None,
    copy: "Snapshot | None",
    noise: PrivacyGuarantee | None,
) -> AuditReport:
    policy, changes = planned.policy, table.changes
    new_table = None if changes is None else changes.new_table
    roles = ColumnRoles.of(context, table, policy, planned.beside, before=recognition)
    questions = Questions.of(policy, roles, context.host, noise, planned.demands)
    figures = measure(table, [d.question for d in questions.read], context.progress)
    results = [
        ThresholdResult(limit=d.limit, measurement=m) for d, m in zip(questions.read, figures, strict=True)
    ]
    made = Judgement(
        context=context,
        policy=policy,
        table=table,
        roles=roles,
        questions=questions,
        outside=outside_qids(table, roles.rest, roles.known) if new_table is None else NOTHING_OUTSIDE,
        noise=noise,
        new_table=new_table,
    )
    summaries = summarize(table, made.combinations)
    columns, compared = column_reports(table, roles.assignments, roles.known, policy), planned.needs.compared
    if policy.is_auto and changes is None:
        compared = roles.qids
        columns = with_carried(table, columns, compared)
    is_transformed = changes is not None and changes.before is not changes.after
    report = made.report(
        results,
        columns=columns,
        summaries=summaries,
        entities=table.entities,
        notes=(
            *notes_on(table, summaries, results),
            *policy_notes(policy, roles.assignments),
            *(codebook_note(columns) if policy.is_auto else ()),
            *(() if is_transformed else remedy_notes(policy, context.host)),
            *same_values_notes(policy, columns, compared),
            *spelling_notes(table, roles.assignments, policy),
        ),
    )
    report = replace(
        report,
        isolated=() if new_table is not None else isolated_of(table.history, questions.read, results),
        next_steps=next_steps(context, table, columns, roles.known, results),
        read_beside=planned.beside.digests,
    )
    asked = questions.asked
    if copy is not None and changes is not None and new_table is None:
        columns_noised = () if noise is None else noise.columns
        changed = TransformedTable(
            copy=copy, changes=changes, asked=asked, noised=columns_noised, needs=planned.needs
        )
        report = held_against_original(context, policy, report, changed)
        report = with_tables(context, policy, report, copy, changes)
    elif new_table is None:
        report = held_as_it_is(context, policy, report, table, asked=asked, needs=planned.needs)
    return replace(report, seconds=time.perf_counter() - started)


def _described(context: AuditContext, table: Table, started: float) -> AuditReport:
    """Return a report without a verdict: suggested roles, and the classes that they would make."""
    recognition = recognize(table, context.host)
    columns = column_reports(table, suggested_roles(table.columns, recognition), recognition)
    qids = tuple(c.facts.name for c in columns if c.assignment.role is Role.QUASI_IDENTIFIER)
    faults = (block.sentence for block in recognition.blocks)
    rest = rest_of((column.assignment for column in columns), None)
    summaries = summarize(table, {"suggested": qids}) if qids else ()  # it codes the columns
    spelled = spelling_notes(table, tuple(c.assignment for c in columns))
    columns = with_carried(table, columns, qids)
    report = AuditReport(
        source=context.label,
        verdict=None,
        columns=columns,
        summaries=summaries,
        records=table.records,
        entities=table.entities,
        notes=(
            *notes_on(table, summaries),
            *entity_note(columns),
            *codebook_note(columns),
            *same_values_notes(None, columns, qids),
            *spelled,
            *faults,
        ),
        outside=outside_qids(table, rest, recognition),
        policy=None,
        policy_digest=None,
        preset=None,
        versions=context.host.versions,
        engine=context.engine.name,
        seconds=0.0,
        is_auto=True,
        next_steps=next_steps(context, table, columns, recognition),
    )
    notes = (*outside_notes(report), *report.notes)
    return replace(report, notes=notes, seconds=time.perf_counter() - started)


def notify_listeners(report: AuditReport, host: "Host") -> AuditReport:
    """Return the report after every listener heard it; a listener that fails turns a pass into a failure."""
    blocks = []
    for plugin, listener in host.listeners:
        try:
            with PluginCode(plugin.origin, "what hears the verdict", passes=()):
                listener(report)
        except PluginError as error:
            blocks.append(Block(rule="listeners", sentence=f"{error}.", is_internal=True))
    if not blocks:
        return report
    if report.verdict is None:
        return replace(report, notes=(*report.notes, *(block.sentence for block in blocks)))
    verdict = replace(report.verdict, blocks=(*report.verdict.blocks, *blocks))
    return replace(report, verdict=verdict)


def isolated_of(
    history: "History | None", demands: Sequence["Demand"], results: Iterable[ThresholdResult]
) -> tuple[IsolatedOverTime, ...]:
    """Return whom releases isolate over each combination over which a threshold over time is missed.

    Args:
        history: The earlier releases; None where nobody looks at them.
        demands: What the policy asks.
        results: What came of each of them.

    Returns:
        One answer a combination, for the largest class that a missed threshold asks for; nothing where none
        is missed.
    """
    if history is None or not history.releases:
        return ()
    asked: dict[tuple[str, tuple[str, ...], int], int] = {}
    for demand, result in zip(demands, results, strict=True):
        if demand.question.metric.over_time and not result.is_met and (k := smallest_class(demand)):
            recent = int(result.measurement.arguments.get("most_recent", 0))
            key = (demand.limit.combination, result.measurement.qids, recent)
            asked[key] = max(k, asked.get(key, 0))
    found = []
    for (combination, qids, recent), k in asked.items():
        one = history.isolated(qids, k=k, most_recent=recent or None)
        if one is not None:
            found.append(replace(one, combination=combination))
    return tuple(found)


def smallest_class(demand: "Demand") -> int:
    """Return how many persons a limit over time wants in a joint class; 0 where it says no such number."""
    arguments, limit, k = demand.question.arguments, demand.limit, 0
    if "k" in arguments:
        k = int(arguments["k"])
    elif limit.bound is Bound.AT_LEAST and math.isfinite(limit.value):
        k = math.ceil(limit.value - 1e-9)
    return k if k > 1 else 0  # a class of one isolates nobody below one
