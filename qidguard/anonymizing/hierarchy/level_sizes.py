"""A hierarchy by itself: what its file says without a table, and the groups of each level."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from qidguard.anonymizing.hierarchy.assembling import text_column
from qidguard.anonymizing.hierarchy.file import HierarchyRows, bind_rows
from qidguard.anonymizing.hierarchy.taxonomy import Taxonomy, bind_taxonomy
from qidguard.core.hierarchy import Hierarchy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def own_hierarchy(read: HierarchyRows | Taxonomy, column: str) -> Hierarchy:
    """Return what a file says by itself, its values in the file's order.

    Example:
        >>> from qidguard.anonymizing.hierarchy.file import HierarchyRow
        >>> rows = HierarchyRows(name="sex.csv", rows=(HierarchyRow(line=1, cells=("m", "any")),))
        >>> own_hierarchy(rows, "sex").labels
        ((None, 'm'), ('any',))
    """
    if isinstance(read, HierarchyRows):
        return bind_rows(read, text_column(column, [row.cells[0] for row in read.rows]))
    above = {name for path in read.paths.values() for name in path[:-1]}
    return bind_taxonomy(read, text_column(column, [name for name in read.paths if name not in above]))


@dataclass(frozen=True, kw_only=True)
class LevelSizes:
    """The groups of one level; NULL is not counted.

    Args:
        level: 0 for the exact values.
        groups: Number of groups.
        values: The fewest and the most values of a group; 0 and 0 where there is none.
        records: The fewest and the most records of a group; None where there is no table.
    """

    level: int
    groups: int
    values: tuple[int, int]
    records: tuple[int, int] | None = None


def level_sizes(hierarchy: "Hierarchy", counts: "NDArray[np.int64] | None" = None) -> tuple[LevelSizes, ...]:
    """Return the sizes of each level, from exact to coarsest.

    Example:
        >>> import numpy as np
        >>> from qidguard.core.hierarchy import Hierarchy
        >>> sex = Hierarchy(
        ...     column="sex",
        ...     groups=np.array([[0, 1, 2], [0, 0, 0]], dtype=np.int32),
        ...     labels=((None, "f", "m"), ("*",)),
        ... )
        >>> level_sizes(sex, np.array([9, 3, 4]))[1]
        LevelSizes(level=1, groups=1, values=(2, 2), records=(7, 7))
    """
    import numpy as np

    sizes = []
    for level, row in enumerate(hierarchy.groups):
        values = hierarchy.leaves(level)
        has_value = values > 0
        records = None
        if counts is not None:
            held = np.bincount(row[1:], weights=counts[1:], minlength=len(values)).astype(np.int64)
            records = _ends(held[has_value])
        sizes.append(
            LevelSizes(
                level=level,
                groups=int(has_value.sum()),
                values=_ends(values[has_value]),
                records=records,
            )
        )
    return tuple(sizes)


def _ends(sizes: "NDArray[np.int64]") -> tuple[int, int]:
    return (int(sizes.min()), int(sizes.max())) if len(sizes) else (0, 0)
