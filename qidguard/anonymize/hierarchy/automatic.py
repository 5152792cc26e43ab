"""Hierarchies that nobody wrote: quantile intervals of numbers and dates, trees over categories."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, get_args

from qidguard.anonymize.hierarchy.assembling import Level, assemble
from qidguard.anonymize.hierarchy.frequency_tree import frequency_cuts
from qidguard.anonymize.hierarchy.group_labels import interval_labels, set_labels
from qidguard.anonymize.hierarchy.quantile_groups import quantile_groups
from qidguard.anonymize.hierarchy.similarity_tree import similarity_cuts
from qidguard.core.column_values import ColumnValues
from qidguard.core.errors import DataError
from qidguard.core.hierarchy import Hierarchy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

AutomaticKind = Literal["auto", "quantiles", "frequency", "similarity"]
"""How an automatic hierarchy groups."""


def automatic_hierarchy(values: ColumnValues, kind: AutomaticKind = "auto") -> Hierarchy:
    """Return a hierarchy made from the values of a column alone; each level has about half the groups.

    ``quantiles`` cuts numbers, dates and moments into neighbours that hold as many records each, labelled
    ``[17, 25]`` by their lowest and highest value. ``frequency`` merges the rarest categories first (the
    tree of Huffman, 1952). ``similarity`` merges texts that share the most words and letter trigrams
    (average linkage: Sokal and Michener, 1958). Categories are labelled ``{a, b}``; where that is longer
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
        neighbours = np.cumsum(np.diff(parts, prepend=parts[0]) != 0)
        # what is no finite number stays apart: its groups stand behind those of the numbers
        labels = interval_labels(neighbours, ordered)
        groups = np.empty(len(numbers), dtype=np.int64)
        groups[finite] = neighbours
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
