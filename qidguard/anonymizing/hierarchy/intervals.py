"""Hierarchies of numbers by intervals, of given widths or between cut points."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal, localcontext
from itertools import pairwise
from typing import TYPE_CHECKING

from qidguard.anonymizing.hierarchy.assembling import HierarchyLevel, assemble, with_others
from qidguard.core.column import ColumnValues, ValueType
from qidguard.core.errors import DataError
from qidguard.core.hierarchy import Hierarchy, interval_text
from qidguard.policy.nesting import check_cuts, check_widths, decimal_point

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


_NUMBERS = {ValueType.INTEGER, ValueType.NUMBER}


def interval_hierarchy(
    values: ColumnValues,
    *,
    widths: Sequence[float] = (),
    origin: float = 0,
    bottom: float | None = None,
    top: float | None = None,
    cuts: Sequence[Sequence[float]] = (),
) -> Hierarchy:
    """Return the hierarchy of a column of numbers whose levels are intervals, and ``*`` above them.

    With ``widths`` each level cuts the line at origin, origin ± width, origin ± 2·width, …; a number below
    ``bottom`` is published as ``< bottom`` and one that reaches ``top`` as ``>= top`` on every level, which
    the field calls bottom and top coding. With ``cuts`` each level is cut at the points given; what lies
    outside is published as ``< first`` or ``>= last``.

    Whole numbers cut at whole numbers are published as closed intervals ``[20, 24]``, all others as
    ``[20.0, 25.0)``, to which the lower end belongs and the upper one does not. NULL, and what is no finite
    number, stays apart below the top.

    Args:
        values: The column.
        widths: Width of each level, ever larger, each a multiple of the one before.
        origin: A point at which every level is cut.
        bottom: What numbers are coded below, or None.
        top: What numbers are coded from on, or None.
        cuts: For each level its cut points, ascending; each level's are among those of the one before.

    Returns:
        The hierarchy.

    Units:
        Widths and points are in the column's own unit.

    Raises:
        DataError: When the column holds no numbers, widths and cuts are both given or both missing, or a
            level would separate what a finer one puts together.

    Example:
        >>> import numpy as np
        >>> age = ColumnValues(
        ...     name="age",
        ...     value_type=ValueType.INTEGER,
        ...     codes=np.array([1, 2, 3], dtype=np.int32),
        ...     texts=(None, "21", "24", "93"),
        ...     numbers=np.array([np.nan, 21, 24, 93]),
        ... )
        >>> interval_hierarchy(age, widths=(5, 20), top=90).labels[1:]
        ((None, '[20, 24]', '>= 90'), (None, '[20, 39]', '>= 90'), ('*',))
    """
    import numpy as np

    if values.numbers is None or values.value_type not in _NUMBERS:
        raise DataError(f"intervals need numbers, and column {values.name!r} holds {values.value_type}")
    if bool(widths) == bool(cuts):
        raise DataError(f"the intervals of column {values.name!r} need either widths or cut points")
    if cuts and (bottom is not None or top is not None):
        raise DataError(
            f"the cut points of column {values.name!r} have open ends already; leave bottom and top"
        )
    finite = np.flatnonzero(np.isfinite(values.numbers[1:]))
    numbers = values.numbers[1:][finite]
    is_whole = values.value_type is ValueType.INTEGER
    if cuts:
        check_cuts(cuts)
        cut_levels = [_cut(numbers, points, is_whole=is_whole) for points in cuts]
    else:
        check_widths(widths, bottom, top)
        bounds = Bounds(origin=decimal_point(origin), bottom=bottom, top=top)
        cut_levels = _grid(numbers, widths, bounds, is_whole=is_whole)
    texts = [str(text) for text in values.texts[1:]]
    levels = [with_others(level, finite, texts) for level in cut_levels]
    return assemble(values, levels, origin="cut points" if cuts else "intervals")


def _grid(
    numbers: "NDArray[np.float64]", widths: Sequence[float], bounds: Bounds, *, is_whole: bool
) -> list[HierarchyLevel]:
    import numpy as np

    finest = grid_index(numbers, bounds.origin, decimal_point(widths[0]))
    is_low, is_high = bounds.outside(numbers)
    levels = []
    for width in widths:
        # whole multiples nest by construction, whatever rounding does
        index = finest // int(decimal_point(width) / decimal_point(widths[0]))
        places, groups = np.unique(index, return_inverse=True)
        labels = grid_labels(places.tolist(), decimal_point(width), bounds, is_whole=is_whole)
        groups = np.where(is_low, len(places), np.where(is_high, len(places) + 1, groups))
        levels.append(
            HierarchyLevel(groups=groups, labels=[*labels, f"< {bounds.bottom}", f">= {bounds.top}"])
        )
    return levels


def _cut(numbers: "NDArray[np.float64]", points: Sequence[float], *, is_whole: bool) -> HierarchyLevel:
    import numpy as np

    groups = np.searchsorted(np.asarray(points, dtype=np.float64), numbers, side="right")
    return HierarchyLevel(groups=groups, labels=cut_labels(points, is_whole=is_whole))
