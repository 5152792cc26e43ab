"""Intervals as people write them: brackets, dashes, comparisons and open ends."""

import math
import re
from collections.abc import Callable
from typing import NamedTuple


class Span(NamedTuple):
    """An interval; an infinite end is none."""

    low: float
    high: float
    is_low_open: bool = False
    is_high_open: bool = False


ReadEnd = Callable[[str], Span | None]
"""Reads one end of an interval: a number, or a date or period, which is an interval itself."""

_COMPARED = re.compile(r"(>=|≥|=>|>|<=|≤|=<|<)\s*(.+)")
_SEPARATOR = re.compile(r"\s+to\s+|\s*(?:\.\.+|…|~)\s*|\s*[-–—−]\s*")
_BRACKETED = re.compile(r"([\[(\]])(.*)([\])\[])", re.DOTALL)
_INFINITE = {"inf", "+inf", "-inf", "∞", "+∞", "-∞", "infinity", "-infinity", ""}


def read_span(text: str, read_end: ReadEnd) -> Span | None:
    """Return the interval that a text writes, None where it writes none.

    Args:
        text: Such as ``[5, 10]``, ``(5, 10]``, ``[5, 10[``, ``[5-10]``, ``5-10``, ``5 – 10``, ``5..10``,
            ``5~10``, ``>= 5``, ``< 10``, ``5+``.
        read_end: Reads an end.
    """
    bracketed = _BRACKETED.fullmatch(text)
    if bracketed:
        left, inner, right = bracketed.groups()
        span = _pair(inner.strip(), read_end)
        if span is None:
            return None
        return Span(
            span.low,
            span.high,
            span.is_low_open or left in "(]",
            span.is_high_open or right in ")[",
        )
    compared = _COMPARED.fullmatch(text)
    if compared:
        return _compared(compared[1], read_end(compared[2].strip()))
    if text.endswith("+"):
        end = read_end(text[:-1].strip())
        return None if end is None else Span(end.low, math.inf, end.is_low_open)
    return _dashed(text, read_end)


def _pair(inner: str, read_end: ReadEnd) -> Span | None:
    """Return what stands in brackets; an empty or infinite end bounds nothing."""
    for separator in (",", ";"):
        low, found, high = inner.partition(separator)
        if found:
            ends = _end(low.strip(), -math.inf, read_end), _end(high.strip(), math.inf, read_end)
            return _joined(*ends)
    return _dashed(inner, read_end)


def _end(text: str, infinite: float, read_end: ReadEnd) -> Span | None:
    return Span(infinite, infinite) if text.lower() in _INFINITE else read_end(text)


def _joined(low: Span | None, high: Span | None) -> Span | None:
    if low is None or high is None or low.low > high.high:
        return None
    return Span(low.low, high.high, low.is_low_open, high.is_high_open)


def _compared(sign: str, end: Span | None) -> Span | None:
    if end is None:
        return None
    match sign:
        case ">":  # later than a period is later than all of it
            return Span(end.high, math.inf, is_low_open=not end.is_high_open)
        case "<":
            return Span(-math.inf, end.low, is_high_open=True)
        case ">=" | "≥" | "=>":
            return Span(end.low, math.inf)
        case _:
            return Span(-math.inf, end.high, is_high_open=end.is_high_open)


def _dashed(text: str, read_end: ReadEnd) -> Span | None:
    """Return an interval of two ends with a separator; a dash may be a sign, or part of a date, as well."""
    found = set()
    for at in _SEPARATOR.finditer(text):
        if not 0 < at.start() < at.end() < len(text):
            continue
        span = _joined(read_end(text[: at.start()].strip()), read_end(text[at.end() :].strip()))
        if span is not None:
            found.add(span)
    return found.pop() if len(found) == 1 else None
