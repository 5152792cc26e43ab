"""Dates, moments and periods as texts: ``2021-03-05``, ``2021-03``, ``2021-Q1``, ``2021``, ``2020s``."""

import re
from datetime import UTC, date, datetime, timedelta

from qidguard.anonymize.coverage.span import Span

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
        found = _days(text)
    except (ValueError, OverflowError):  # such as a 13th month
        return None
    if found is None:
        return None
    first, end = ((day - _EPOCH).days for day in found)
    return Span(float(first), float(end), is_high_open=True)


def _moment(text: str) -> Span:
    moment = datetime.fromisoformat(text)
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
    days = (moment - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(days=1)
    return Span(days, days)


def _days(text: str) -> tuple[date, date] | None:
    """Return the first day of a period and the first one after it."""
    found = _PERIOD.fullmatch(text)
    if found is None:
        return None
    year = int(text[:4])
    match found.lastgroup:
        case "day" | "week":
            first = date.fromisoformat(text)  # of a week its Monday
            return first, first + timedelta(days=1 if found.lastgroup == "day" else 7)
        case "month":
            return _months(year, int(text[5:]), 1)
        case "quarter":
            return _months(year, 3 * int(text[-1]) - 2, 3)
        case kind:
            return _months(year, 1, 12 if kind == "year" else 120)


def _months(year: int, month: int, count: int) -> tuple[date, date]:
    after = month - 1 + count
    return date(year, month, 1), date(year + after // 12, after % 12 + 1, 1)
