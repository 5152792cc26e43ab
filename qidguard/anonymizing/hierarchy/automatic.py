"""Hierarchies made from the values themselves: quantiles of numbers, sets of categories."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Literal, get_args

from qidguard.anonymizing.hierarchy.assembling import Level, assemble
from qidguard.anonymizing.hierarchy.trees import frequency_cuts, similarity_cuts
from qidguard.core.column import ColumnValues
from qidguard.core.errors import DataError
from qidguard.core.hierarchy import Hierarchy, interval_text, set_text

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


LONGEST_LABEL = 100
"""Characters beyond which a set of categories is numbered instead of listed."""


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


def set_labels(groups: "NDArray[np.int64]", texts: Sequence[str], taken: Collection[str]) -> list[str]:
    """Return for each group of categories its set, or a number where the set would be too long to read.

    A numbered group is ``group 3 of 8 (14 values)``. As each level has fewer groups than the one below, no
    two levels share such a label.

    Example:
        >>> import numpy as np
        >>> set_labels(np.array([0, 1, 0]), ["f", "m", "x"], {"f", "m", "x"})
        ['{f, x}', 'm']
    """
    import numpy as np

    order = np.argsort(groups, kind="stable")
    sizes = np.bincount(groups)
    labels = []
    start = 0
    for position, size in enumerate(sizes.tolist(), start=1):
        members = order[start : start + size]
        start += size
        # a set of so many is too long whatever its members are
        label = set_text([texts[i] for i in members]) if size <= LONGEST_LABEL // 2 else ""
        if size > 1 and (not label or len(label) > LONGEST_LABEL or label in taken):
            label = f"group {position} of {len(sizes)} ({size} values)"
            while label in taken:
                label += "'"
        labels.append(label)
    return labels


AutomaticKind = Literal["auto", "quantiles", "frequency", "similarity"]
"""How an automatic hierarchy groups."""


def automatic_hierarchy(values: ColumnValues, kind: AutomaticKind = "auto") -> Hierarchy:
    """Return a hierarchy made from the values of a column alone; each level has about half the groups.

    ``quantiles`` cuts numbers, dates and moments into neighbors that hold as many records each, labeled
    ``[17, 25]`` by their lowest and highest value. ``frequency`` merges the rarest categories first (the
    tree of Huffman, 1952). ``similarity`` merges texts that share the most words and letter trigrams
    (average linkage: Sokal and Michener, 1958). Categories are labeled ``{a, b}``; where that is longer
    than 100 characters, ``group 3 of 8 (14 values)``, which only the hierarchy itself can resolve.

    The counts of records decide, their order does not. NULL, and what is no finite number in a column of
    numbers, stays apart below the top. A column with fewer than three values, or an empty one, gets the
    exact level and the top alone.

    Args:
        values: The column.
        kind: ``auto`` takes quantiles for numbers, dates and moments, and frequency for all else.

    Returns:
        The hierarchy. Its labels hold values of the table.

    Units:
        Labels have those of the column.

    Raises:
        DataError: When the kind is unknown, or quantiles are asked for of a column without order.

    Example:
        >>> import numpy as np
        >>> job = ColumnValues(
        ...     name="job",
        ...     value_type="text",
        ...     codes=np.array([1, 1, 1, 2, 3], dtype=np.int32),
        ...     texts=(None, "clerk", "nurse", "smith"),
        ... )
        >>> automatic_hierarchy(job).labels[1]
        (None, 'clerk', '{nurse, smith}')
    """
    if kind not in get_args(AutomaticKind):
        raise DataError(f"there is no automatic hierarchy {kind!r}; choose one of {_KINDS}")
    if kind == "quantiles" and not values.is_numeric:
        raise DataError(
            f"quantiles need numbers or dates, and column {values.name!r} holds {values.value_type};"
            " choose frequency or similarity"
        )
    if kind == "quantiles" or (kind == "auto" and values.is_numeric):
        levels, origin = _quantile_levels(values), "quantiles"
    elif kind == "similarity":
        levels, origin = _set_levels(values, similarity_cuts(_texts(values), _counts(values))), "similarity"
    else:
        levels, origin = _set_levels(values, frequency_cuts(_counts(values))), "frequency"
    return assemble(values, levels, origin=f"automatic ({origin})")


_KINDS = ", ".join(get_args(AutomaticKind))


def _counts(values: ColumnValues) -> "NDArray[np.int64]":
    import numpy as np

    return np.bincount(values.codes, minlength=len(values.texts))[1:]


def _texts(values: ColumnValues) -> list[str]:
    return [str(text) for text in values.texts[1:]]


def _quantile_levels(values: ColumnValues) -> list[Level]:
    import numpy as np

    numbers = np.asarray(values.numbers)[1:]
    texts = _texts(values)
    finite = np.flatnonzero(np.isfinite(numbers))
    finite = finite[np.argsort(numbers[finite], kind="stable")]
    others = np.flatnonzero(~np.isfinite(numbers))
    ordered = [texts[i] for i in finite.tolist()]
    levels = []
    for parts in quantile_groups(_counts(values)[finite]):
        neighbors = np.cumsum(np.diff(parts, prepend=parts[0]) != 0)
        # what is no finite number stays apart: its groups stand behind those of the numbers
        labels = interval_labels(neighbors, ordered)
        groups = np.empty(len(numbers), dtype=np.int64)
        groups[finite] = neighbors
        groups[others] = np.arange(len(labels), len(labels) + len(others))
        levels.append(Level(groups=groups, labels=[*labels, *(texts[i] for i in others.tolist())]))
    return levels


def _set_levels(values: ColumnValues, cuts: "Sequence[NDArray[np.int64]]") -> list[Level]:
    import numpy as np

    texts = _texts(values)
    taken = set(texts)
    levels = []
    for cut in cuts:
        _, first, inverse = np.unique(cut, return_index=True, return_inverse=True)
        place = np.argsort(np.argsort(first))
        groups = place[inverse]
        levels.append(Level(groups=groups, labels=set_labels(groups, texts, taken)))
    return levels
