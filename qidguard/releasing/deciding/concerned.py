"""How many persons a missed threshold concerns, for exceptions, which let no more of them pass."""

import math
import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from qidguard.anonymizing.class_numbers import class_numbers
from qidguard.auditing.context import needs
from qidguard.core.errors import NotMeasurable
from qidguard.core.metric import Direction, GroupBy, Metric, Unit
from qidguard.core.report import AuditReport
from qidguard.core.statistic import PERSONS, Statistic
from qidguard.core.verdict import Bound, ThresholdResult
from qidguard.core.view import Grouping
from qidguard.engines.base import ReadOptions
from qidguard.measuring.class_limits import worst_of_classes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qidguard.engines.base import Snapshot, Table
    from qidguard.releasing.context import ReleaseContext

_INDICATOR = re.compile(r"(sum\()?CASE WHEN .+ THEN (1|size) ELSE 0 END\)?")
"""A statistic that is a number of persons."""


@dataclass(frozen=True, kw_only=True)
class Concerned:
    """The persons that a missed threshold concerns.

    Args:
        persons: How many they are, ≥ 0.
        is_everybody: Whether nobody can tell whom its figure spares, so that they are all of the table.
    """

    persons: int
    is_everybody: bool = False


def persons_concerned(
    context: "ReleaseContext", snapshot: "Snapshot", report: AuditReport, *, entity: str | None
) -> tuple[Concerned | None, ...]:
    """Return for each threshold of a report the persons that miss it; None where it does not block.

    Of a metric that counts persons, or gives their share, the figure is the number. Of one that is the worst
    of all classes, they are those of the classes that miss the limit by themselves; one with records in
    several of these counts in each, but for class sizes, and no more than all are counted. Of any other one,
    of one over several releases, or of one against a population or the original, nobody can tell whom it
    spares: it concerns everybody in the table.

    Args:
        context: Its policy and plugins.
        snapshot: What would be published.
        report: The audit of it.
        entity: The entity column; None where each record is a person.
    """
    verdict = report.verdict
    if verdict is None:
        return ()
    with ExitStack() as stack:
        counting = _Counting(context, snapshot, report, entity, stack)
        return tuple(counting.concerned(t) if t.is_blocking else None for t in verdict.thresholds)


def nobody_known(report: AuditReport) -> tuple[None, ...]:
    """Return None for each threshold: in a new table no record is a person's, so no exception covers it."""
    return () if report.verdict is None else (None,) * len(report.verdict.thresholds)


class _Counting:
    """It counts for one report; the copy is opened when a class value is asked for."""

    def __init__(
        self,
        context: "ReleaseContext",
        snapshot: "Snapshot",
        report: AuditReport,
        entity: str | None,
        stack: ExitStack,
    ) -> None:
        self._context, self._snapshot, self._report = context, snapshot, report
        self._entity, self._stack = entity, stack
        self._everybody = report.records if report.entities is None else report.entities
        self._table: Table | None = None
        self._below: dict[tuple[tuple[str, ...], int], int] = {}

    def concerned(self, result: ThresholdResult) -> Concerned:
        """Return whom a missed threshold concerns."""
        metric = self._context.host.metrics.get(result.measurement.metric)
        counted = 0 if metric is None or result.measurement.is_fault else self._count(result, metric)
        if not counted:
            return Concerned(persons=self._everybody, is_everybody=True)
        return Concerned(persons=min(counted, self._everybody))

    def _count(self, result: ThresholdResult, metric: Metric) -> int:
        """Return how many they are; 0 where nobody can tell."""
        figure = result.measurement
        value = figure.value
        if value is None or metric.needs_population or metric.needs_original or metric.needs_every_column:
            return 0
        if _is_count(result, metric) and metric.unit is Unit.PERSONS and metric.is_whole:
            return math.ceil(value)
        if metric.needs_history or metric.needs_rest or not figure.qids:
            return 0
        return self._of_classes(result, metric)

    def _of_classes(self, result: ThresholdResult, metric: Metric) -> int:
        figure, limit, method = result.measurement, result.limit, metric.method
        beside = () if figure.sensitive is None else (figure.sensitive,)
        if not {*figure.qids, *beside} <= set(self._snapshot.names):
            return 0  # of what is published some columns are gone
        if not isinstance(method, GroupBy) or figure.value is None:
            return 0
        statistics = method.needs(figure.arguments)
        if _is_count(result, metric) and metric.unit is Unit.SHARE and _is_share_of_persons(statistics):
            return round(figure.value * self._everybody)
        if metric.unit is Unit.PERSONS and limit.bound is Bound.AT_LEAST and _of_size(statistics):
            return self._persons_below(figure.qids, math.ceil(limit.value))
        return self._in_missing_classes(result, method, statistics)

    def _persons_below(self, qids: tuple[str, ...], size: int) -> int:
        if (qids, size) not in self._below:
            self._below[qids, size] = _persons_below(self._snapshot, qids, size, self._entity)
        return self._below[qids, size]

    def _in_missing_classes(
        self, result: ThresholdResult, method: GroupBy, statistics: "tuple[Statistic, ...]"
    ) -> int:
        """Return the persons of the classes whose own figure misses the limit."""
        value = worst_of_classes(statistics[0]) if len(statistics) == 1 else None
        if value is None:
            return 0
        figure, missing = result.measurement, 0.0
        grouping = Grouping(qids=figure.qids, sensitive=figure.sensitive)
        is_met: dict[float, bool] = {}
        for own, size in self._opened().class_values(grouping, value).tolist():
            if own not in is_met:
                try:
                    alone = method.compute({statistics[0].name: own}, figure.arguments)
                except NotMeasurable:
                    return 0
                is_met[own] = result.limit.is_met_by(alone)
            missing += 0 if is_met[own] else size
        return round(missing)

    def _opened(self) -> "Table":
        if self._table is None:
            context, known = self._context, set(self._snapshot.names)
            asked = replace(
                needs(context.policy, tuple(n for n in self._snapshot.names if n in set(self._columns()))),
                population=None,
                entity=self._entity,
            )
            if asked.weight not in known:
                asked = replace(asked, weight=None)
            self._table = context.engine.open(self._snapshot, ReadOptions(), asked, context.settings)
            self._stack.callback(self._table.close)
        return self._table

    def _columns(self) -> "Iterator[str]":
        verdict, policy = self._report.verdict, self._context.policy
        for result in () if verdict is None else verdict.thresholds:
            yield from result.measurement.qids
            yield from () if result.measurement.sensitive is None else (result.measurement.sensitive,)
        yield from (name for name in (self._entity, policy.roles.weight) if name is not None)


def _is_count(result: ThresholdResult, metric: Metric) -> bool:
    return metric.direction is Direction.LOWER_IS_SAFER and result.limit.bound is Bound.AT_MOST


def _of_size(statistics: "tuple[Statistic, ...]") -> bool:
    return [s.sql for s in statistics] == ["min(size)"]


def _is_share_of_persons(statistics: "tuple[Statistic, ...]") -> bool:
    others = [s for s in statistics if s != PERSONS]
    return PERSONS in statistics and len(others) == 1 and bool(_INDICATOR.fullmatch(others[0].sql))


def _persons_below(snapshot: "Snapshot", qids: "Sequence[str]", size: int, entity: str | None) -> int:
    import numpy as np

    # a mark of suppression may differ from what the audit saw as one value, which only makes classes smaller
    classes = class_numbers(snapshot.codes(qids))
    if entity is None:
        sizes = np.bincount(classes)
        return int(sizes[sizes < size].sum())
    persons = snapshot.codes([entity])[:, 0].astype(np.int64)
    pairs = np.unique(classes * (int(persons.max()) + 1) + persons)
    of_class = pairs // (int(persons.max()) + 1)
    is_below = np.bincount(of_class)[of_class] < size
    return len(np.unique(pairs[is_below] % (int(persons.max()) + 1)))
