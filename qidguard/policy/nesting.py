"""When levels of generalization nest: a coarser level only merges what a finer one keeps apart."""

from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise

from qidguard.core.errors import DataError

DATE_UNITS = ("day", "month", "quarter", "year", "5 years", "decade")
"""Levels of the calendar, from finer to coarser."""


def decimal_point(point: float) -> Decimal:
    """Return a point of a line as the person who wrote it meant it: 0.1 is a tenth.

    Example:
        >>> decimal_point(0.1) * 3
        Decimal('0.3')
    """
    given: object = point
    if isinstance(given, bool) or not isinstance(given, (int, float)):
        raise DataError("widths and cut points are numbers, such as 5")
    number = Decimal(repr(given))
    if not number.is_finite():
        raise DataError(f"widths and cut points are finite numbers, not {point}; name one")
    return number


def check_widths(widths: Sequence[float], bottom: float | None = None, top: float | None = None) -> None:
    """Refuse widths of intervals that do not nest."""
    if not widths:
        raise DataError("intervals need the width of each level, such as 5, 10, 20")
    for width in widths:
        if not decimal_point(width) > 0:
            raise DataError(f"the width of an interval is above 0, not {width}; widen it")
    for finer, coarser in pairwise(widths):
        narrow, wide = decimal_point(finer), decimal_point(coarser)
        if wide <= narrow or wide % narrow:
            raise DataError(
                f"intervals of width {coarser} would separate what width {finer} puts together;"
                f" write a larger multiple of {finer}"
            )
    if bottom is not None and top is not None and not decimal_point(bottom) < decimal_point(top):
        raise DataError(f"bottom is below top, and {bottom} is not below {top}; change one of them")


def check_cuts(cuts: Sequence[Sequence[float]]) -> None:
    """Refuse cut points that do not nest."""
    if not cuts or not all(cuts):
        raise DataError("each level of cut points has at least one; name it, or leave the level out")
    for level, points in enumerate(cuts, start=1):
        for earlier, later in pairwise(points):
            if not decimal_point(earlier) < decimal_point(later):
                raise DataError(
                    f"cut points ascend, and on level {level} {later} stands behind {earlier}; sort them"
                )
    for level, (finer, coarser) in enumerate(pairwise(cuts), start=2):
        known = set(map(decimal_point, finer))
        for point in coarser:
            if decimal_point(point) not in known:
                raise DataError(
                    f"level {level} cuts at {point}, where level {level - 1} does not, so it would separate"
                    " what that puts together; add the point there"
                )


def check_units(units: Sequence[str]) -> None:
    """Refuse units of the calendar that do not nest."""
    known = ", ".join(DATE_UNITS)
    for unit in units:
        if unit not in DATE_UNITS:
            raise DataError(f"there is no unit {unit!r} of dates; choose among {known}")
    places = [DATE_UNITS.index(unit) for unit in units]
    if not places or places != sorted(set(places)):
        raise DataError(f"the units of dates go from finer to coarser; choose among {known}")


def check_lengths(lengths: Sequence[int]) -> None:
    """Refuse lengths of prefixes that do not nest."""
    if not lengths:
        raise DataError("a prefix needs the number of characters that each level keeps, such as 4, 3, 2")
    for length in lengths:
        given: object = length
        if isinstance(given, bool) or not isinstance(given, int) or given < 1:
            raise DataError(f"a prefix keeps at least 1 character, not {length}; the top keeps none")
    for earlier, later in pairwise(lengths):
        if later >= earlier:
            raise DataError(f"the lengths of prefixes fall, and {later} stands behind {earlier}; sort them")
