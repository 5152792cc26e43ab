"""What would make an audited, blocked table pass."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Final

import numpy as np

from qidguard.advising.advice import MOST_LEFT_OUT, Advice, Exposed, ForSeries
from qidguard.advising.changing import FoundChanges, find_changes
from qidguard.advising.counted_rows import CountedRows
from qidguard.auditing.remedy import find_remedy
from qidguard.core.errors import UserError
from qidguard.core.metric import Metric, OverTime, Unit
from qidguard.core.progress import SILENT, Progress
from qidguard.core.verdict import Bound, ThresholdResult
from qidguard.rendering.isolated import became, most_isolated
from qidguard.trials.task import main_combination

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qidguard.core.isolated import IsolatedOverTime
    from qidguard.core.report import AuditReport
    from qidguard.host import Host
    from qidguard.policy import Policy
    from qidguard.trials.context import TrialContext
    from qidguard.trials.stages import AuditedCopy, HistoryOf

    TrajectoryOf = Callable[[IsolatedOverTime], NDArray[np.int64] | None]
    from numpy.typing import NDArray

    from qidguard.advising.classes import ClassLimit, DistinctRows


TITLE: Final = "whom columns expose"

MOST_PAIRS: Final = 10
"""Pairs of twins that are left away together."""

MOST_LISTED: Final = 6
"""Smallest combinations that are told, at most half of them of one size."""

_MOST_ROWS = 60_000_000
"""Rows that are counted for the smallest combinations, those of one combination after the other."""
_LARGEST = 3
_FEWEST_SHARE = 0.01
"""Of all persons below the limit, the share that a combination has to add to be told beside others."""


@dataclass(frozen=True, kw_only=True)
class Exposure:
    """Whom the quasi-identifiers expose; places of columns are those in the rows.

    Args:
        below: Persons below the limit.
        alone: Persons who are the only one in a class.
        without: What stays without a column, or without a pair.
        smallest: The smallest combinations that expose.
    """

    below: int
    alone: int
    without: tuple[Exposed, ...]
    smallest: tuple[Exposed, ...]


def exposure(
    rows: "DistinctRows",
    limits: Sequence["ClassLimit"],
    names: Sequence[str],
    *,
    twins: Sequence[tuple[int, int]] = (),
    largest: int | None = None,
    progress: Progress = SILENT,
) -> Exposure:
    """Return whom the columns of the limits expose.

    Args:
        rows: The table.
        limits: What classes need; the first is that of the combination that figures are of.
        names: The columns' names.
        twins: Places of pairs of which one column tells the other.
        largest: The most columns that the attacker knows together; None for all.
        progress: Hears of finished steps.
    """
    own = limits[0]
    places = tuple(dict.fromkeys(place for limit in limits for place in limit.columns))
    pairs = [(a, b) for a, b in twins if a in places and b in places][:MOST_PAIRS]
    removed: list[tuple[int, ...]] = [*((place,) for place in places), *pairs]
    whole = rows.count(limits, has_alone=True)
    without = []
    for done, away in enumerate(removed):
        progress.step(TITLE, done, len(removed) + 1)
        left = [replace(limit, columns=tuple(p for p in limit.columns if p not in away)) for limit in limits]
        count = rows.count(left, has_alone=True)
        columns = tuple(names[place] for place in away)
        without.append(Exposed(columns=columns, below=count.persons, alone=count.alone, added=count.persons))
    progress.step(TITLE, len(removed), len(removed) + 1)
    smallest = _Smallest(rows=rows, limit=own, names=names, below=whole.persons)
    found = smallest.found(tuple(p for p in places if p in own.columns) or places, largest)
    progress.step(TITLE, len(removed) + 1, len(removed) + 1)
    return Exposure(
        below=whole.persons,
        alone=whole.alone,
        without=tuple(sorted(without, key=lambda one: (one.below, len(one.columns)))),
        smallest=found,
    )


@dataclass(kw_only=True)
class _Smallest:
    """Search the combinations with few columns that put persons below a limit by themselves."""

    rows: "DistinctRows"
    limit: "ClassLimit"
    names: Sequence[str]
    below: int
    told: list[Exposed] = field(default_factory=list)
    is_known: "NDArray[np.bool_]" = field(init=False)
    left: int = field(init=False)

    def __post_init__(self) -> None:
        self.is_known = np.zeros(len(self.rows), dtype=np.bool_)
        self.left = max(2, _MOST_ROWS // max(1, len(self.rows)))

    def found(self, places: Sequence[int], largest: int | None) -> tuple[Exposed, ...]:
        """Return those that add persons, small ones first."""
        counted: dict[tuple[int, ...], int] = {}
        for size in range(1, min(len(places), largest or len(places)) + 1):
            if size > _LARGEST and self.told:
                break
            asked = self._promising(list(combinations(places, size)), counted)
            masks = {}
            for columns in asked:
                rows = self.rows.count([replace(self.limit, columns=columns)], has_rows=True).rows
                assert rows is not None  # noqa: S101 - they were asked for
                counted[columns] = self.rows.persons_of(rows)
                masks[columns] = self._persons(rows)
            self.left -= len(asked)
            self._tell(masks, counted)
            if len(self.told) >= MOST_LISTED or self.left < 1:
                break
        return tuple(self.told[:MOST_LISTED])

    def _promising(
        self, every: list[tuple[int, ...]], counted: dict[tuple[int, ...], int]
    ) -> list[tuple[int, ...]]:
        """Return as many as may be counted, those first whose parts expose most."""
        if len(every) <= self.left or len(every[0]) == 1:
            return every
        scored = {c: max(counted.get(part, 0) for part in combinations(c, len(c) - 1)) for c in every}
        return sorted(every, key=lambda c: -scored[c])[: max(0, self.left)]

    def _persons(self, rows: "NDArray[np.bool_]") -> "NDArray[np.bool_]":
        """Return all rows of the persons of some rows."""
        if self.rows.person is None:
            return rows
        is_below = np.zeros(self.rows.persons, dtype=np.bool_)
        is_below[self.rows.person[rows]] = True
        return is_below[self.rows.person]

    def _tell(
        self, masks: "dict[tuple[int, ...], NDArray[np.bool_]]", counted: dict[tuple[int, ...], int]
    ) -> None:
        """Tell those of one size that add most, one after the other."""
        fewest = max(1, round(_FEWEST_SHARE * self.below))
        for _ in range(MOST_LISTED // 2):
            added = {c: self.rows.persons_of(mask & ~self.is_known) for c, mask in masks.items()}
            best = max(added, key=lambda c: (added[c], tuple(-p for p in c)), default=None)
            if best is None or added[best] < (fewest if self.told else 1):
                return
            alone = self.rows.count([replace(self.limit, columns=best)], has_alone=True).alone
            self.told.append(
                Exposed(
                    columns=tuple(self.names[place] for place in best),
                    below=counted[best],
                    alone=alone,
                    added=added[best],
                )
            )
            self.is_known |= masks.pop(best)


def advise(
    context: "TrialContext",
    source: "AuditedCopy",
    *,
    most_left_out: float = MOST_LEFT_OUT,
    budget_seconds: float = 60.0,
    judged: "AuditReport | None" = None,
    history_of: "HistoryOf | None" = None,
    try_series: "TrySeries | None" = None,
    trajectory_of: "TrajectoryOf | None" = None,
) -> Advice:
    """Return what would make an audited table pass its policy.

    Args:
        context: What was asked for.
        source: The audited copy of the table, which stays as it is.
        most_left_out: The largest share that a change may leave out, 0..1: of persons where there is an
            entity column, else of records.
        budget_seconds: After how many seconds no further change is looked at; what was found by then is told.
        judged: The audit of what would be published, where a remedy made that; None where the table is it.
        trajectory_of: Returns the trajectory of each record's person over the earlier releases, -1 for who is
            in none; None where nobody knows.
        try_series: Runs the policy's remedy; None where that keeps no series, or was run already.
        history_of: Returns the earlier releases beside a snapshot, where they count.

    Returns:
        The advice. Where the policy holds, or something blocks that is no threshold, nothing is counted.

    Raises:
        UserError: When nobody gave a policy, or the share is none.
        QidguardError: As an audit raises it.
    """
    started = time.perf_counter()
    if not 0 <= most_left_out < 1:
        raise UserError(f"the share that may be left out is at least 0 and below 1, not {most_left_out!r}")
    report = source.report
    hindrances = _hindrances(report)
    persons = report.records if report.entities is None else report.entities
    nothing = Advice(
        combination="default",
        qids=main_combination(report),
        person=report.person,
        persons=persons,
        limit=0,
        isolated=most_isolated(report if judged is None else judged),
        hindrances=hindrances,
        most_left_out=most_left_out,
    )
    keeper = series_keeper(context.policy, context.host)
    if nothing.isolated is not None and (keeper is None or try_series is not None):
        told = installed_for_series(context.host) if try_series is None else try_series()
        nothing = replace(nothing, for_series=told)
    if keeper is not None and not hindrances:
        hindrances = (f"The remedy {keeper} decides on the series, and no change of levels takes its place.",)
    if hindrances:
        return replace(nothing, hindrances=hindrances, seconds=time.perf_counter() - started)
    never = never_mended(report, context.host)
    most, trajectory = most_isolated(report), None
    if most is not None and trajectory_of is not None and not never:
        trajectory = trajectory_of(most)
    counted = CountedRows.of(context, source, trajectory)
    found = exposure(
        counted.rows,
        counted.leading_limits,
        counted.names,
        twins=counted.twins(report),
        largest=counted.leading.knows_any,
        progress=context.progress,
    )
    leading = counted.leading
    deadline = time.monotonic() + budget_seconds - (time.perf_counter() - started)
    try:
        made = (
            FoundChanges(hindrances=never)
            if never
            else find_changes(
                context,
                source,
                counted,
                most_left_out=most_left_out,
                deadline=deadline,
                history_of=history_of,
            )
        )
    except UserError as error:  # what is counted is told all the same
        made = FoundChanges(hindrances=(f"No change could be looked for: {error}",))
    return replace(
        nothing,
        combination=leading.combination,
        qids=leading.qids,
        knows_any=leading.knows_any,
        limit=leading.persons,
        diversity=leading.values,
        **vars(found),
        **vars(made),
        seconds=time.perf_counter() - started,
    )


def _hindrances(report: "AuditReport") -> tuple[str, ...]:
    """Return why nothing is counted: the policy holds, or what blocks is there on any level."""
    verdict = report.verdict
    if verdict is None:
        raise UserError("Advice is on how to meet a policy; give a policy.")
    if verdict.is_passed:
        return ("The policy holds; nothing has to be changed.",)
    faults = (t.measurement for t in verdict.thresholds if t.measurement.is_fault)
    told = [f"{one.metric} could not be measured: {one.reason}" for one in faults]
    told += [block.sentence for block in verdict.blocks]
    if not told and not main_combination(report):
        told = ["The table has no quasi-identifiers, so no change of them helps."]
    return tuple(f"No change of levels removes this: {sentence}" for sentence in told)


TrySeries = Callable[[], ForSeries]
"""Runs the policy's remedy on the table, as a release would."""


def series_keeper(policy: "Policy", host: "Host") -> str | None:
    """Return the policy's remedy where it keeps a series; None for any other and for none."""
    remedy = find_remedy(policy, host)
    return None if remedy is None or not remedy.needs_last_values else remedy.anonymizer.name


def installed_for_series(host: "Host") -> ForSeries | None:
    """Return the anonymizers that say that they keep a series; None where there is none."""
    names = [name for name, one in host.anonymizers.items() if getattr(one, "needs_last_values", False)]
    return ForSeries(anonymizers=tuple(names)) if names else None


def never_mended(report: "AuditReport", host: "Host") -> tuple[str, ...]:
    """Return a sentence for each limit over time that is missed at any level, since persons came and left.

    Whoever would be isolated if no quasi-identifier were published is isolated at any level, so these
    counts bound what a limit can be met with. What they do not decide an audit of a change does.
    """
    if report.verdict is None:
        return ()
    return tuple(
        dict.fromkeys(
            f"No change of levels mends {one.measurement.metric}: {found.at_any_level.persons:,} are isolated"
            f" at any level ({became(found.at_any_level)}), since who is in which release tells them apart."
            for one in report.verdict.thresholds
            if one.is_blocking
            for found in report.isolated
            if found.combination == one.limit.combination
            and _is_missed(one, host.metric(one.measurement.metric), found)
        )
    )


def _is_missed(result: ThresholdResult, metric: Metric, found: "IsolatedOverTime") -> bool:
    """Return whether those who are isolated at any level miss a limit by themselves."""
    persons = found.at_any_level
    if result.limit.bound is Bound.AT_LEAST:
        if result.limit.value < found.k:  # another limit asked for this k
            return False
        came_or_left = OverTime.CAME_OR_LEFT in metric.over_time and persons.left + persons.came > 0
        return came_or_left or (OverTime.STAYED in metric.over_time and persons.stayed > 0)
    if set(metric.over_time) != set(OverTime) or result.measurement.arguments.get("k") != found.k:
        return False
    if metric.unit is Unit.PERSONS:
        return persons.persons > result.limit.value
    return metric.unit is Unit.SHARE and persons.persons > result.limit.value * found.followed
