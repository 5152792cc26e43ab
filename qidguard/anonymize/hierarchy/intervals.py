"""Hierarchies of numbers: intervals of given widths, or between given cut points."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from qidguard.anonymize.hierarchy.assembling import Level, assemble
from qidguard.anonymize.hierarchy.cut_points import Bounds, cut_labels, grid_index, grid_labels
from qidguard.core.column import ValueType
from qidguard.core.column_values import ColumnValues
from qidguard.core.errors import DataError
from qidguard.core.hierarchy import Hierarchy
from qidguard.core.policy.nesting import check_cuts, check_widths, decimal_point

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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
        found = [_cut(numbers, points, is_whole=is_whole) for points in cuts]
    else:
        check_widths(widths, bottom, top)
        bounds = Bounds(origin=decimal_point(origin), bottom=bottom, top=top)
        found = _grid(numbers, widths, bounds, is_whole=is_whole)
    texts = [str(text) for text in values.texts[1:]]
    levels = [_with_others(level, finite, texts) for level in found]
    return assemble(values, levels, origin="cut points" if cuts else "intervals")


def _grid(
    numbers: "NDArray[np.float64]", widths: Sequence[float], bounds: Bounds, *, is_whole: bool
) -> list[Level]:
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
        levels.append(Level(groups=groups, labels=[*labels, f"< {bounds.bottom}", f">= {bounds.top}"]))
    return levels


def _cut(numbers: "NDArray[np.float64]", points: Sequence[float], *, is_whole: bool) -> Level:
    import numpy as np

    groups = np.searchsorted(np.asarray(points, dtype=np.float64), numbers, side="right")
    return Level(groups=groups, labels=cut_labels(points, is_whole=is_whole))


def _with_others(level: Level, finite: "NDArray[np.intp]", texts: Sequence[str]) -> Level:
    """Return the level with each value that is no finite number in a group of its own."""
    import numpy as np

    is_other = np.ones(len(texts), dtype=bool)
    is_other[finite] = False
    others = np.flatnonzero(is_other)
    groups = np.empty(len(texts), dtype=np.int64)
    groups[finite] = level.groups
    groups[others] = np.arange(len(level.labels), len(level.labels) + len(others))
    return Level(groups=groups, labels=[*level.labels, *(texts[i] for i in others.tolist())])
