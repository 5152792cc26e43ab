"""Days since 1970 of years, months and days, and back; the century of years of two digits."""

from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


EPOCH = date(1970, 1, 1).toordinal()
_MONTHS, _LONGEST = 12, np.array([0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
_FEBRUARY = 2
_LAST_YEAR = 9999
_THURSDAY = 3


def days_of(
    year: "NDArray[np.int64]", month: "NDArray[np.int64]", day: "NDArray[np.int64]"
) -> "NDArray[np.int64]":
    """Return the days since 1970-01-01 of dates that exist.

    Example:
        >>> days_of(np.array([1970, 2000]), np.array([1, 2]), np.array([2, 29])).tolist()
        [1, 11016]
    """
    months = (12 * (year - 1970) + month - 1).astype("datetime64[M]")
    first: NDArray[np.int64] = months.astype("datetime64[D]").astype(np.int64)
    return first + day - 1


def is_day(
    year: "NDArray[np.int64]",
    month: "NDArray[np.int64]",
    day: "NDArray[np.int64]",
    is_short: "NDArray[np.bool_]",
) -> "NDArray[np.bool_]":
    """Return which dates exist; the last two digits of a year may be of any century that has the day."""
    possible = (month >= 1) & (month <= _MONTHS) & (day >= 1) & (year <= _LAST_YEAR)
    possible &= (year >= 1) | is_short
    possible &= day <= _LONGEST[np.where(possible, month, 0)]
    is_leap = (year % 4 == 0) & ((year % 100 != 0) | (year % 400 == 0) | is_short)
    exists: NDArray[np.bool_] = possible & ((month != _FEBRUARY) | (day < _LONGEST[_FEBRUARY]) | is_leap)
    return exists


def week_days(year: "NDArray[np.int64]", week: "NDArray[np.int64]") -> "NDArray[np.int64]":
    """Return the Thursday of ISO weeks, in days since 1970: a week belongs to its Thursday's year.

    Example:
        >>> week_days(np.array([1970]), np.array([1])).tolist()
        [0]
    """
    fourth = days_of(year, np.ones_like(year), np.full_like(year, 4))
    return fourth - (fourth + _THURSDAY) % 7 + 7 * (week - 1) + _THURSDAY


def years_of(days: "NDArray[np.int64]") -> "NDArray[np.int64]":
    """Return the years of days since 1970."""
    return days.astype("datetime64[D]").astype("datetime64[Y]").astype(np.int64) + 1970


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
