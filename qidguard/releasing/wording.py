"""How a release ended, in a few lines."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from qidguard.report.figure import counted
from qidguard.report.printable import visible
from qidguard.report.sentence import reasons

if TYPE_CHECKING:
    from qidguard.releasing.result import Release


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


def _lines(made: "Release", *, has_report: bool) -> Iterator[str]:
    if made.address is None:
        yield f"NOT PUBLISHED  {made.data_set} {made.release_id}"
        said = () if has_report or made.report is None else reasons(made.report)
        for reason in (*said, *made.reasons):
            yield f"  ✗ {reason}"
        yield f"  The record: qidguard show {made.audit_id}"
        return
    word = "PUBLISHED BY EXCEPTION" if made.approvals else "PUBLISHED"
    yield f"{word}  {made.data_set} {made.release_id}"
    yield f"  at {made.address}"
    if made.is_repeated:
        yield "  It was there already, complete; nothing was done."
    if made.before is not None and made.report is not None:
        gone = made.before.records - made.report.records
        cells = 0 if made.receipt is None else sum(made.receipt.cells_changed.values())
        changed = f" and changed {counted(cells, 'cells')}" if cells else ""
        yield f"  The remedy suppressed {gone:,} of {made.before.records:,} records{changed}."
    for approval in made.approvals:
        covered = "; ".join(waived.text for waived in approval.waived)
        yield f"  ! {approval.by} let through until {approval.expires}: {covered}. Reason: {approval.reason}"
    if made.key_id is None:
        yield "  Not signed: there is no signing key; make one with: qidguard keys new"
    else:
        yield f"  Signed by key {made.key_id[:12]}"
    yield f"  The record: qidguard show {made.audit_id}"
