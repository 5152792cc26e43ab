"""What undoes the generalization of QIDs, and the policy's thresholds once that is read back."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from qidguard.anonymizing.records import SnapshotRecords
from qidguard.auditing.demands import Demand
from qidguard.auditing.leaks import RULE, leaks_in, with_leaks, with_more
from qidguard.auditing.linked.joining import Joined
from qidguard.auditing.linked.undoing import with_joined
from qidguard.auditing.noise import with_noise
from qidguard.auditing.original import mark_of
from qidguard.auditing.read_back import read_back
from qidguard.auditing.roles import never_published
from qidguard.auditing.undoing_report import CountedPersons, limits_k, unexamined, with_told
from qidguard.core.errors import QidguardError
from qidguard.core.leaks import MOST_NOTES, Leak, LeakTask
from qidguard.core.report import AuditReport, ReadBack, Undone
from qidguard.core.statistic import UNIQUES, persons_below
from qidguard.core.verdict import Block, ThresholdResult
from qidguard.core.versions import Changes, ColumnSource, ReadColumns
from qidguard.core.view import Grouping
from qidguard.engines.base import Needs, ReadOptions
from qidguard.measuring.evaluator import measure

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qidguard.auditing.context import AuditContext
    from qidguard.core.column import ColumnValues
    from qidguard.engines.base import Snapshot, Table
    from qidguard.policy import Policy

    Places = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class TransformedTable:
    """A transformed table that is audited.

    Args:
        copy: The private copy of what would be published.
        changes: The original beside it.
        asked: What the policy asks of it, whatever has noise.
        noised: The columns that noise was drawn for.
        needs: What was asked of the engine for that.
    """

    copy: "Snapshot"
    changes: "Changes"
    asked: tuple[Demand, ...]
    needs: Needs
    noised: tuple[str, ...] = ()

    def asked_without(self, told: Collection[str]) -> tuple[Demand, ...]:
        """Return what is asked where the original values of some columns are told, whatever their noise."""
        return with_noise(self.asked, [name for name in self.noised if name not in told])


def held_against_original(
    context: "AuditContext", policy: "Policy", report: AuditReport, made: TransformedTable
) -> AuditReport:
    """Return the report on a table with what undoes its generalization; it blocks what then misses.

    Of columns that the original holds alike, what determines them and is finer is looked for, but not in a
    table that is blocked as it is. Whatever fails within the search blocks, too.
    """
    is_as_it_was = made.changes.before is made.changes.after
    if is_as_it_was and (report.verdict is None or not report.verdict.is_passed):
        return report
    return with_leaks(report, lambda: _held(context, policy, report, made))


def held_as_it_is(
    context: "AuditContext",
    policy: "Policy",
    report: AuditReport,
    table: "Table",
    *,
    asked: tuple[Demand, ...],
    needs: Needs,
) -> AuditReport:
    """Return the report on a table without an original, with what is finer than its QIDs.

    It is looked for in some records that the table kept, and held against the policy over a private copy.
    """
    if report.verdict is None or not report.verdict.is_passed:
        return report
    drawn: tuple[ColumnValues, ...] = getattr(table, "drawn_columns", ())
    if not drawn and not policy.is_auto:  # whose columns are not known before they are loaded
        return report
    return with_leaks(report, lambda: _held_as_it_is(context, policy, report, drawn, asked, needs))


def _held_as_it_is(
    context: "AuditContext",
    policy: "Policy",
    report: AuditReport,
    drawn: "tuple[ColumnValues, ...]",
    asked: tuple[Demand, ...],
    needs: Needs,
) -> AuditReport:
    if drawn:
        some = ReadColumns(columns={column.name: column for column in drawn})
        changes = Changes(before=some, after=some, kept=np.ones(some.records, dtype=np.bool_))
        qids, published = _names(policy, report, changes)
        persons = _persons(policy, changes)
        task = LeakTask(changes=changes, qids=qids, published=published, persons=persons)
        if not qids or not leaks_in(context.host, task):
            return report
    try:
        with context.once_more() as (source, read):
            copy = context.engine.snapshot(source, read, context.settings)  # type: ignore[attr-defined]
    except QidguardError as error:
        sentence = (
            "Whether published columns are finer than a QID was not measured, since the table cannot be read"
            f" once more: {error}"
        )
        return with_more(report, blocks=[Block(rule=RULE, sentence=sentence)])
    with copy:
        records = SnapshotRecords(copy, mark_of(policy), policy.normalized)
        kept = np.ones(copy.records, dtype=np.bool_)
        changes = Changes(before=records, after=records, kept=kept)
        made = TransformedTable(copy=copy, changes=changes, asked=asked, needs=needs)
        return _held(context, policy, report, made)


def _names(
    policy: "Policy", report: AuditReport, changes: "Changes"
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the QIDs that are published, and all columns that are."""
    left_out, known = never_published(report.columns, policy), {*changes.before.names, *changes.after.names}
    published = tuple(name for c in report.columns if (name := c.facts.name) not in left_out)
    every_qid = dict.fromkeys(qid for summary in report.summaries for qid in summary.qids)
    return tuple(qid for qid in every_qid if qid in published and qid in known), published


def _held(
    context: "AuditContext", policy: "Policy", report: AuditReport, made: TransformedTable
) -> AuditReport:
    qids, published = _names(policy, report, made.changes)
    if not qids:
        return report
    changes = paired(made.changes, qids)
    made = replace(made, changes=changes)
    is_note = policy.undoing.some == "note"
    task = LeakTask(
        changes=changes,
        qids=qids,
        published=published,
        persons=_persons(policy, changes),
        most_notes=MOST_NOTES if is_note else None,
        progress=context.progress,
    )
    found = with_joined(context, task, leaks_in(context.host, task))
    weight = policy.roles.weight
    # whoever uses a sampling weight has to know its scheme
    every = [replace(leak, is_undone=leak.is_undone and weight not in leak.columns) for leak in found]
    told = [_undone(policy, leak) for leak in every]
    left = [leak for leak, one in zip(every, told, strict=True) if one.accepted is None]
    standing, undone = ([leak for leak in some if leak.is_undone] for some in (left, every))
    reads = [_read_back(context, made, report, standing, is_accepted=False)] if standing else []
    if len(undone) > len(standing):
        reads.append(_read_back(context, made, report, undone, is_accepted=True))
    asked = made.asked_without({leak.qid for leak in left})
    counted = CountedPersons(task=task, asked=asked, left=left, weight=weight)
    report = with_told(report, found, told, tuple(reads), counted, is_some_blocking=not is_note)
    doubts = unexamined(found)
    if is_note:
        return with_more(report, notes=doubts)
    return with_more(report, blocks=[Block(rule=RULE, sentence=doubt) for doubt in doubts])


def _persons(policy: "Policy", changes: "Changes") -> "NDArray[np.int32] | None":
    entity = policy.roles.entity
    if entity is None:
        return None
    if entity in changes.after.names:
        return changes.after.column(entity).codes
    codes = changes.before.column(entity).codes
    return None if changes.kept is None else codes[changes.kept]


def _undone(policy: "Policy", leak: Leak) -> Undone:
    acceptance = None
    if leak.is_undone or policy.undoing.some == "block":
        acceptance = policy.acceptance_of(leak.columns, leak.qid)
    return Undone(
        columns=leak.columns,
        qid=leak.qid,
        kind="finer" if leak.is_finer else "known" if leak.is_known else "told",
        part=leak.part,
        beside=leak.beside,
        persons=leak.persons,
        generalized=leak.generalized,
        precision=leak.precision,
        is_undone=leak.is_undone,
        accepted=None if acceptance is None else acceptance.words,
    )


def _read_back(
    context: "AuditContext",
    made: TransformedTable,
    report: AuditReport,
    leaks: Sequence[Leak],
    *,
    is_accepted: bool,
) -> ReadBack:
    """Return the policy's thresholds over the table with what is told in its place, and known beside it."""
    columns = read_back(made.changes, leaks, noised=made.noised)
    parted = {leak.qid for leak in leaks if leak.is_known}
    everybody = np.ones(made.copy.records, dtype=np.bool_)
    needs = context.with_population(replace(made.needs, history=None, changes=None, compared=()))
    with made.copy.recode(columns, everybody) as copy:
        table = context.engine.open(copy, ReadOptions(), needs, context.settings)
        try:
            asked = [d for d in made.asked_without(columns) if not _is_as_published(d, parted)]
            figures = measure(table, [demand.question for demand in asked], context.progress)
            results = (
                ThresholdResult(limit=d.limit, measurement=m) for d, m in zip(asked, figures, strict=True)
            )
            uniques, below = _small_classes(table, asked, report)
            return ReadBack(
                columns=tuple(dict.fromkeys(name for leak in leaks for name in leak.columns)),
                qids=tuple(columns),
                thresholds=tuple(results),
                uniques=uniques,
                below=below,
                is_accepted=is_accepted,
            )
        finally:
            table.close()


def _is_as_published(demand: Demand, parted: set[str]) -> bool:
    """Return whether a threshold cannot change: it is over time, on what was lost, or on what is outside.

    Values that what is known beside them parts are no values of an attribute, nor of a population.
    """
    question = demand.question
    metric = question.metric
    is_parted = question.attribute in parted or (
        metric.needs_population and not parted.isdisjoint(question.qids)
    )
    return metric.needs_history or metric.needs_original or metric.needs_rest or is_parted


def _small_classes(table: "Table", asked: Sequence[Demand], report: AuditReport) -> tuple[int, int | None]:
    qids = next((s.qids for s in report.summaries if s.combination == "default"), ())
    if not qids:
        return 0, None
    limited = next((d for d in asked if limits_k(d) and d.limit.combination == "default"), None)
    noised = None if limited is None else limited.question.noised
    qids = qids if noised is None else noised.over or qids  # the columns that the limit is over
    small = None if limited is None else persons_below(math.ceil(limited.limit.value))
    values = table.statistics(Grouping(qids=qids), [UNIQUES] if small is None else [UNIQUES, small])
    return int(values[UNIQUES.name] or 0), None if small is None else int(values[small.name] or 0)


SEED = 20_261_122
"""Draws the numbers by which the values of a record are mixed into one key."""


def paired(changes: Changes, changed: Sequence[str]) -> Changes:
    """Return the table beside its original with records paired, as what did not change tells.

    Records of the same unchanged values are paired in the table's order where that is the original's, else
    in the order of the ``changed`` columns: what such a column tells of another is the same for all of them.

    Args:
        changes: The table beside its original; where records are paired already, so it comes back.
        changed: The columns that may hold other values than the original.
    """
    if changes.kept is not None:
        return changes
    unchanged = [name for name in changes.after.names if _is_unchanged(changes, name)]
    if not unchanged:
        return changes
    before, after = _keys(changes, unchanged)
    places = _in_order(before, after)
    if places is None:
        others = [name for name in changed if name not in unchanged]
        places = _by_rank((before, changes.before), (after, changes.after), others)
    if places is None:
        return changes
    return replace(
        changes,
        before=Joined(persons=changes.before, places=places, own={}),
        kept=np.ones(len(places), dtype=np.bool_),
    )


def _original_codes(changes: Changes, name: str) -> "Places":
    """Return the original's code of each published value, −1 for one that the original does not have."""
    before, after = changes.before.column(name), changes.after.column(name)
    return after.codes_in(before)[after.codes]


def _is_unchanged(changes: Changes, name: str) -> bool:
    """Return whether no value stands in more records than it did."""
    codes = _original_codes(changes, name)
    if len(codes) and codes.min() < 0:
        return False
    was = changes.before.column(name)
    kinds = len(was.texts)
    return bool((np.bincount(codes, minlength=kinds) <= np.bincount(was.codes, minlength=kinds)).all())


def _keys(changes: Changes, names: Sequence[str]) -> "tuple[NDArray[np.uint64], NDArray[np.uint64]]":
    """Return a key of each record of both tables: equal values have the same, others hardly ever."""
    generator = np.random.default_rng(SEED)
    before = np.zeros(changes.before.records, dtype=np.uint64)
    after = np.zeros(changes.after.records, dtype=np.uint64)
    for name in names:
        kinds = len(changes.before.column(name).texts)
        mixed = generator.integers(0, 2**64, kinds, dtype=np.uint64)
        before += mixed[changes.before.column(name).codes]
        after += mixed[_original_codes(changes, name)]
    return before, after


def _in_order(before: "NDArray[np.uint64]", after: "NDArray[np.uint64]") -> "Places | None":
    """Return where the records stood, if the table is the original with some records left out."""
    if len(before) == len(after):
        return np.arange(len(before)) if bool((before == after).all()) else None
    places = np.empty(len(after), dtype=np.int64)
    keys, at, end = before.tolist(), -1, len(before)
    for position, key in enumerate(after.tolist()):
        at += 1
        while at < end and keys[at] != key:
            at += 1
        if at >= end:
            return None
        places[position] = at
    return places


def _by_rank(
    before: "tuple[NDArray[np.uint64], ColumnSource]",
    after: "tuple[NDArray[np.uint64], ColumnSource]",
    changed: Sequence[str],
) -> "Places | None":
    """Return where records stood that have a partner of the same key each; None where one has none."""
    was, now = (_ranked(*table, changed) for table in (before, after))
    keys, ranks, order = was
    both = np.concatenate([np.stack([keys, ranks]), np.stack(now[:2])], axis=1)
    numbers = np.unique(both, axis=1, return_inverse=True)[1].reshape(-1)
    place_of = np.full(int(numbers.max(initial=0)) + 1, -1, dtype=np.int64)
    place_of[numbers[: len(order)]] = order
    found = place_of[numbers[len(order) :]]
    if bool((found < 0).any()):
        return None
    places = np.empty(len(found), dtype=np.int64)
    places[now[2]] = found
    return places


def _ranked(
    keys: "NDArray[np.uint64]", table: ColumnSource, changed: Sequence[str]
) -> "tuple[NDArray[np.uint64], NDArray[np.uint64], Places]":
    """Return keys in order, the rank of each record among those of its key, and where these records stand."""
    by: list[NDArray[Any]] = [table.column(name).codes for name in reversed(changed)]
    order = np.lexsort([*by, keys])
    ordered = keys[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])) if len(order) else order
    sizes = np.diff(np.append(starts, len(order)))
    ranks = np.arange(len(order)) - np.repeat(starts, sizes)
    return ordered, ranks.astype(np.uint64), order
