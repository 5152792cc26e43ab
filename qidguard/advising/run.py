"""What would make an audited, blocked table pass."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from qidguard.advising.advice import MOST_LEFT_OUT, Advice, ForSeries
from qidguard.advising.changing import FoundChanges, find_changes
from qidguard.advising.counted_rows import CountedRows
from qidguard.advising.exposure import exposure
from qidguard.auditing.remedy import find_remedy
from qidguard.core.errors import UserError
from qidguard.core.metric import Metric, OverTime, Unit
from qidguard.core.verdict import Bound, ThresholdResult
from qidguard.rendering.isolated import became, most_isolated
from qidguard.trials.task import main_combination

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from qidguard.core.isolated import IsolatedOverTime
    from qidguard.core.report import AuditReport
    from qidguard.host import Host
    from qidguard.policy import Policy
    from qidguard.trials.context import TrialContext
    from qidguard.trials.stages import AuditedCopy, HistoryOf

    TrajectoryOf = Callable[[IsolatedOverTime], NDArray[np.int64] | None]


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
