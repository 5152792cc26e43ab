"""What published columns tell of generalized QIDs, and the policy's thresholds once that is read back."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from qidguard.anonymizing.records import SnapshotRecords
from qidguard.auditing.demands import Demand
from qidguard.auditing.linked.undoing import with_joined
from qidguard.auditing.noise import with_noise
from qidguard.auditing.pairing import paired
from qidguard.auditing.published import never_published
from qidguard.auditing.telling import RULE, candidate_blocks, unexamined, with_more
from qidguard.core.errors import QidguardError
from qidguard.core.guard import show
from qidguard.core.report import Accepted, AuditReport, ReadBack, Undone
from qidguard.core.statistic import UNIQUES, persons_below
from qidguard.core.verdict import Block, Bound, ThresholdResult
from qidguard.core.view import Grouping
from qidguard.engines.base import Needs, ReadOptions
from qidguard.measuring.evaluator import measure
from qidguard.rendering.outside import unneeded_sentence
from qidguard.rendering.printable import listed
from qidguard.rendering.undone import (
    MOST_LINES,
    K,
    accepted_sentence,
    read_back_sentence,
    remedy_sentence,
    undone_sentence,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from qidguard.auditing.context import AuditContext
    from qidguard.core.versions import Changes
    from qidguard.engines.base import Snapshot, Table
    from qidguard.policy import Policy
    from qidguard.undoing import Undoing, Undoings


@dataclass(frozen=True, kw_only=True)
class Transformed:
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
    context: "AuditContext", policy: "Policy", report: AuditReport, made: Transformed
) -> AuditReport:
    """Return the report on a transformed table with what its columns undo; it blocks what then misses.

    Whatever fails within the search blocks, too.
    """
    if made.changes.before is made.changes.after:
        return report
    try:
        return _held(context, policy, report, made)
    except (QidguardError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001 - a search that fails must not let a table pass
        show("the search for columns that undo a generalization", error)
        sentence = (
            "Whether published columns tell what was generalized could not be found out: the search failed"
            f" with {type(error).__name__}."
        )
        return with_more(report, blocks=[Block(rule=RULE, sentence=sentence, is_internal=True)])


def _held(context: "AuditContext", policy: "Policy", report: AuditReport, made: Transformed) -> AuditReport:
    from qidguard.undoing import MOST_NOTES, find_undoings

    left_out = never_published(report.columns, policy)
    published = tuple(c.facts.name for c in report.columns if c.facts.name not in left_out)
    every_qid = dict.fromkeys(qid for summary in report.summaries for qid in summary.qids)
    known = {*made.changes.before.names, *made.changes.after.names}
    qids = tuple(qid for qid in every_qid if qid in published and qid in known)
    if not qids:
        return report
    for table, names in ((made.changes.before, qids), (made.changes.after, published)):
        if isinstance(table, SnapshotRecords):
            table.read(names)  # in one go
    made = replace(made, changes=paired(made.changes, qids))
    most_notes = MOST_NOTES if policy.undoing.some == "note" else None
    found = find_undoings(
        made.changes,
        qids=qids,
        published=published,
        persons=_persons(policy, made.changes),
        seed=made.changes.seed,
        threads=context.settings.threads,
        most_notes=most_notes,
        progress=context.progress,
    )
    found = with_joined(context, made.changes, found, qids=qids, most_notes=most_notes)
    told = tuple(_undone(policy, undoing) for undoing in found)
    standing = [u for u, one in zip(found, told, strict=True) if u.is_undone and one.accepted is None]
    every = [u for u in found if u.is_undone]
    reads = [_read_back(context, made, report, standing, is_accepted=False)] if standing else []
    if len(every) > len(standing):
        reads.append(_read_back(context, made, report, every, is_accepted=True))
    report = _told(report, found, told, tuple(reads))
    doubts = unexamined(found)
    if policy.undoing.some == "note":
        return with_more(report, notes=doubts)
    left = [u for u, one in zip(found, told, strict=True) if one.accepted is None]
    asked = made.asked_without({undoing.qid for undoing in left})
    blocks = candidate_blocks(made.changes, asked, left, _persons(policy, made.changes))
    return with_more(report, blocks=[*(Block(rule=RULE, sentence=s) for s in doubts), *blocks])


def _persons(policy: "Policy", changes: "Changes") -> "NDArray[np.int32] | None":
    entity = policy.roles.entity
    if entity is None:
        return None
    if entity in changes.after.names:
        return changes.after.column(entity).codes
    codes = changes.before.column(entity).codes
    return None if changes.kept is None else codes[changes.kept]


def _undone(policy: "Policy", undoing: "Undoing") -> Undone:
    acceptance = None
    if undoing.is_undone or policy.undoing.some == "block":
        acceptance = policy.acceptance_of(undoing.columns, undoing.qid)
    words = None if acceptance is None else acceptance.words
    return Undone(
        columns=undoing.columns,
        qid=undoing.qid,
        persons=undoing.persons,
        generalized=undoing.generalized,
        precision=undoing.precision,
        is_undone=undoing.is_undone,
        accepted=words,
    )


def _read_back(
    context: "AuditContext",
    made: Transformed,
    report: AuditReport,
    undoings: "Sequence[Undoing]",
    *,
    is_accepted: bool,
) -> ReadBack:
    """Return the policy's thresholds over the table with what is told in its place."""
    import numpy as np

    from qidguard.undoing import read_back

    columns = read_back(made.changes, undoings)
    everybody = np.ones(made.copy.records, dtype=np.bool_)
    needs = replace(made.needs, history=None, changes=None, compared=())
    if needs.population is not None and context.population is not None:
        needs = replace(needs, population=context.population, population_options=ReadOptions())
    with made.copy.recode(columns, everybody) as copy:
        table = context.engine.open(copy, ReadOptions(), needs, context.settings)
        try:
            asked = [d for d in made.asked_without(columns) if not _is_of_versions(d)]
            figures = measure(table, [demand.question for demand in asked], context.progress)
            results = (
                ThresholdResult(limit=d.limit, measurement=m) for d, m in zip(asked, figures, strict=True)
            )
            uniques, below = _small_classes(table, asked, report)
            return ReadBack(
                columns=tuple(dict.fromkeys(name for u in undoings for name in u.columns)),
                qids=tuple(columns),
                thresholds=tuple(results),
                uniques=uniques,
                below=below,
                is_accepted=is_accepted,
            )
        finally:
            table.close()


def _is_of_versions(demand: Demand) -> bool:
    """Return whether a threshold is over time or on what was lost, and so not on this table alone."""
    metric = demand.question.metric
    return metric.needs_history or metric.needs_original


def _small_classes(table: "Table", asked: Sequence[Demand], report: AuditReport) -> tuple[int, int | None]:
    qids = next((s.qids for s in report.summaries if s.combination == "default"), ())
    if not qids:
        return 0, None
    limited = [
        demand
        for demand in asked
        if demand.question.metric.name == K
        and demand.limit.bound is Bound.AT_LEAST
        and demand.limit.combination == "default"
    ]
    limits = [demand.limit.value for demand in limited]
    noised = limited[0].question.noised if limited else None
    qids = qids if noised is None else noised.over or qids  # the columns that the limit is over
    wanted = [UNIQUES, *(persons_below(int(-(-limits[0] // 1))) for _ in limits[:1])]
    values = table.statistics(Grouping(qids=qids), wanted)
    counts = [int(values[statistic.name] or 0) for statistic in wanted]
    return counts[0], counts[1] if limits else None


def _told(
    report: AuditReport, found: "Undoings", told: tuple[Undone, ...], reads: tuple[ReadBack, ...]
) -> AuditReport:
    """Return the report with what is told: what misses the policy blocks, everything else is a note."""
    published = report.verdict.thresholds if report.verdict is not None else ()
    standing = [undone for undone in told if undone.is_undone and undone.accepted is None]
    deciding = next((read for read in reads if not read.is_accepted), None)
    with_accepted = next((read for read in reads if read.is_accepted), None)
    notes = [accepted_sentence(undone) for undone in told if undone.accepted is not None]
    if with_accepted is not None:
        notes.append(read_back_sentence(with_accepted, published))
    blocks = []
    if deciding is not None:
        said = _lines(standing)
        figures = read_back_sentence(deciding, published)
        if deciding.is_met:
            notes += [*said, figures]
        else:
            said = [*said[:-1], f"{said[-1]} {figures} {remedy_sentence(deciding.columns)}"]
            blocks = [Block(rule=RULE, sentence=sentence) for sentence in said]
    notes += _lines([undone for undone in told if not undone.is_undone and undone.accepted is None])
    ordered = tuple(sorted(told, key=lambda undone: not undone.is_undone))
    open_qids = {one.qid for one in found.not_measured}
    accepted = tuple(
        one if one.tells is None or one.tells in open_qids else _needed(one, told) for one in report.accepted
    )
    notes += [unneeded_sentence(one) for one in accepted if one.tells is not None and one.is_needed is False]
    return replace(
        with_more(report, blocks=blocks, notes=notes), undone=ordered, read_backs=reads, accepted=accepted
    )


def _needed(one: Accepted, told: Sequence[Undone]) -> Accepted:
    """Return what is accepted with whether it is told in this table."""
    pair = (frozenset(one.columns), one.tells)
    is_needed = any((frozenset(u.columns), u.qid) == pair for u in told if u.accepted is not None)
    return replace(one, is_needed=is_needed)


def _lines(told: Sequence[Undone]) -> list[str]:
    """Return one line a QID, of what tells most of it, and what is left out."""
    first: dict[str, Undone] = {}
    for undone in sorted(told, key=lambda undone: -undone.persons):
        first.setdefault(undone.qid, undone)
    lines = []
    for undone in list(first.values())[:MOST_LINES]:
        others = [u.columns for u in told if u.qid == undone.qid and u.columns != undone.columns]
        also = ""
        if others:
            names = listed([" with ".join(columns) for columns in others], most=4)
            also = f" So {'does' if len(others) == 1 else 'do'} {names}."
        lines.append(undone_sentence(undone) + also)
    left = len(first) - MOST_LINES
    if left > 0:
        lines[-1] += f" Of {left:,} more QIDs the original is told, too."
    return lines
