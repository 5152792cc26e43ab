"""Which of day, month and year stands where: decided over all values of a family of forms."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from qidguard.core.dates.calendar_days import full_years, is_crossing, is_day, week_days, years_of
from qidguard.core.dates.forms import DateForm, DateUnit
from qidguard.core.dates.layouts import LayoutGroup

if TYPE_CHECKING:
    from numpy.typing import NDArray

RARE = 0.05
"""The share of values against the order of all the others up to which they are mistakes."""

SIX = "six digits"
_PLAUSIBLE = 1800, 2100
_PLACEHOLDER = 9999
_MOST = 24, 59, 60
"""The last hour, minute and second; a leap second is the 60th, and 24:00 the end of a day."""

Members = Sequence[tuple[LayoutGroup, DateForm]]
"""The texts of a family, layout by layout."""


@dataclass(frozen=True, kw_only=True)
class Doubt:
    """Two readings of which the column does not say which one is meant.

    Args:
        orders: The orders of day, month and year that are left; none where it is the century.
        values: Distinct values that are in doubt, ≥ 1.
        is_mixed: Whether some values allow one of the orders alone, and some another.
    """

    orders: tuple[str, ...]
    values: int
    is_mixed: bool = False


class Parsed(NamedTuple):
    """The dates of some texts, those that exist; of a week the day is that of its Thursday since 1970."""

    year: "NDArray[np.int64]"
    month: "NDArray[np.int64]"
    day: "NDArray[np.int64]"
    is_short: "NDArray[np.bool_]"
    is_valid: "NDArray[np.bool_]"


def decided(
    family: str,
    members: Members,
    written: str | None,
    latest: date,
    *,
    is_declared: bool,
) -> tuple[str, Parsed, Doubt | None]:
    """Return the order of a family, its dates in it, and what is left open."""
    orders = list(dict.fromkeys(order for _, form in members for order in form.parts))
    if family == SIX and not is_declared:
        orders = ["ym"]
    if written is not None and (written in orders or len(orders) > 1):
        orders = [written]
    parsed = {order: _parsed(members, order) for order in orders}
    best, is_open, is_mixed = _weighed(parsed)
    if is_open:
        # in the wrong place days and months are years of a whole century
        likely = {order: parsed[order] for order in (best, *is_open) if not _fills(parsed[order], latest)}
        if likely and len(likely) <= len(is_open):
            best, is_open, is_mixed = _weighed(likely)
    if not is_open:
        return best, parsed[best], None
    left = tuple(order for order in orders if order == best or order in is_open)
    return best, parsed[best], Doubt(orders=left, values=max(is_open.values()), is_mixed=is_mixed)


def _weighed(parsed: Mapping[str, Parsed]) -> tuple[str, dict[str, int], bool]:
    """Return the order in which most values are dates, and those that as many speak for.

    These come with the number of values that differ. The last is whether some values are dates in one of them
    alone and some in another.
    """
    fits = {order: int(np.count_nonzero(one.is_valid)) for order, one in parsed.items()}
    best = max(parsed, key=lambda order: fits[order])
    one = parsed[best]
    is_open: dict[str, int] = {}
    is_mixed = False
    for order, other in parsed.items():
        if order == best or not fits[order]:
            continue
        both = one.is_valid & other.is_valid
        is_same = (one.year == other.year) & (one.month == other.month) & (one.day == other.day)
        differ = int(np.count_nonzero(both & ~is_same))
        mine, others = fits[best] - int(both.sum()), fits[order] - int(both.sum())
        if others > RARE * mine or (not mine and differ):
            is_open[order] = differ + others
            is_mixed = is_mixed or others > 0
    return best, is_open, is_mixed


def _fills(parsed: Parsed, latest: date) -> bool:
    """Return whether years of two digits fill a century."""
    is_short = parsed.is_valid & parsed.is_short
    year, month, day = (part[is_short] for part in (parsed.year, parsed.month, parsed.day))
    return is_crossing(full_years(year, month, day, latest), month, day)


def _parsed(members: Members, order: str) -> Parsed:
    return Parsed(*map(np.concatenate, zip(*(_of_group(*one, order) for one in members), strict=True)))


def _of_group(group: LayoutGroup, form: DateForm, order: str) -> Parsed:
    """Return the dates of the texts of one layout; in an order that it does not allow none is valid."""
    parts = form.parts.get(order)
    count = len(group.places)
    ones = np.ones(count, dtype=np.int64)
    if parts is None:
        no = np.zeros(count, dtype=np.bool_)
        return Parsed(ones, ones, ones, no, no)
    year = group.number(parts["year"])
    low, high = parts["year"]
    is_short = np.full(count, high - low < len("9999"))
    month = form.month * ones if form.month else ones
    day = group.number(parts["day"]) if "day" in parts else ones
    is_valid = np.ones(count, dtype=np.bool_)
    if "month" in parts:
        month = group.number(parts["month"])
    elif "quarter" in parts:
        quarter = group.number(parts["quarter"])
        month, is_valid = 3 * quarter - 2, (quarter >= 1) & (quarter <= 4)  # noqa: PLR2004 - of a year
    elif "week" in parts:
        day, is_valid = _weeks(year, group.number(parts["week"]))
        return Parsed(year, month, day, is_short, is_valid & _is_plausible(year))
    is_valid = is_valid & is_day(year, month, day, is_short) & _is_time(group, form)
    if (form.is_bare or form.unit is not DateUnit.DAY) and not form.month:
        is_valid &= is_short | _is_plausible(year)
    return Parsed(year, month, day, is_short, is_valid)


def _weeks(
    year: "NDArray[np.int64]", week: "NDArray[np.int64]"
) -> "tuple[NDArray[np.int64], NDArray[np.bool_]]":
    day = week_days(np.maximum(year, 1), week)
    return day, (week >= 1) & (years_of(day) == year)


def _is_plausible(year: "NDArray[np.int64]") -> "NDArray[np.bool_]":
    """Return which numbers are years of a table rather than codes."""
    low, high = _PLAUSIBLE
    plausible: NDArray[np.bool_] = ((year >= low) & (year <= high)) | (year == _PLACEHOLDER)
    return plausible


def _is_time(group: LayoutGroup, form: DateForm) -> "NDArray[np.bool_]":
    fine = np.ones(len(group.places), dtype=np.bool_)
    for span, most in zip(form.clock, _MOST, strict=False):
        fine &= group.number(span) <= most
    return fine
