"""How a release ended: in a few lines, in a notebook, and as plain values."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from qidguard.rendering import html
from qidguard.rendering.document import document
from qidguard.rendering.figure import counted
from qidguard.rendering.notebook import to_html_fragment
from qidguard.rendering.printable import visible
from qidguard.rendering.sentence import reasons
from qidguard.trials.receipt_document import receipt_document

if TYPE_CHECKING:
    from qidguard.releasing.result import Release

FORMAT = "qidguard-release/1"
"""Name and version of the document: the version grows when a field changes its meaning or goes away."""


def lines(made: "Release", *, has_report: bool = False) -> Iterator[str]:
    """Yield the lines that say how a release ended; the first one says whether anything was published.

    Args:
        made: The release.
        has_report: Whether the report stands above, so that its reasons need not be said again.

    Yields:
        Printable lines.

    Example:
        >>> from qidguard.releasing.result import Outcome, Release
        >>> blocked = Release(
        ...     data_set="people",
        ...     release_id="r1",
        ...     audit_id="audit-1",
        ...     outcome=Outcome.BLOCKED,
        ...     report=None,
        ...     reasons=("The policy demands a signature.",),
        ... )
        >>> list(lines(blocked))[0]
        'NOT PUBLISHED  people r1'
    """
    for line in _lines(made, has_report=has_report):
        yield visible(line)


def html_text(made: "Release") -> str:
    """Return the release as one HTML element for a notebook."""
    first, *others = lines(made, has_report=True)
    word, _, name = first.partition("  ")
    color = html.GOOD if made.is_published else html.BAD
    audited = "" if made.report is None else to_html_fragment(made.report)
    parts = (
        html.badge(word, color, name),
        html.items("How it ended", (sentence.strip() for sentence in others)),
    )
    told = made.advice_lines
    advised = html.items("What would make it pass", told[1:] or told)
    return html.whole((*parts, advised, html.items("Notes", made.notes), audited))


def release_document(made: "Release") -> dict[str, Any]:
    """Return the release as plain values that JSON knows."""
    return {
        "format": FORMAT,
        "data_set": made.data_set,
        "release_id": made.release_id,
        "audit_id": made.audit_id,
        "outcome": made.outcome.value,
        "exit_code": int(made.exit_code),
        "is_published": made.is_published,
        "is_repeated": made.is_repeated,
        "is_confirmed": made.is_confirmed,
        "address": made.address,
        "key_id": made.key_id,
        "reasons": list(made.reasons),
        "notes": list(made.notes),
        "approvals": [approval.document() for approval in made.approvals],
        "before": None if made.before is None else document(made.before),
        "report": None if made.report is None else document(made.report),
        "receipt": None if made.receipt is None else receipt_document(made.receipt),
        **({} if made.advised is None else {"advice": made.advised.to_dict()}),
    }


def _lines(made: "Release", *, has_report: bool) -> Iterator[str]:
    if made.address is None:
        yield f"NOT PUBLISHED  {made.data_set} {made.release_id}"
        missed = () if has_report or made.report is None else reasons(made.report)
        for reason in (*missed, *made.reasons):
            yield f"  ✗ {reason}"
        yield f"  The record: qidguard show {made.audit_id}"
        return
    word = "PUBLISHED BY EXCEPTION" if made.approvals else "PUBLISHED"
    unconfirmed = "" if made.is_confirmed else ", NOT CONFIRMED"
    yield f"{word}{unconfirmed}  {made.data_set} {made.release_id}"
    yield f"  at {made.address}"
    if made.is_repeated:
        yield "  It was there already, complete; nothing was done."
    if made.report is not None and made.report.new_table is not None:
        told, records = made.report.new_table, counted(made.report.records, "records")
        yield f"  The remedy made a new table of {records} ({told.title}) in the place of the source's."
        yield f"  {told.sentence}"
        for found in () if made.receipt is None else made.receipt.reproduced[-1:]:
            alone = found.by_size[0]
            yield (
                f"  {found.equal:,} of {found.new_records:,} new records equal one of the source on"
                f" {found.over}; of {alone.records:,} that are alone there, {alone.reproduced:,} came back."
            )
    elif made.before is not None and made.report is not None:
        gone = made.before.records - made.report.records
        cells = 0 if made.receipt is None else sum(made.receipt.cells_changed.values())
        changed = f" and changed {counted(cells, 'cells')}" if cells else ""
        yield f"  The remedy suppressed {gone:,} of {made.before.records:,} records{changed}."
    if made.report is not None and not has_report:  # which tells it too
        yield from (f"  {one.sentence}" for one in made.report.noised)
    for approval in made.approvals:
        covered = "; ".join(waived.text for waived in approval.waived)
        yield f"  ! {approval.by} let through until {approval.expires}: {covered}. Reason: {approval.reason}"
    if made.key_id is None:
        yield "  Not signed: there is no signing key; make one with: qidguard keys new"
    else:
        yield f"  Signed by key {made.key_id[:12]}"
    yield f"  The record: qidguard show {made.audit_id}"
