"""The century of years that are written with two digits."""

from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

import numpy as np

from qidguard.core.dates.calendar_days import days_of, is_day, years_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CENTURY = 100
EMPTY_YEARS = 10
"""Years without a value that must lie between the latest date and the earliest one a century later."""


def today() -> date:
    """Return the day, in UTC."""
    return datetime.now(UTC).date()


def full_years(
    year: "NDArray[np.int64]", month: "NDArray[np.int64]", day: "NDArray[np.int64]", latest: date
) -> "NDArray[np.int64]":
    """Return the years of dates of which the last two digits are known: the last ones up to ``latest``.

    Example:
        >>> one = np.ones(3, dtype=np.int64)
        >>> full_years(np.array([44, 25, 26]), 12 * one, 31 * one, date(2026, 1, 31)).tolist()
        [1944, 2025, 1926]
    """
    full = latest.year - (latest.year - year) % _CENTURY
    is_later = (full == latest.year) & (100 * month + day > 100 * latest.month + latest.day)
    earlier: NDArray[np.int64] = full - _CENTURY * is_later
    return earlier


def is_crossing(year: "NDArray[np.int64]", month: "NDArray[np.int64]", day: "NDArray[np.int64]") -> bool:
    """Return whether dates fill the century, so that those at its ends may belong to the other end.

    There is a doubt where fewer than ten years without a date lie between the latest of them and the
    earliest a century later: a person born in '27 may be 99 years old or not yet one.

    Example:
        >>> one = np.ones(2, dtype=np.int64)
        >>> is_crossing(np.array([1930, 2008]), one, one), is_crossing(np.array([1930, 2025]), one, one)
        (False, True)
    """
    exists = is_day(year, month, day, np.zeros(len(year), dtype=np.bool_))
    if not exists.any():
        return False
    years = years_of(days_of(year[exists], month[exists], day[exists]))
    return bool(years.min() + _CENTURY - years.max() <= EMPTY_YEARS)
