"""Whether a policy looks at what a release reveals together with the earlier ones of the same people."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from qidguard.core.metric import Direction, Metric, OverTime
from qidguard.core.report import AuditReport
from qidguard.core.verdict import Bound, ThresholdResult

if TYPE_CHECKING:
    from qidguard.releasing.earlier import KeyedHistory
    from qidguard.releasing.job import Job

_WORDS = {
    OverTime.STAYED: "who is in several releases (intersection_k_anonymity)",
    OverTime.CAME_OR_LEFT: "who came or left between them (differencing_k_anonymity)",
}


def unwatched(job: "Job", report: AuditReport, history: "KeyedHistory") -> list[str]:
    """Return a sentence for what earlier releases may reveal and no threshold limits.

    For every QID combination a threshold that can block must watch who stayed and who came or left, over all
    earlier releases; one over more QIDs does, too, since it watches finer classes.
    """
    if not history.releases:
        return []
    covered = {part: list(_covered(job, report, history.releases, part)) for part in OverTime}
    sentences = []
    for summary in report.summaries:
        lacking = [
            _WORDS[part] for part, sets in covered.items() if not any(set(summary.qids) <= s for s in sets)
        ]
        if lacking:
            place = "" if summary.combination == "default" else f" over combination {summary.combination!r}"
            sentences.append(
                f"{history.releases} earlier releases of {job.data_set!r} are known, and no threshold that"
                f" can block limits what they reveal with this one{place} of {' and of '.join(lacking)}; add"
                " one, or write earlier_releases: unrelated under release if the records are of other people."
            )
    return sentences or _strangers(job, report, history)


def _covered(job: "Job", report: AuditReport, releases: int, part: OverTime) -> Iterator[set[str]]:
    """Yield the QIDs of every threshold that watches this part, and can block."""
    qids = {summary.combination: set(summary.qids) for summary in report.summaries}
    for result in report.verdict.thresholds if report.verdict else ():
        metric = job.host.metric(result.measurement.metric)
        if part in metric.over_time and _can_block(result, metric, releases):
            yield qids.get(result.limit.combination, set())


def _can_block(result: ThresholdResult, metric: Metric, releases: int) -> bool:
    limit, recent = result.limit, int(result.measurement.arguments.get("most_recent", 0))
    if not limit.is_blocking or 0 < recent < releases or result.measurement.subsets > 1:
        return False
    if metric.direction is Direction.HIGHER_IS_SAFER:
        return limit.bound is Bound.AT_LEAST and limit.value > max(1, metric.minimum)
    return limit.bound is Bound.AT_MOST and limit.value < metric.maximum


def _strangers(job: "Job", report: AuditReport, history: "KeyedHistory") -> list[str]:
    """Return a sentence where nobody of the earlier releases is found again, so nothing can be compared."""
    main = next((s.qids for s in report.summaries if s.combination == "default"), ())
    joint = history.joint_classes(main)
    if bool((joint.is_now & joint.is_before).any()):
        return []
    how = f"by {job.policy.roles.entity!r}" if job.policy.roles.entity else "by their content"
    sentence = (
        f"Nobody of the {history.releases} earlier releases of {job.data_set!r} is found in this one {how},"
        " so they cannot be held against it; correct roles.entity, or write earlier_releases: unrelated under"
        " release if the records are of other people."
    )
    return [sentence]
