"""What a batch answers: plain values, never one of the table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from qidguard.core.errors import ExitCode, QidguardError
from qidguard.core.report import AuditReport
from qidguard.rendering.document import document
from qidguard.rendering.sentence import reasons

_EMPTY: dict[str, Any] = {"threshold": None, "classes": None, "records": None, "entities": None}
"""What the details of every answer have, where there is nothing to say."""

_MOST_NAMES = 10
"""How many columns a reason names; the rest are counted."""

FAULTS = (Exception, SystemExit, GeneratorExit)
"""What a library or a plugin may raise; only Ctrl-C goes on."""


@dataclass(frozen=True, kw_only=True)
class ExpectationAnswer:
    """One answer.

    Args:
        is_passed: Whether the expectation is met.
        observed: The figure that stands for it, in its own unit; None where there is none.
        details: Everything else, in values that JSON knows.
    """

    is_passed: bool
    observed: int | float | None
    details: Mapping[str, Any]


def of_threshold(report: AuditReport) -> ExpectationAnswer:
    """Return the answer of a report on one threshold."""
    stated = document(report)
    verdict = report.verdict
    result = None if verdict is None else verdict.thresholds[0]
    is_passed = result is not None and verdict is not None and not result.is_blocking and not verdict.blocks
    exit_code = report.exit_code if not is_passed else ExitCode.PASSED
    return ExpectationAnswer(
        is_passed=is_passed,
        observed=stated["thresholds"][0]["value"],
        details={
            "threshold": stated["thresholds"][0],
            "classes": next(iter(stated["classes"]), None),
            "records": report.records,
            "entities": report.entities,
            "reason": _joined(reasons(report)),
            "notes": stated["notes"],
            "exit_code": int(exit_code),
        },
    )


def of_policy(report: AuditReport, advice: Sequence[str] = ()) -> ExpectationAnswer:
    """Return the answer of a whole audit, with lines on what would make it pass where it is blocked."""
    sentences = reasons(report)
    return ExpectationAnswer(
        is_passed=report.is_passed,
        observed=len(sentences),
        details={
            "threshold": None,
            "classes": next(iter(document(report)["classes"]), None),
            "records": report.records,
            "entities": report.entities,
            "reason": _joined(sentences),
            "sentences": sentences,
            "document": document(report),
            "advice": list(advice),
            "exit_code": int(report.exit_code),
        },
    )


def of_columns(approved: Sequence[str], names: Sequence[str]) -> ExpectationAnswer:
    """Return the answer of a comparison of columns.

    Example:
        >>> of_columns(["age"], ["age", "ssn"]).details["reason"]
        "The columns are not as approved: 'ssn' was added; approve the table anew or drop it."
    """
    added = [name for name in names if name not in set(approved)]
    missing = [name for name in approved if name not in set(names)]
    sentences = [
        f"{_listed(some)} {'was' if len(some) == 1 else 'were'} {word}"
        for some, word in ((added, "added"), (missing, "taken away"))
        if some
    ]
    remedy = "approve the table anew" + (f" or drop {'it' if len(added) == 1 else 'them'}" if added else "")
    reason = f"The columns are not as approved: {' and '.join(sentences)}; {remedy}." if sentences else None
    code = ExitCode.BLOCKED if sentences else ExitCode.PASSED
    details = {"added": added, "missing": missing, "approved": list(approved)}
    return ExpectationAnswer(
        is_passed=not sentences,
        observed=len(added) + len(missing),
        details=_EMPTY | details | {"reason": reason, "exit_code": int(code)},
    )


def of_fault(error: BaseException) -> ExpectationAnswer:
    """Return the answer where there is none: why, without a value of the table.

    Example:
        >>> of_fault(ValueError("Smith")).details["reason"]
        'internal error (ValueError)'
    """
    is_ours = isinstance(error, QidguardError)
    code = error.exit_code if isinstance(error, QidguardError) else ExitCode.INTERNAL_ERROR
    reason = str(error) if is_ours else f"internal error ({type(error).__name__})"
    details = _EMPTY | {"reason": reason, "exit_code": int(code)}
    return ExpectationAnswer(is_passed=False, observed=None, details=details)


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:_MOST_NAMES])
    return shown + (f" and {len(names) - _MOST_NAMES:,} more" if len(names) > _MOST_NAMES else "")


def _joined(sentences: list[str]) -> str | None:
    return " ".join(sentences) or None
