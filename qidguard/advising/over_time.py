"""Which limits over earlier releases no change of levels can meet: who is in which release decides."""

from typing import TYPE_CHECKING

from qidguard.core.metric import Metric, OverTime, Unit
from qidguard.core.verdict import Bound, ThresholdResult
from qidguard.rendering.isolated import became

if TYPE_CHECKING:
    from qidguard.core.isolated import IsolatedOverTime
    from qidguard.core.report import AuditReport
    from qidguard.host import Host


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
