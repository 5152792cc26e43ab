"""A receipt in a few lines: what a method did, what it claims, what was measured, and what attacks found."""

from collections.abc import Iterator, Mapping
from typing import Any

from qidguard.core.verdict import Bound, Limit
from qidguard.report.figure import counted, figure, short_share, with_unit
from qidguard.report.printable import listed, shown_name, visible
from qidguard.report.threshold import demand

_MOST = 12
"""Lines of one kind that are written out."""

_SIZES = ((1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "kB"))


def receipt_lines(receipt: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of a receipt.

    Args:
        receipt: A receipt as the record of a release keeps it.

    Yields:
        Printable lines; those that go with the one before them are set in by two spaces.

    Units:
        Records, cells, seconds and bytes; shares in percent.

    Raises:
        KeyError: When it lacks what every receipt says.

    Example:
        >>> done = {"anonymiser": "mondrian", "title": "", "arguments": {"k": 5}, "records_before": 10}
        >>> done |= {"records_suppressed": 1, "cells_changed": {"age": 7}, "guarantees": [], "notes": []}
        >>> done |= {"attacks": [], "seconds": 0.25, "peak_bytes": 3 << 20, "suppressed_by": {}}
        >>> list(receipt_lines(done))
        ['mondrian (k=5): 0.25 s, 3 MB', '1 of 10 records suppressed', 'age: 7 cells changed (77.8%)']
    """
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
    words = f"{visible(receipt['anonymiser'])}{title}" + (f" ({visible(arguments)})" if arguments else "")
    if receipt.get("seconds") is None:
        return words
    seconds, memory = receipt["seconds"], receipt["peak_bytes"]
    spent = f"{figure(seconds, 's') if seconds >= 0.01 else '<0.01'} s"  # noqa: PLR2004 - hundredths
    return f"{words}: {spent}" + ("" if memory is None else f", {_size(memory)}")


def _size(count: int) -> str:
    return next((f"{count / one:,.0f} {word}" for one, word in _SIZES if count >= one), f"{count} bytes")


def _cells(changed: Mapping[str, int], records: int) -> Iterator[str]:
    left = [name for name, cells in changed.items() if not cells]
    for name, cells in changed.items():
        if cells:
            share = f" ({short_share(cells / records)})" if records else ""
            yield f"{shown_name(name)}: {counted(cells, 'cells')} changed{share}"
    if left:
        yield f"{listed(left)}: no cell changed"


def claim_line(claim: Mapping[str, Any]) -> str:
    """Return one claim beside what was measured.

    Args:
        claim: A claim as a receipt holds it.

    Returns:
        A printable line.

    Units:
        Those of the metric; shares in percent.

    Raises:
        KeyError: When it lacks what every claim says.

    Example:
        >>> said = {"metric": "k_anonymity", "title": "k-anonymity", "bound": "at_least", "limit": 5}
        >>> said |= {"qids": ["age"], "sensitive": None, "measured": 6, "unit": "records", "is_kept": True}
        >>> claim_line(said)
        'claims k-anonymity at least 5 over age: kept, it is 6 records'
    """
    limit = Limit(bound=Bound(claim["bound"]), value=claim["limit"])
    of = "" if claim["sensitive"] is None else f" of {shown_name(claim['sensitive'])}"
    what = visible(claim["title"] or claim["metric"])
    asked = f"claims {what}{of} {demand(limit, claim['unit'])} over {listed(claim['qids'])}"
    if claim["measured"] is None:
        return f"{asked}: not measured ({visible(claim['reason']).rstrip('. ')})"
    found = with_unit(figure(claim["measured"], claim["unit"]), claim["unit"])
    return f"{asked}: {'kept' if claim['is_kept'] else 'NOT KEPT'}, it is {found}"


def _cut(found: Iterator[str]) -> Iterator[str]:
    lines = list(found)
    yield from lines[:_MOST]
    if len(lines) > _MOST:
        yield f"  and {len(lines) - _MOST:,} more"
