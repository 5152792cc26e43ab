"""Days since 1970 of years, months and days, and back."""

from datetime import date
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
