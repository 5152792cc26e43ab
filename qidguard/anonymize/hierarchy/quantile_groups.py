"""Groups of neighbouring numbers that hold about as many records each."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_DEEPEST = 40
"""Halvings of a column's records after which nothing is left to halve."""

_COARSER = 1.5
"""A level is kept when it has this many times fewer groups than the one below it."""


def quantile_groups(counts: "NDArray[np.int64]") -> "list[NDArray[np.int64]]":
    """Return ever coarser groups of ordered values, cut at the quantiles 1/2, then 1/4, 1/8, … of records.

    A value belongs to the part that the middle of its records falls into: of 2^j parts, part
    floor(2^j · (records below + records of its own / 2) / records). So parts of one level nest in those of
    the next, and a value that most records hold takes a part for itself.

    Args:
        counts: Shape (values,), records of each value in the values' order, ≥ 0; all 0 counts as all 1.

    Returns:
        From finest to coarsest the part of each value, two parts at last; levels that would hardly differ
        from the next are left out. Empty for fewer than three values.

    Units:
        ``counts`` are records.

    Raises:
        TypeError: When ``counts`` has no length.

    Example:
        >>> import numpy as np
        >>> [level.tolist() for level in quantile_groups(np.array([1, 1, 1, 1]))]
        [[0, 0, 1, 1]]
    """
    import numpy as np

    values = len(counts)
    weights = np.asarray(counts, dtype=np.int64)
    if not weights.any():
        weights = np.ones(values, dtype=np.int64)
    # twice the middle rank, so that all is in whole numbers
    middle = 2 * np.cumsum(weights) - weights
    total = 2 * int(weights.sum())
    levels: list[NDArray[np.int64]] = []
    last = 1
    part, rest = np.zeros(values, dtype=np.int64), middle
    for _ in range(_DEEPEST):
        part, rest = 2 * part + (2 * rest >= total), (2 * rest) % total
        groups = 1 + int(np.count_nonzero(np.diff(part)))
        if groups * _COARSER > values:
            break
        if groups >= last * _COARSER:
            levels.append(part)
            last = groups
    return levels[::-1]
