"""A receipt in a few lines: what a method did, what it claims, what was measured, and what attacks found."""

from collections.abc import Iterator, Mapping
from typing import Any

from qidguard.core.verdict import Bound, Limit
from qidguard.rendering.figure import counted, figure, short_share, with_unit
from qidguard.rendering.printable import listed, shown_name, visible
from qidguard.rendering.threshold import demand

_MOST = 12
"""Lines of one kind that are written out."""

_SIZES = ((1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "kB"))


def receipt_lines(receipt: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of a receipt."""
    yield _headline(receipt)
    before, gone = receipt["records_before"], receipt.get("records_suppressed")
    if gone is None:  # of a record that was written before receipts told it
        gone = before - receipt["records_after"]
    yield f"{gone:,} of {counted(before, 'records')} suppressed"
    behalf = {name: count for name, count in receipt["suppressed_by"].items() if count}
    if len(behalf) > 1:
        yield from _cut(f"  on behalf of {visible(name)}: {count:,}" for name, count in behalf.items())
    yield from _cells(receipt.get("cells_changed", {}), before - gone)
    yield from _cut(map(claim_line, receipt.get("guarantees", ())))
    for attack in receipt.get("attacks", ()):
        yield f"attack {visible(attack['attack'])}: {visible(attack['sentence'])}"
    yield from _cut(f"note: {visible(note)}" for note in receipt.get("notes", ()))


def _headline(receipt: Mapping[str, Any]) -> str:
    arguments = ", ".join(f"{name}={value}" for name, value in receipt["arguments"].items())
    title = f", {visible(receipt['title'])}" if receipt.get("title") else ""
    name = receipt.get("anonymizer") or receipt["anonymiser"]  # as 0.1.0 spelled it
    words = f"{visible(name)}{title}" + (f" ({visible(arguments)})" if arguments else "")
    if receipt.get("seconds") is None:
        return words
    seconds, memory = receipt["seconds"], receipt["peak_bytes"]
    spent = f"{figure(seconds, 's') if seconds >= 0.01 else '<0.01'} s"  # noqa: PLR2004 - hundredths
    return f"{words}: {spent}" + ("" if memory is None else f", {_size(memory)}")


def _size(count: int) -> str:
    return next((f"{count / size:,.0f} {word}" for size, word in _SIZES if count >= size), f"{count} bytes")


def _cells(changed: Mapping[str, int], records: int) -> Iterator[str]:
    left = [name for name, cells in changed.items() if not cells]
    for name, cells in changed.items():
        if cells:
            share = f" ({short_share(cells / records)})" if records else ""
            yield f"{shown_name(name)}: {counted(cells, 'cells')} changed{share}"
    if left:
        yield f"{listed(left)}: no cell changed"


def claim_line(claim: Mapping[str, Any]) -> str:
    """Return one claim beside what was measured."""
    limit = Limit(bound=Bound(claim["bound"]), value=claim["limit"])
    of = "" if claim["sensitive"] is None else f" of {shown_name(claim['sensitive'])}"
    what = visible(claim["title"] or claim["metric"])
    asked = f"claims {what}{of} {demand(limit, claim['unit'])} over {listed(claim['qids'])}"
    if claim["measured"] is None:
        return f"{asked}: not measured ({visible(claim['reason']).rstrip('. ')})"
    measured = with_unit(figure(claim["measured"], claim["unit"]), claim["unit"])
    return f"{asked}: {'kept' if claim['is_kept'] else 'NOT KEPT'}, it is {measured}"


def _cut(every_line: Iterator[str]) -> Iterator[str]:
    lines = list(every_line)
    yield from lines[:_MOST]
    if len(lines) > _MOST:
        yield f"  and {len(lines) - _MOST:,} more"
