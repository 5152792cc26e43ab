"""How many groups each level of a hierarchy has, and how large they are."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from qidguard.core.hierarchy import Hierarchy


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

    Args:
        hierarchy: The hierarchy.
        counts: Shape (codes,), records of each value, NULL first; None where there is no table.

    Returns:
        One for each level.

    Units:
        Values and records.

    Raises:
        ValueError: When there is not one count a code.

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

    found = []
    for level, row in enumerate(hierarchy.groups):
        values = hierarchy.leaves(level)
        has_value = values > 0
        records = None
        if counts is not None:
            held = np.bincount(row[1:], weights=counts[1:], minlength=len(values)).astype(np.int64)
            records = _ends(held[has_value])
        found.append(
            LevelSizes(
                level=level,
                groups=int(has_value.sum()),
                values=_ends(values[has_value]),
                records=records,
            )
        )
    return tuple(found)


def _ends(sizes: "NDArray[np.int64]") -> tuple[int, int]:
    return (int(sizes.min()), int(sizes.max())) if len(sizes) else (0, 0)
