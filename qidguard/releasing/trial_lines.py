"""A trial in lines of text: the verdict before, what was done and lost, and the verdict after."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from qidguard.core.measurement import Measurement
from qidguard.releasing.receipt_document import receipt_document
from qidguard.report.figure import figure, with_unit
from qidguard.report.printable import listed, shown_name, visible
from qidguard.report.receipt import receipt_lines
from qidguard.report.sentence import headline, outcome, reasons

if TYPE_CHECKING:
    from qidguard.core.report import AuditReport
    from qidguard.releasing.trial import Trial


def lines(trial: "Trial") -> Iterator[str]:
    """Yield the lines that tell a trial.

    Args:
        trial: The trial.

    Yields:
        Printable lines.

    Units:
        Figures in their metric's unit; shares in percent.

    Raises:
        Nothing.

    Example:
        >>> import inspect
        >>> list(inspect.signature(lines).parameters)
        ['trial']
    """
    yield from _verdict("Before", trial.before)
    yield ""
    yield "What was done"
    yield from (f"  {line}" for line in done_lines(trial))
    yield ""
    if trial.after is not None:
        yield from _verdict("After", trial.after)
    if trial.utility:
        yield ""
        yield "What was lost"
        yield from (f"  {line}" for line in loss_lines(trial.utility))


def done_lines(trial: "Trial") -> Iterator[str]:
    """Yield what the method did, or why it did nothing."""
    if trial.receipt is None:
        yield from (f"✗ {visible(sentence)}" for sentence in trial.sentences)
        return
    yield from receipt_lines(receipt_document(trial.receipt, trial.claims))


def loss_lines(utility: tuple[Measurement, ...]) -> Iterator[str]:
    """Yield a line for each figure of loss, then one for each reason why there is none, with its metrics."""
    reasons_of: dict[str, list[str]] = {}
    for found in utility:
        of = "" if found.sensitive is None else f" of {shown_name(found.sensitive)}"
        name = f"{visible(found.title or found.metric)}{of}"
        if found.value is None:
            fault = "failed" if found.is_fault else "no number"
            reason = f"{fault}: {visible(found.reason).rstrip('. ')}"
            reasons_of.setdefault(reason, []).append(found.metric)
        else:
            yield f"{name}: {with_unit(figure(found.value, found.unit), found.unit)}"
    for reason, metrics in reasons_of.items():
        yield f"{listed(metrics, most=len(metrics))}: {reason}"


def _verdict(when: str, report: "AuditReport") -> Iterator[str]:
    yield f"{when}: {outcome(report)}  {headline(report)}"
    yield from (f"  ✗ {sentence}" for sentence in reasons(report))
