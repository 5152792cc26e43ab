"""Sentences of a whole report: its outcome, why it is blocked, its classes and its size."""

from qidguard.core.errors import ExitCode
from qidguard.core.report import AuditReport, ClassSummary
from qidguard.rendering.figure import counted, short_share
from qidguard.rendering.printable import visible
from qidguard.rendering.threshold import place, threshold_sentence


def common_place(report: AuditReport) -> str:
    """Return the columns that two or more missed thresholds all speak of, or nothing."""
    results = [] if report.verdict is None else [r for r in report.verdict.thresholds if r.is_blocking]
    places = {place(r.measurement, r.limit.combination) for r in results}
    return places.pop() if len(results) > 1 and len(places) == 1 else ""


def reasons(report: AuditReport, *, has_place: bool = True) -> list[str]:
    """Return why a table is blocked: missed thresholds first, then the other reasons."""
    if report.verdict is None:
        return []
    fault = "Internal fault: "
    missed = [
        (fault if r.measurement.is_fault else "") + threshold_sentence(r, has_place=has_place)
        for r in report.verdict.thresholds
        if r.is_blocking
    ]
    return missed + [(fault if b.is_internal else "") + visible(b.sentence) for b in report.verdict.blocks]


def outcome(report: AuditReport) -> str:
    """Return the one word of a report."""
    if report.verdict is None:
        return "DESCRIBED"
    return "PASSED" if report.is_passed else "BLOCKED"


def headline(report: AuditReport) -> str:
    """Return the sentence beside the verdict: how many thresholds hold and whether anything failed."""
    if report.verdict is None:
        return "No policy was given, so nothing was judged."
    results, blocks = report.verdict.thresholds, report.verdict.blocks
    failing = sum(r.is_blocking for r in results)
    holding = sum(r.is_met for r in results)
    parts = []
    if failing:
        parts.append(f"{failing:,} of {len(results):,} {_plural('threshold', len(results))} missed")
    elif len(results) == holding == 1:
        parts.append("The only threshold holds")
    elif results:
        parts.append(f"{holding:,} of {len(results):,} thresholds hold")
    else:
        parts.append("No threshold was judged")
    left = sum(
        r.is_met and r.measurement.noised is not None and bool(r.measurement.noised.left_out) for r in results
    )
    if left:
        parts.append(f"{'' if left == len(results) else f'{left:,} '}over columns without noise only")
    warnings = len(report.verdict.warnings)
    if warnings:
        parts.append(f"{warnings:,} {_plural('warning', warnings)}")
    if blocks:
        joint = "but " if results and not failing else "and "
        parts.append(f"{joint}{len(blocks):,} other {_plural('reason', len(blocks))} to block")
    sentence = ", ".join(parts) + "."
    if report.exit_code is ExitCode.INTERNAL_ERROR:
        sentence += " A plugin or qidguard itself failed."
    return sentence


def _plural(word: str, number: int) -> str:
    return word if number == 1 else word + "s"


def summary_sentence(summary: ClassSummary, person: str) -> str:
    """Return what the classes of one QID combination look like.

    Example:
        >>> numbers = dict(classes=3, smallest=1, uniques=1, persons=8)
        >>> summary_sentence(ClassSummary(combination="default", qids=("age",), **numbers), "records")
        '3 classes; the smallest holds 1 record; 1 record (12.5%) alone in a class.'
    """
    share = f" ({short_share(summary.share_alone)})" if summary.persons else ""
    return (
        f"{counted(summary.classes, 'classes')}; the smallest holds {counted(summary.smallest, person)}; "
        f"{counted(summary.uniques, person)}{share} alone in a class."
    )


def table_sentence(report: AuditReport) -> str:
    """Return the size of the table."""
    persons = "" if report.entities is None else f" of {counted(report.entities, 'entities')}"
    columns = len(report.columns)
    return f"{counted(report.records, 'records')}{persons}, {columns:,} {_plural('column', columns)}"
