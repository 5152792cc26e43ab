"""Intervals of numbers that hold as many records each."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from qidguard.anonymizing.hierarchy.assembling import Level
from qidguard.core.column import ColumnValues
from qidguard.core.hierarchy import interval_text

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


def interval_labels(groups: "NDArray[np.int64]", texts: Sequence[str]) -> list[str]:
    """Return for each group of neighboring values the interval from its lowest to its highest.

    Example:
        >>> import numpy as np
        >>> interval_labels(np.array([0, 0, 1]), ["17", "18", "25"])
        ['[17, 18]', '25']
    """
    import numpy as np

    starts = np.flatnonzero(np.diff(groups, prepend=-1))
    ends = np.append(starts[1:], len(groups)) - 1
    return [
        interval_text(texts[low], texts[high])
        for low, high in zip(starts.tolist(), ends.tolist(), strict=True)
    ]


def quantile_levels(values: ColumnValues) -> list[Level]:
    """Return the levels of a column of numbers, dates or moments; what is no finite number stays apart."""
    import numpy as np

    numbers = np.asarray(values.numbers)[1:]
    texts = [str(text) for text in values.texts[1:]]
    finite = np.flatnonzero(np.isfinite(numbers))
    finite = finite[np.argsort(numbers[finite], kind="stable")]
    others = np.flatnonzero(~np.isfinite(numbers))
    ordered = [texts[i] for i in finite.tolist()]
    levels = []
    for parts in quantile_groups(np.bincount(values.codes, minlength=len(values.texts))[1:][finite]):
        neighbors = np.cumsum(np.diff(parts, prepend=parts[0]) != 0)
        # what is no finite number stays apart: its groups stand behind those of the numbers
        labels = interval_labels(neighbors, ordered)
        groups = np.empty(len(numbers), dtype=np.int64)
        groups[finite] = neighbors
        groups[others] = np.arange(len(labels), len(labels) + len(others))
        levels.append(Level(groups=groups, labels=[*labels, *(texts[i] for i in others.tolist())]))
    return levels
