"""Whether a policy looks at what a release reveals together with the earlier ones of the same people."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from qidguard.core.metric import Direction, Metric, OverTime
from qidguard.core.report import AuditReport
from qidguard.core.verdict import Bound, ThresholdResult
from qidguard.releasing.history.comparable import said_unrelated, series_of, unrelated_line
from qidguard.releasing.history.past import of_persons

if TYPE_CHECKING:
    from qidguard.core.versions import History
    from qidguard.ledger import TypedEntry
    from qidguard.ledger.payloads import Releasing
    from qidguard.releasing.context import ReleaseContext
    from qidguard.releasing.history.past import Past

_WORDS = {
    OverTime.STAYED: "who is in several releases (intersection_k_anonymity)",
    OverTime.CAME_OR_LEFT: "who came or left between them (differencing_k_anonymity)",
}


def unwatched(context: "ReleaseContext", report: AuditReport, history: "History", past: "Past") -> list[str]:
    """Return a sentence for what earlier releases, those of ``past``, may reveal and no threshold limits.

    For every QID combination a threshold that can block must watch who stayed and who came or left, over all
    earlier releases; one over more QIDs does, too, since it watches finer classes.
    """
    if not history.releases:
        return []
    releases = of_persons(past.begun)
    sentences = [
        f"{history.releases} earlier releases of {series_of(releases)} are known, and no threshold that can"
        f" block limits what they reveal with this one{place}; add one, or {unrelated_line(releases)}."
        for place in _unlimited(context, report, history.releases)
    ]
    return sentences or _strangers(context, report, history, releases)


def is_unwatched(context: "ReleaseContext", report: AuditReport, past: "Past") -> bool:
    """Whether the policy itself lacks a threshold over earlier releases, whatever is made of the table."""
    releases = len(of_persons(past.begun))
    return bool(releases and _unlimited(context, report, releases))


def warning_of_next(context: "ReleaseContext", report: AuditReport, past: "Past") -> tuple[str, ...]:
    """Return a sentence with the first release where the next one would be blocked for want of a watch."""
    is_judged = context.policy.release.earlier_releases != "unrelated"
    is_judged = is_judged and not said_unrelated(context, context.data_set)
    if of_persons(past.begun) or not is_judged or not _unlimited(context, report, 1):
        return ()
    sentence = (
        f"This is the first release of {context.data_set!r}. The next one will be blocked unless thresholds"
        " limit what both reveal together: add intersection_k_anonymity and differencing_k_anonymity, or, if"
        f" its records are of other people, write under release: unrelated: [{{data_set: {context.data_set},"
        " reason: …}]."
    )
    return (sentence,)


@dataclass(frozen=True, kw_only=True)
class FoundAgain:
    """How many records of earlier releases a table has, where nothing but their content tells.

    Args:
        earlier: Records of the earlier releases, each once.
        found: How many of them are in the table.
    """

    earlier: int
    found: int

    @property
    def sentence(self) -> str:
        """What it says in words."""
        rest = "; of the rest nobody can tell whether they left or were re-worded"
        return (
            f"Of the {self.earlier:,} records of earlier releases {self.found:,}"
            f" ({100 * self.found / self.earlier:.1f} %) are found again by their content"
            f"{rest if self.found < self.earlier else ''}."
        )


def found_again(context: "ReleaseContext", report: AuditReport, history: "History") -> FoundAgain | None:
    """Return how many records of earlier releases are found again; None where an entity tells."""
    if context.policy.roles.entity is not None or not history.releases:
        return None
    joint = history.joint_classes(_main(report))
    return FoundAgain(earlier=int(joint.is_before.sum()), found=int((joint.is_now & joint.is_before).sum()))


def _main(report: AuditReport) -> tuple[str, ...]:
    return next((s.qids for s in report.summaries if s.combination == "default"), ())


def _unlimited(context: "ReleaseContext", report: AuditReport, releases: int) -> list[str]:
    """Return for each QID combination what nothing watches, such as `` of who came or left …``."""
    covered = {part: list(_covered(context, report, releases, part)) for part in OverTime}
    unlimited = []
    for summary in report.summaries:
        lacking = [
            _WORDS[part]
            for part, watched in covered.items()
            if not any(w.covers(summary.combination, summary.qids) for w in watched)
        ]
        if lacking:
            place = "" if summary.combination == "default" else f" over combination {summary.combination!r}"
            unlimited.append(f"{place} of {' and of '.join(lacking)}")
    return unlimited


@dataclass(frozen=True, kw_only=True)
class _Watched:
    """A QID combination that a threshold watches; ``is_whole`` where the attacker knows all its columns."""

    combination: str
    qids: set[str]
    is_whole: bool

    def covers(self, combination: str, qids: tuple[str, ...]) -> bool:
        """Whether it watches a combination: itself, or one with fewer columns."""
        return combination == self.combination or (self.is_whole and set(qids) <= self.qids)


def _covered(
    context: "ReleaseContext", report: AuditReport, releases: int, part: OverTime
) -> Iterator[_Watched]:
    """Yield what every threshold watches that looks at this part, and can block."""
    qids = {summary.combination: set(summary.qids) for summary in report.summaries}
    for result in () if report.verdict is None else report.verdict.thresholds:
        metric = context.host.metric(result.measurement.metric)
        if part in metric.over_time and _can_block(result, metric, releases):
            name = result.limit.combination
            is_whole = result.measurement.subsets == 1
            yield _Watched(combination=name, qids=qids.get(name, set()), is_whole=is_whole)


def _can_block(result: ThresholdResult, metric: Metric, releases: int) -> bool:
    limit, recent = result.limit, int(result.measurement.arguments.get("most_recent", 0))
    if not limit.is_blocking or 0 < recent < releases:
        return False
    if metric.direction is Direction.HIGHER_IS_SAFER:
        return limit.bound is Bound.AT_LEAST and limit.value > max(1, metric.minimum)
    return limit.bound is Bound.AT_MOST and limit.value < metric.maximum


def _strangers(
    context: "ReleaseContext",
    report: AuditReport,
    history: "History",
    releases: "Sequence[TypedEntry[Releasing]]",
) -> list[str]:
    """Return a sentence where nobody of the earlier releases is found again, so nothing can be compared."""
    joint = history.joint_classes(_main(report))
    if bool((joint.is_now & joint.is_before).any()):
        return []
    how = f"by {context.policy.roles.entity!r}" if context.policy.roles.entity else "by their content"
    sentence = (
        f"Nobody of the {history.releases} earlier releases of {series_of(releases)} is found in this one"
        f" {how}, so they cannot be held against it; correct roles.entity, or {unrelated_line(releases)}."
    )
    return [sentence]
