"""Audit a change against the whole policy, in memory where that tells all, else on a recoded copy."""

from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from qidguard.anonymizing.fixed_levels import FixedLevels
from qidguard.anonymizing.in_memory import rehearse_on
from qidguard.anonymizing.protocol import AnonymizationTask, Anonymized
from qidguard.anonymizing.run import without_mark
from qidguard.auditing.demands import Demand, demands
from qidguard.auditing.outside import FEWEST_PERSONS, UNIQUE_SHARE
from qidguard.auditing.proposed import recognized_sensitive
from qidguard.auditing.questions import bound_to, plan
from qidguard.auditing.remedy import Remedy, own_name
from qidguard.auditing.roles import never_published, rest_of
from qidguard.auditing.undoing import TransformedTable, held_against_original
from qidguard.core.column import ColumnValues
from qidguard.core.errors import NotMeasurable, UnreachableError
from qidguard.core.verdict import ThresholdResult, judge
from qidguard.measuring.evaluator import measure
from qidguard.trials.stages import transformed
from qidguard.trials.task import main_combination, task_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from qidguard.anonymizing.rehearsed_table import RehearsedTable
    from qidguard.core.column import Recoded
    from qidguard.core.hierarchy import Hierarchy
    from qidguard.core.report import AuditReport
    from qidguard.engines.base import Needs, Snapshot
    from qidguard.policy.recoding import Level
    from qidguard.trials.context import TrialContext
    from qidguard.trials.stages import AuditedCopy, HistoryOf


@dataclass(frozen=True, kw_only=True)
class Confirmed:
    """What an audit says of a change.

    Args:
        left_out: Persons of whom records are left out.
        records_left_out: Records that are left out.
        missed: The metrics of the thresholds that it misses.
        told: QIDs whose original values other columns tell.
        reason: Why it does not pass, in words; empty where it does.
    """

    left_out: int = 0
    records_left_out: int = 0
    missed: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    reason: str = ""

    @property
    def is_passed(self) -> bool:
        """Whether the whole policy holds."""
        return not self.reason


@dataclass(frozen=True)
class Confirming:
    """Audits of changes of one table.

    What recognizers say of columns outside the QIDs is taken from the audit of the table: a change leaves
    them as they are. Metrics that need more than the published records (a population, what is published
    outside the QIDs, every column) are audited on a copy that is recoded and opened as a release does.

    Args:
        context: What was asked for; its policy declares every hierarchy.
        source: The audited table.
        hierarchies: Column → hierarchy.
        most_left_out: The largest share that a change may leave out.
        history_of: Returns the earlier releases beside a snapshot, where they count.
    """

    context: "TrialContext"
    source: "AuditedCopy"
    hierarchies: "Mapping[str, Hierarchy]" = field(repr=False)
    most_left_out: float
    history_of: "HistoryOf | None" = field(default=None, repr=False)

    @cached_property
    def task(self) -> AnonymizationTask:
        """What fixed levels are asked to reach."""
        return replace(task_of(self.context, self.source.report, self.hierarchies), is_rehearsal=True)

    @cached_property
    def asked(self) -> tuple[Demand, ...]:
        """Every threshold of the policy."""
        policy, report = self.context.policy, self.source.report
        assignments = [column.assignment for column in report.columns]
        asks = demands(policy, main_combination(report), self.context.host, recognized_sensitive(assignments))
        return bound_to(rest_of(assignments, policy), asks)

    @property
    def missed_outside(self) -> tuple[str, ...]:
        """The metrics whose limits the table misses, and that are of what is published outside the QIDs."""
        verdict = self.source.report.verdict
        of_rest = {d.question.metric.name for d in self.asked if d.question.metric.needs_rest}
        missed = (
            [t.measurement.metric for t in verdict.thresholds if t.is_blocking] if verdict is not None else []
        )
        return tuple(dict.fromkeys(name for name in missed if name in of_rest))

    @cached_property
    def _is_told_in_memory(self) -> bool:
        """Whether everything that can block is measured on the published records alone."""
        return not any(
            (
                metric.needs_population
                or metric.needs_rest
                or metric.needs_history
                or metric.needs_every_column
            )
            and demand.limit.is_blocking
            for demand in self.asked
            for metric in [demand.question.metric]
        )

    @cached_property
    def _needs(self) -> "Needs":
        return plan(self.context.policy, self.source.records.names, self.context.host).needs

    def rehearse(self, levels: "Mapping[str, Level]") -> "RehearsedTable | None":
        """Return what a change publishes; None where it would leave out more than it may."""
        records, remedy = self.source.records, self._remedy(levels)
        try:
            return rehearse_on(records, remedy, self.task, metrics=self.context.host)
        except NotMeasurable:
            return None

    def _remedy(self, levels: "Mapping[str, Level]") -> Remedy:
        arguments = {"levels": dict(levels), "suppress": self.most_left_out}
        return Remedy(anonymizer=FixedLevels(), arguments=arguments, owner=own_name())

    def thresholds(self, done: "RehearsedTable") -> list[ThresholdResult]:
        """Return the policy's thresholds over what a change publishes."""
        figures = measure(done.view, [demand.question for demand in self.asked])
        return [
            ThresholdResult(limit=d.limit, measurement=m) for d, m in zip(self.asked, figures, strict=True)
        ]

    def confirm(self, levels: "Mapping[str, Level]") -> Confirmed:
        """Return what an audit of a change says, against the whole policy."""
        done = self.rehearse(levels)
        if done is None:
            return Confirmed(reason="it would leave out more than it may")
        report = self.source.report
        kept = done.kept
        found = Confirmed(left_out=self._persons(~kept), records_left_out=int((~kept).sum()))
        left = [name for name, level in levels.items() if level == "drop"]
        if not self._published(left):
            return replace(found, reason="no column would be published")
        if self._is_told_in_memory and (kept.all() or not self._singles_out(kept)):
            after = self._judged(done)
        else:
            remedy, history_of = self._remedy(levels), self.history_of
            try:
                made = transformed(self.context, remedy, self.source, losses=None, history_of=history_of)
            except UnreachableError as error:
                return replace(found, reason=str(error))
            made.close()
            after = made.audited.report
        assert after.verdict is not None and report.verdict is not None  # noqa: S101, PT018 - there is a policy
        if after.verdict.is_passed:
            return found
        missed = tuple(dict.fromkeys(t.measurement.metric for t in after.verdict.thresholds if t.is_blocking))
        told = tuple(dict.fromkeys(one.qid for one in after.undone if one.is_undone and one.accepted is None))
        words = [f"{', '.join(missed)} would be missed"] if missed else []
        words += [block.sentence for block in after.verdict.blocks]
        return replace(found, missed=missed, told=told, reason=" ".join(words))

    def _judged(self, done: "RehearsedTable") -> "AuditReport":
        """Return the report on the table as the change publishes it, what its columns tell included."""
        assert isinstance(done.done, Anonymized)  # noqa: S101 - records of the source are published
        report = replace(self.source.report, verdict=judge(self.thresholds(done)), undone=(), read_backs=())
        assert report.verdict is not None  # noqa: S101 - it was judged
        if not report.verdict.is_passed:
            return report
        records = self.source.records
        columns = without_mark(records.snapshot, records, done.done.columns, self.task.suppression_mark)
        made = TransformedTable(
            copy=CopyOnDemand(snapshot=records.snapshot, columns=columns, kept=done.kept),  # type: ignore[arg-type]
            changes=replace(done.changes, after=ColumnsAfter(done)),
            asked=self.asked,
            needs=self._needs,
        )
        return held_against_original(self.context, self.context.policy, report, made)

    def _persons(self, rows: "NDArray[np.bool_]") -> int:
        entity = self.context.policy.roles.entity
        if entity is None:
            return int(rows.sum())
        return len(np.unique(self.source.records.column(entity).codes[rows]))

    def _published(self, left: Sequence[str]) -> bool:
        never = never_published(self.source.report.columns, self.context.policy)
        names = (column.facts.name for column in self.source.report.columns)
        return any(name not in never and name not in left for name in names)

    def _singles_out(self, kept: "NDArray[np.bool_]") -> bool:
        """Return whether a column outside the QIDs tells nearly everybody apart who is left."""
        policy, report, records = self.context.policy, self.source.report, self.source.records
        rest = rest_of([column.assignment for column in report.columns], policy)
        entity, left_out = policy.roles.entity, int((~kept).sum())
        persons = report.records if report.entities is None else report.entities
        # nobody shares a value with nearly nobody where there are too few values for that
        names = [
            c.facts.name
            for c in report.columns
            if c.facts.name in rest.roles
            and c.facts.groups >= UNIQUE_SHARE * max(FEWEST_PERSONS, persons - c.facts.missing - left_out)
        ]
        records.read(names)
        person = None if entity is None else records.column(entity).codes[kept]
        return any(is_telling(records.column(name).codes[kept], person) for name in names)


@dataclass(frozen=True, kw_only=True)
class CopyOnDemand:
    """The copy that a change would make, made only where columns that tell are read back."""

    snapshot: "Snapshot"
    columns: "Mapping[str, Recoded]"
    kept: "NDArray[np.bool_]"

    @property
    def records(self) -> int:
        """Number of records."""
        return int(self.kept.sum())

    @contextmanager
    def recode(self, columns: "Mapping[str, Recoded]", kept: "NDArray[np.bool_]") -> "Iterator[Snapshot]":
        """Give the copy with other values in further columns, while it is needed."""
        with self.snapshot.recode(self.columns, self.kept) as own, own.recode(columns, kept) as made:
            yield made


class ColumnsAfter:
    """The columns of a rehearsed table; those that a change leaves as they are cost nothing to put together.

    Args:
        done: The rehearsed table.
    """

    def __init__(self, done: "RehearsedTable") -> None:
        self._done = done
        self._same: dict[str, ColumnValues] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """The column names."""
        return self._done.names

    @property
    def records(self) -> int:
        """Number of records that are kept."""
        return self._done.records

    def codes(self, columns: Sequence[str]) -> "NDArray[np.int32]":
        """Return codes of columns."""
        return self._done.codes(columns)

    def column(self, name: str) -> ColumnValues:
        """Return one column with the values that occur, in the order of the original."""
        if name in self._done.done.columns:
            return self._done.column(name)
        if name not in self._same:
            own, kept = self._done.before.column(name), self._done.kept
            self._same[name] = own if kept.all() else own.at(np.flatnonzero(kept))
        return self._same[name]


def is_telling(codes: "NDArray[np.int32]", person: "NDArray[np.int32] | None") -> bool:
    """Return whether nearly all persons with a value have one that nobody else has."""
    present = codes > 0
    held = codes[present]
    if person is None:
        alone, persons = int((np.bincount(held) == 1).sum()), len(held)
    else:
        who = person[present]
        low = np.full(int(held.max(initial=0)) + 1, np.iinfo(np.int32).max)
        high = np.full(len(low), -1)
        np.minimum.at(low, held, who)
        np.maximum.at(high, held, who)
        alone, persons = len(np.unique(low[low == high])), len(np.unique(who))
    return persons >= FEWEST_PERSONS and alone >= UNIQUE_SHARE * persons
