"""How published values are written that stand for several: intervals, periods and sets."""

import math
import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
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
    """Return the interval that a text writes, None where it writes none."""
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
        low, is_cut, high = inner.partition(separator)
        if is_cut:
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
    spans = set()
    for at in _SEPARATOR.finditer(text):
        if not 0 < at.start() < at.end() < len(text):
            continue
        span = _joined(read_end(text[: at.start()].strip()), read_end(text[at.end() :].strip()))
        if span is not None:
            spans.add(span)
    return spans.pop() if len(spans) == 1 else None


_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d.*")
_PERIOD = re.compile(
    r"(?P<day>\d{4}-\d\d-\d\d)|(?P<month>\d{4}-\d\d)|(?P<quarter>\d{4}[- ]?Q[1-4])|(?P<week>\d{4}-W\d\d)"
    r"|(?P<year>\d{4})|(?P<decade>\d{3}0s)"
)
_EPOCH = date(1970, 1, 1)


def read_period(text: str) -> Span | None:
    """Return a period in days since 1970, its end open; a moment is a period of no length."""
    try:
        if _MOMENT.fullmatch(text):
            return _moment(text)
        days = _days(text)
    except (ValueError, OverflowError):  # such as a 13th month
        return None
    if days is None:
        return None
    first, end = ((day - _EPOCH).days for day in days)
    return Span(float(first), float(end), is_high_open=True)


def _moment(text: str) -> Span:
    moment = datetime.fromisoformat(text)
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
    days = (moment - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(days=1)
    return Span(days, days)


def _days(text: str) -> tuple[date, date] | None:
    """Return the first day of a period and the first one after it."""
    period = _PERIOD.fullmatch(text)
    if period is None:
        return None
    year = int(text[:4])
    match period.lastgroup:
        case "day" | "week":
            first = date.fromisoformat(text)  # of a week its Monday
            return first, first + timedelta(days=1 if period.lastgroup == "day" else 7)
        case "month":
            return _months(year, int(text[5:]), 1)
        case "quarter":
            return _months(year, 3 * int(text[-1]) - 2, 3)
        case kind:
            return _months(year, 1, 12 if kind == "year" else 120)


def _months(year: int, month: int, count: int) -> tuple[date, date]:
    after = month - 1 + count
    return date(year, month, 1), date(year + after // 12, after % 12 + 1, 1)


_OPENING, _CLOSING = "[(", "])"


def set_members(text: str) -> list[str | None] | None:
    """Return the members of ``{a, b}``; None where the text is no such set.

    An empty place is a missing value, None; a quoted empty text is a value: ``set_text`` inverted.
    """
    if len(text) < len("{}") or not (text.startswith("{") and text.endswith("}")):
        return None
    members: list[str | None] = []
    rest = text[1:-1]
    while True:
        rest = rest.lstrip()
        if rest.startswith('"'):
            quoted = _quoted(rest)
            if quoted is None:
                return None
            member, rest = quoted
            members.append(member)
            rest = rest.lstrip()
        else:
            end = _bare_end(rest)
            member = rest[:end].strip()
            members.append(member or None)
            rest = rest[end:]
        if not rest:
            return members
        if not rest.startswith(","):
            return None
        rest = rest[1:]


def _quoted(text: str) -> tuple[str, str] | None:
    """Return the text between quotes, two quotes being one, and what follows; None without an end."""
    at, parts = 1, []
    while True:
        end = text.find('"', at)
        if end < 0:
            return None
        parts.append(text[at:end])
        if text[end + 1 : end + 2] != '"':
            return "".join(parts), text[end + 1 :]
        parts.append('"')
        at = end + 2


def _bare_end(text: str) -> int:
    """Return where a member without quotes ends: at a comma outside brackets."""
    depth = 0
    for at, letter in enumerate(text):
        if letter == "," and depth == 0:
            return at
        depth += (letter in _OPENING) - (letter in _CLOSING and depth > 0)
    return len(text)


def joined_parts(text: str) -> list[list[str]]:
    """Return the ways in which a text may be joined of parts: by comma, tilde, semicolon or bar."""
    return [[part.strip() for part in text.split(separator)] for separator in ",~;|" if separator in text]
