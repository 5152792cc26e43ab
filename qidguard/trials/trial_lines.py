"""A trial in lines of text: the verdict before, what was done and lost, and the verdict after."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from qidguard.core.measurement import Measurement
from qidguard.rendering.figure import figure_words
from qidguard.rendering.html import html_page
from qidguard.rendering.printable import listed, shown_name, visible
from qidguard.rendering.receipt import receipt_lines
from qidguard.rendering.sentence import headline, outcome, reasons
from qidguard.trials.receipt_document import receipt_document

if TYPE_CHECKING:
    from qidguard.core.report import AuditReport
    from qidguard.trials.trial import Trial


def lines(trial: "Trial") -> Iterator[str]:
    """Yield the lines that tell a trial.

    Args:
        trial: The trial.

    Yields:
        Printable lines.

    Units:
        Figures in their metric's unit; shares in percent.
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


def html_text(trial: "Trial") -> str:
    """Return the trial as one HTML element for a notebook."""
    return html_page(
        word="PASSED" if trial.is_passed else "BLOCKED",
        is_good=trial.is_passed,
        sentence="Nothing was made." if trial.after is None else headline(trial.after),
        lists={
            "Before": [f"{outcome(trial.before)}  {headline(trial.before)}", *reasons(trial.before)],
            "What was done": done_lines(trial),
            "After": [] if trial.after is None else _after(trial.after),
            "What was lost": loss_lines(trial.utility),
        },
    )


def _after(report: "AuditReport") -> list[str]:
    return [*reasons(report), *(one.sentence for one in report.noised)]


def done_lines(trial: "Trial") -> Iterator[str]:
    """Yield what the method did, or why it did nothing."""
    if trial.receipt is None:
        yield from (f"✗ {visible(sentence)}" for sentence in trial.sentences)
        return
    yield from receipt_lines(receipt_document(trial.receipt, trial.claims))


def loss_lines(utility: tuple[Measurement, ...]) -> Iterator[str]:
    """Yield a line for each figure of loss, then one for each reason why there is none, with its metrics."""
    reasons_of: dict[str, list[str]] = {}
    for measurement in utility:
        of = "" if measurement.sensitive is None else f" of {shown_name(measurement.sensitive)}"
        name = f"{visible(measurement.title or measurement.metric)}{of}"
        if measurement.value is None:
            fault = "failed" if measurement.is_fault else "no number"
            reason = f"{fault}: {visible(measurement.reason).rstrip('. ')}"
            reasons_of.setdefault(reason, []).append(measurement.metric)
        else:
            yield f"{name}: {figure_words(measurement.value, measurement.unit)}"
    for reason, metrics in reasons_of.items():
        yield f"{listed(metrics, most=len(metrics))}: {reason}"


def _verdict(when: str, report: "AuditReport") -> Iterator[str]:
    yield f"{when}: {outcome(report)}  {headline(report)}"
    yield from (f"  ✗ {sentence}" for sentence in reasons(report))
    yield from (f"  {visible(one.sentence)}" for one in report.noised)
