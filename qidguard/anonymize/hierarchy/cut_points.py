"""Where a line of numbers is cut, in exact decimals, and how the parts are written."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal, localcontext
from itertools import pairwise
from typing import TYPE_CHECKING

from qidguard.core.errors import DataError
from qidguard.core.policy.nesting import decimal_point
from qidguard.core.published import interval_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_DIGITS = 400
"""Enough decimal digits for any quotient of two floats that is a whole number."""

_CLOSE = 1e-9
"""How near to a cut, in widths, a quotient of floats is decided exactly."""

_LARGEST_INDEX = 2**53
"""Whole numbers above it are not all floats."""


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """The line that intervals of equal width cut.

    Args:
        origin: A point that is a cut.
        bottom: What numbers are coded below, or None.
        top: What numbers are coded from on, or None.
    """

    origin: Decimal
    bottom: float | None = None
    top: float | None = None

    def outside(self, numbers: "NDArray[np.float64]") -> "tuple[NDArray[np.bool_], NDArray[np.bool_]]":
        """Return which numbers lie below the bottom, and which reach the top."""
        import numpy as np

        below = -np.inf if self.bottom is None else self.bottom
        above = np.inf if self.top is None else self.top
        return numbers < below, numbers >= above


def grid_index(numbers: "NDArray[np.float64]", origin: Decimal, width: Decimal) -> "NDArray[np.int64]":
    """Return floor((number − origin) / width), in decimals where a float could fall on the wrong side.

    Args:
        numbers: Finite numbers.
        origin: Where interval 0 begins.
        width: Width of an interval, above 0.

    Returns:
        The interval of each number.

    Units:
        Intervals.

    Raises:
        DataError: When intervals are so narrow that they cannot be counted.

    Example:
        >>> import numpy as np
        >>> grid_index(np.array([0.29, 0.3]), Decimal("0"), Decimal("0.1")).tolist()
        [2, 3]
    """
    import numpy as np

    quotient = (numbers - float(origin)) / float(width)
    if not (np.abs(quotient) < _LARGEST_INDEX).all():
        raise DataError(f"intervals of width {width} are too narrow for the column's range; widen them")
    is_whole = origin == int(origin) and width == int(width) and bool((numbers == np.rint(numbers)).all())
    if is_whole and (np.abs(numbers) + abs(float(origin)) < _LARGEST_INDEX).all():
        # below the limit whole floats are exact and need no decimals
        index: NDArray[np.int64] = (numbers.astype(np.int64) - int(origin)) // int(width)
        return index
    index = np.floor(quotient).astype(np.int64)
    # the error of a difference of floats is relative to its terms
    slack = _CLOSE + 1e-15 * (np.abs(numbers) + abs(float(origin))) / float(width)
    with localcontext() as context:
        context.prec = _DIGITS
        for at in np.flatnonzero(np.abs(quotient - np.rint(quotient)) < slack).tolist():
            number = Decimal(repr(float(numbers[at])))
            index[at] = int(((number - origin) / width).to_integral_value(ROUND_FLOOR))
    return index


def grid_labels(places: Sequence[int], width: Decimal, bounds: Bounds, *, is_whole: bool) -> list[str]:
    """Return the text of intervals of equal width; none reaches over bottom or top.

    Args:
        places: Intervals, counted from the one that begins at the origin.
        width: Their width.
        bounds: The line.
        is_whole: Whether the column holds whole numbers.

    Returns:
        One text an interval.

    Units:
        The column's own.

    Raises:
        TypeError: When a place is no number.

    Example:
        >>> grid_labels([4], Decimal(5), Bounds(origin=Decimal(0), top=23), is_whole=True)
        ['[20, 22]']
    """
    labels = []
    for place in places:
        low = bounds.origin + width * place
        high = low + width
        if bounds.bottom is not None:
            low = max(low, decimal_point(bounds.bottom))
        if bounds.top is not None:
            high = min(high, decimal_point(bounds.top))
        labels.append(_interval(low, high, is_whole=is_whole))
    return labels


def cut_labels(points: Sequence[float], *, is_whole: bool) -> list[str]:
    """Return the text of the parts between cut points, and of the open parts at both ends.

    Args:
        points: The cut points, ascending.
        is_whole: Whether the column holds whole numbers.

    Returns:
        One text more than there are points.

    Units:
        The column's own.

    Raises:
        IndexError: When there is no point.

    Example:
        >>> cut_labels([0, 10], is_whole=True), cut_labels([0.5], is_whole=False)
        (['< 0', '[0, 9]', '>= 10'], ['< 0.5', '>= 0.5'])
    """
    parts = [
        _interval(decimal_point(low), decimal_point(high), is_whole=is_whole)
        for low, high in pairwise(points)
    ]
    return [f"< {points[0]}", *parts, f">= {points[-1]}"]


def _interval(low: Decimal, high: Decimal, *, is_whole: bool) -> str:
    if is_whole and low == low.to_integral_value() and high == high.to_integral_value():
        return interval_text(str(int(low)), str(int(high) - 1))
    return f"[{float(low)!r}, {float(high)!r})"
