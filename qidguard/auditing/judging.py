"""Judge an open table by a policy, or describe it: plan what to ask before it is loaded, measure, report."""

import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from qidguard.auditing.blocks import doubts, overdue
from qidguard.auditing.context import AuditContext, needs
from qidguard.auditing.demands import Demand, demands
from qidguard.auditing.kinds import kind_of
from qidguard.auditing.lexicon_and_codebook import NOTHING, ReadBeside, read_beside
from qidguard.auditing.linked.judging import with_tables
from qidguard.auditing.new_table import NOTHING_OUTSIDE, unaccepted
from qidguard.auditing.next_steps import next_steps
from qidguard.auditing.noise import noised_combinations, with_noise
from qidguard.auditing.outside import accepted_of, bound_to, outside_notes, outside_qids, rest_blocks, rest_of
from qidguard.auditing.proposed import recognized_sensitive, unlimited
from qidguard.auditing.remedy import find_remedy, remedy_notes
from qidguard.auditing.repeated_qids import same_values_notes, with_carried
from qidguard.auditing.roles import Recognition, policy_roles, recognize, suggested_roles
from qidguard.auditing.searching import check_searching, recognize_table
from qidguard.auditing.spelling import spelling_notes
from qidguard.auditing.summary import codebook_note, entity_note, notes_on, policy_notes, summarize
from qidguard.auditing.undoing import TransformedTable, held_against_original, held_as_it_is
from qidguard.core.errors import PluginError, PolicyError
from qidguard.core.guard import PluginCode
from qidguard.core.isolated import IsolatedOverTime
from qidguard.core.privacy import PrivacyGuarantee
from qidguard.core.report import AuditReport, ColumnReport
from qidguard.core.role import Role, RoleAssignment
from qidguard.core.value_parts import looks_like_a_value
from qidguard.core.verdict import Block, Bound, ThresholdResult, judge
from qidguard.engines.base import Needs, Table
from qidguard.measuring.evaluator import measure
from qidguard.policy.spelling import did_you_mean

if TYPE_CHECKING:
    from qidguard.core.versions import History
    from qidguard.engines.base import Snapshot
    from qidguard.host import Host
    from qidguard.policy import Policy


@dataclass(frozen=True, kw_only=True)
class AuditPlan:
    """A policy that fits the table's columns.

    Args:
        policy: The policy.
        names: The table's columns.
        demands: What it asks; None while its QIDs are yet to be recognized.
        needs: What the engine has to keep.
        beside: What the policy has recognizers read, read already.
    """

    policy: "Policy"
    names: tuple[str, ...]
    demands: tuple[Demand, ...] | None
    needs: Needs
    beside: ReadBeside = NOTHING


def plan(policy: "Policy", names: tuple[str, ...], host: "Host", original: tuple[str, ...] = ()) -> AuditPlan:
    """Return the plan; PolicyError or PluginError when the policy cannot be judged on these columns.

    ``original`` are the columns of the table that this one was made from, where that is known.
    """
    check_fit(policy, names, original)
    remedy = find_remedy(policy, host)  # a misspelled one is found before a release needs it
    if remedy is not None:
        remedy.check_columns((*names, *original))
    beside = read_beside(policy, host)
    if policy.is_auto:
        # sensitive columns may yet be recognized
        demands(
            policy, names, host, names[:1] if len(names) > 1 else ()
        )  # every metric must exist before hours are spent on loading
        check_searching(policy, host)
        return AuditPlan(policy=policy, names=names, demands=None, needs=needs(policy, None), beside=beside)
    assignments, _ = policy_roles(names, policy, None)
    rest = rest_of(assignments, policy)
    asked = bound_to(rest, demands(policy, main_qids(policy, assignments), host))
    named = {q for d in asked for q in (*d.question.qids, d.question.attribute) if q is not None}
    # the classes of every combination are shown, of one without a threshold too
    qids = {q for c in policy.all_combinations(main_qids(policy, assignments)) for q in c.quasi_identifiers}
    named |= qids
    sees_all = any(d.question.metric.needs_every_column for d in asked)
    kept = tuple(name for name in names if sees_all or name in named)
    asks = replace(needs(policy, kept, rest.asked), compared=tuple(name for name in kept if name in qids))
    return AuditPlan(policy=policy, names=names, demands=asked, needs=asks, beside=beside)


def main_qids(policy: "Policy", assignments: tuple[RoleAssignment, ...]) -> tuple[str, ...]:
    """Return the QIDs of the main combination: those named, and unnamed columns that count as QIDs."""
    # what a person calls a QID is one for recognizers too, or a combination would weaken the main one
    of_others = {
        q for combination in policy.combinations for q in combination.quasi_identifiers if not policy.is_auto
    }
    named = () if policy.is_auto else policy.roles.quasi_identifiers
    more = (a.column for a in assignments if a.role is Role.QUASI_IDENTIFIER and a.column not in of_others)
    return tuple(dict.fromkeys((*named, *more)))


def check_fit(policy: "Policy", names: tuple[str, ...], original: tuple[str, ...] = ()) -> None:
    """Raise one PolicyError that says, for every column the table lacks, where the policy names it.

    What is never published, a direct identifier or a dropped column, may be missing where the table was made
    from an ``original`` that has it.
    """
    errors = []
    never = {*policy.roles.direct_identifiers, *policy.dropped_columns} & set(original)
    for name in policy.mentioned_columns:
        if name not in names and name not in never:
            # a first line of data that was taken for a header is repeated nowhere
            known = tuple(other for other in names if not looks_like_a_value(other))
            hint = did_you_mean(name, known, is_listed=False) or (
                f"it has {len(names)} other columns; look at its header"
            )
            sentence = f"the table has no column {name!r}; {hint}"
            errors.append(str(policy.error(sentence, *policy.path_of_column(name))))
    if errors:
        raise PolicyError("\n".join(errors))


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


def _judged(
    context: AuditContext,
    table: Table,
    planned: AuditPlan,
    started: float,
    recognition: Recognition | None,
    copy: "Snapshot | None",
    noise: PrivacyGuarantee | None,
) -> AuditReport:
    policy, host, progress = planned.policy, context.host, context.progress
    is_open = policy.is_auto or not set(planned.names) <= set(policy.decided_columns)
    known = recognize(table, host, planned.beside)
    if recognition is None and is_open:
        recognition = recognize_table(table, policy, host, progress, known)
    assignments, blocks = policy_roles(planned.names, policy, recognition)
    qids = main_qids(policy, assignments)
    rest = rest_of(assignments, policy)
    asked = bound_to(
        rest, planned.demands if planned.demands is not None else _asked(policy, qids, host, assignments)
    )
    new_table = None if table.changes is None else table.changes.new_table
    read = with_noise(asked, () if noise is None else noise.columns)
    figures = measure(table, [d.question for d in read], progress)
    results = [ThresholdResult(limit=d.limit, measurement=m) for d, m in zip(read, figures, strict=True)]
    outside = outside_qids(table, rest, known) if new_table is None else NOTHING_OUTSIDE
    faults = [
        *blocks,
        *unaccepted(policy, new_table),
        *unlimited(policy, assignments, asked),
        *doubts(table, policy, recognition, qids, asked),
        *rest_blocks(outside.identifying),
        *overdue(policy, context.today),
    ]
    combinations = {c.name: tuple(c.quasi_identifiers) for c in policy.all_combinations(qids)} if qids else {}
    noised = noised_combinations(noise, combinations, read)
    summaries = summarize(table, combinations)
    columns, compared = column_reports(table, assignments, known, policy), planned.needs.compared
    if policy.is_auto and table.changes is None:
        compared = qids
        columns = with_carried(table, columns, qids)
    is_transformed = table.changes is not None and table.changes.before is not table.changes.after
    report = AuditReport(
        source=context.label,
        verdict=judge(results, faults),
        columns=columns,
        summaries=summaries,
        records=table.records,
        entities=table.entities,
        notes=(
            *(one.sentence for one in noised),
            *(() if new_table is None else (new_table.sentence,)),
            *notes_on(table, summaries, results),
            *policy_notes(policy, assignments),
            *(codebook_note(columns) if policy.is_auto else ()),
            *(() if is_transformed else remedy_notes(policy, host)),
            *same_values_notes(policy, columns, compared),
            *spelling_notes(table, assignments, policy),
        ),
        outside=outside,
        accepted=accepted_of(policy, outside, asked),
        noised=noised,
        new_table=new_table,
        isolated=() if new_table is not None else isolated_of(table.history, read, results),
        policy=policy.name,
        policy_digest=policy.digest,
        preset=policy.preset,
        versions=host.versions,
        engine=context.engine.name,
        seconds=0.0,
        is_auto=policy.is_auto,
        next_steps=next_steps(context, table, columns, known, results),
        read_beside=planned.beside.digests,
    )
    report = replace(report, notes=(*outside_notes(report), *report.notes))
    if copy is not None and table.changes is not None and new_table is None:
        columns_noised = () if noise is None else noise.columns
        made = TransformedTable(
            copy=copy, changes=table.changes, asked=asked, noised=columns_noised, needs=planned.needs
        )
        report = held_against_original(context, policy, report, made)
        report = with_tables(context, policy, report, copy, table.changes)
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


def column_reports(
    table: Table,
    assignments: tuple[RoleAssignment, ...],
    known: Recognition,
    policy: "Policy | None" = None,
) -> tuple[ColumnReport, ...]:
    """Return the table's columns with their roles, which stand in the same order, rivals and kinds."""
    return tuple(
        ColumnReport(
            facts=f,
            assignment=a,
            proposals=known.rivals.get(f.name, ()),
            kind=kind_of(f.name, policy, known.kinds.get(f.name)),
        )
        for f, a in zip(table.columns, assignments, strict=True)
    )


def _asked(
    policy: "Policy", qids: tuple[str, ...], host: "Host", assignments: tuple[RoleAssignment, ...]
) -> tuple[Demand, ...]:
    return tuple(demands(policy, qids, host, recognized_sensitive(assignments))) if qids else ()


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
    arguments, limit = demand.question.arguments, demand.limit
    if "k" in arguments:
        return _from_two(int(arguments["k"]))
    if limit.bound is Bound.AT_LEAST and math.isfinite(limit.value):
        return _from_two(math.ceil(limit.value - 1e-9))
    return 0


def _from_two(k: int) -> int:
    return k if k > 1 else 0  # a class of one isolates nobody below one
