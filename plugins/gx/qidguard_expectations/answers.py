"""What a batch answers while a suite runs: plain values, never one of the table.

Questions are gathered first, then answered together on one open table.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from qidguard.sdk import (
    AuditReport,
    BatchAnswer,
    BatchQuestion,
    ExitCode,
    InternalError,
    PolicyError,
    QidguardError,
    UserError,
    judge_batch,
    load_host,
)
from qidguard_expectations.questions import ExpectationQuestion

if TYPE_CHECKING:
    from qidguard.sdk import BatchSource

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


def of_threshold(answer: BatchAnswer) -> ExpectationAnswer:
    """Return the answer of a report on one threshold."""
    report, stated = _told(answer), answer.document
    verdict = report.verdict
    result = None if verdict is None else verdict.thresholds[0]
    is_passed = result is not None and verdict is not None and not result.is_blocking and not verdict.blocks
    exit_code = report.exit_code if not is_passed else ExitCode.PASSED
    details = {"threshold": stated["thresholds"][0], "notes": stated["notes"], "exit_code": int(exit_code)}
    return ExpectationAnswer(
        is_passed=is_passed,
        observed=stated["thresholds"][0]["value"],
        details=_details(answer, report) | details,
    )


def of_policy(answer: BatchAnswer) -> ExpectationAnswer:
    """Return the answer of a whole audit, with lines on what would make it pass where it is blocked."""
    report, sentences = _told(answer), answer.reasons
    details: dict[str, Any] = {"sentences": sentences, "document": answer.document}
    details |= {"advice": list(answer.advice), "exit_code": int(report.exit_code)}
    return ExpectationAnswer(
        is_passed=report.is_passed, observed=len(sentences), details=_details(answer, report) | details
    )


def _details(answer: BatchAnswer, report: AuditReport) -> dict[str, Any]:
    return {
        "threshold": None,
        "classes": next(iter(answer.document["classes"]), None),
        "records": report.records,
        "entities": report.entities,
        "reason": " ".join(answer.reasons) or None,
    }


def of_question(asked: ExpectationQuestion, answer: BatchAnswer) -> ExpectationAnswer:
    """Return the answer to a threshold or a policy, or why there is none."""
    fault = answer.fault
    if fault is not None:
        return of_fault(asked.in_own_words(fault) if isinstance(fault, PolicyError) else fault)
    return of_policy(answer) if asked.kind == "policy" else of_threshold(answer)


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


def _told(answer: BatchAnswer) -> AuditReport:
    if answer.report is None:
        raise InternalError("The batch gave no answer to this expectation; run it again.")
    return answer.report


def answers(reader: "BatchSource", texts: Sequence[str]) -> dict[str, ExpectationAnswer]:
    """Return an answer for every question; whatever fails is the answer of those whom it concerns.

    Example:
        >>> answers(None, ["?"])["?"].details["reason"]
        'What the expectation asks did not reach its metric.'
    """
    answers_of: dict[str, ExpectationAnswer] = {}
    held: dict[str, tuple[ExpectationQuestion, BatchQuestion]] = {}
    for text in texts:
        try:
            asked = ExpectationQuestion.parse(text)
            if asked.kind == "refused":
                raise UserError(asked.reason)
            if asked.kind == "columns":
                answers_of[text] = of_columns(asked.columns, reader.names())
            else:
                held[text] = asked, asked.of_batch
        except FAULTS as error:
            answers_of[text] = of_fault(error)
    judged = judge_batch(reader, [question for _, question in held.values()], load_host())
    for (text, (asked, _)), answer in zip(held.items(), judged, strict=True):
        try:
            answers_of[text] = of_question(asked, answer)
        except FAULTS as error:
            answers_of[text] = of_fault(error)
    return answers_of


class AskedBatch:
    """A batch, the questions about it and their answers. It keeps no table open.

    Args:
        reader: The batch.
    """

    def __init__(self, reader: "BatchSource") -> None:
        self._reader = reader
        self._waiting: dict[str, None] = {}
        self._answers: dict[str, ExpectationAnswer] = {}

    def ask(self, text: str) -> None:
        """Remember a question, to be answered together with the others."""
        if text not in self._answers:
            self._waiting[text] = None

    def answer(self, text: str) -> ExpectationAnswer:
        """Return the answer of a question; all that wait are answered at once."""
        self.ask(text)
        if text not in self._answers:
            waiting, self._waiting = list(self._waiting), {}
            try:
                self._answers |= answers(self._reader, waiting)
            except FAULTS as error:  # the words of an error that leaves here would be shown by GX
                self._answers |= dict.fromkeys(waiting, of_fault(error))
        lost = InternalError("The batch gave no answer to this expectation; run it again.")
        return self._answers.get(text) or of_fault(lost)
