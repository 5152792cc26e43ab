"""Hierarchies made from the values themselves, as the kind of the column asks for."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, get_args

from qidguard.anonymizing.hierarchy.assembling import (
    LONGEST_SET,
    MOST_MEMBERS,
    HierarchyLevel,
    assemble,
    group_label,
    with_others,
)
from qidguard.anonymizing.hierarchy.bands import band_hierarchy, neighbor_hierarchy
from qidguard.anonymizing.hierarchy.dates import automatic_dates
from qidguard.anonymizing.hierarchy.masks import code_masks, postcode_masks
from qidguard.anonymizing.hierarchy.order import known_order, neighbors, stated_order
from qidguard.anonymizing.hierarchy.ready import ready_hierarchy
from qidguard.anonymizing.hierarchy.ready.recognizing import recognize_system
from qidguard.anonymizing.hierarchy.trees import doubled, frequency_cuts, halved, similarity_cuts
from qidguard.core.column import ColumnValues, ValueType
from qidguard.core.errors import DataError
from qidguard.core.hierarchy import Hierarchy, interval_text, set_text
from qidguard.core.kind import ColumnKind

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


AutomaticKind = Literal["auto", "quantiles", "frequency", "similarity"]
"""How an automatic hierarchy groups."""

_KINDS = ", ".join(get_args(AutomaticKind))


def automatic_hierarchy(
    values: ColumnValues,
    kind: AutomaticKind = "auto",
    *,
    column_kind: ColumnKind | None = None,
    largest_set: int = MOST_MEMBERS,
) -> Hierarchy:
    """Return a hierarchy made from the values of a column alone, as its kind asks for.

    Counts, amounts and periods in numbers: bands of 1, 2 or 5 times a power of ten that nest, ``[20, 24]`` as
    ages; the ends of a long tail are open, ``>= 100000``. Ordinal: neighbors, of bands such as ``[0-10)`` in
    wider bands of one width ``[0-20)``, of months in quarters, of words in the order that everybody knows,
    of numbers ``[1, 2]``. Dates, moments and texts that are dates: months, quarters, years, five years and
    decades. Codes, places and names of a published system, such as diagnoses: its groups, as
    ``ready_hierarchy`` has them. Other codes: prefixes of one width, ``250*``. Other places: postcodes by
    prefix ``101**`` or by the parts of their country's. Nominal values, and what has no such order: the most
    frequent stay, the rare are ``{a, b}`` or ``other (9 values)``. Keys and free text: one group.

    ``quantiles`` cuts numbers, dates and moments into neighbors that hold as many records each, labeled
    ``[17, 25]`` by their lowest and highest value. ``frequency`` merges the rarest categories first (the
    tree of Huffman, 1952). ``similarity`` merges texts that share the most words and letter trigrams
    (average linkage: Sokal and Michener, 1958). Both label ``{a, b}``; where that is longer than 100
    characters, ``smith and 13 more``, which only the hierarchy itself can resolve.

    The counts of records decide, their order does not. NULL, and what is no finite number in a column of
    numbers, stays apart below the top. A column with fewer than three values, or an empty one, gets the
    exact level and the top alone.

    Args:
        values: The column.
        kind: ``auto`` decides by the kind of the column.
        column_kind: What its values are; None takes ``values.kind``, and where nobody knows that either, what
            the values alone tell: numbers are amounts, texts are nominal unless they are bands, words with a
            known order or postcodes.
        largest_set: Most values of a set ``{a, b}`` with ``auto``, ≥ 1.

    Returns:
        The hierarchy. Its labels hold values of the table; its origin says by what it was made.

    Units:
        Labels have those of the column.

    Raises:
        DataError: When the kind is unknown, quantiles are asked for of a column without order, or dates do
            not say which of two readings is meant.

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
    if kind == "quantiles" and not values.has_scale:
        raise DataError(
            f"quantiles need numbers or dates, and column {values.name!r} holds {values.value_type};"
            " choose frequency or similarity"
        )
    if kind == "auto":
        return _by_kind(values, column_kind or values.kind, largest_set)
    if kind == "quantiles":
        levels = interval_levels(values, quantile_groups)
    elif kind == "similarity":
        levels = set_levels(_texts(values), _counts(values), similarity_cuts(_texts(values), _counts(values)))
    else:
        levels = set_levels(_texts(values), _counts(values), frequency_cuts(_counts(values)))
    return assemble(values, levels, origin=f"automatic ({kind})")


_TOP_ONLY = {ColumnKind.TEXT, ColumnKind.KEY}
_AMOUNTS = {ColumnKind.COUNT, ColumnKind.AMOUNT, ColumnKind.PERIOD, ColumnKind.DATE, None}
_CALENDAR = {ColumnKind.DATE, ColumnKind.PERIOD, None}
_FEWEST = 3
_OF_SYSTEMS = {ColumnKind.CODE, ColumnKind.PLACE, ColumnKind.NOMINAL}


def _by_kind(values: ColumnValues, kind: ColumnKind | None, largest_set: int) -> Hierarchy:
    said = "values" if kind is None else kind.value
    is_time = values.value_type in {ValueType.DATE, ValueType.TIMESTAMP} and kind not in _TOP_ONLY
    dates = automatic_dates(values) if is_time or kind in _CALENDAR else None
    if dates is not None:
        return dates
    if kind in _TOP_ONLY or values.distinct < _FEWEST:
        why = "one group" if kind in _TOP_ONLY else "too few values to group"
        return assemble(values, [], origin=f"automatic ({said}: {why})")
    of_system = _of_system(values, kind, said)
    if of_system is not None:
        return of_system
    if values.has_scale and kind in _AMOUNTS | {ColumnKind.ORDINAL}:
        return _of_numbers(values, kind, said)
    levels, how = _of_texts(values, kind, largest_set)
    return assemble(values, levels, origin=f"automatic ({said}: {how})")


def _of_system(values: ColumnValues, kind: ColumnKind | None, said: str) -> Hierarchy | None:
    """Return the levels of the published system of codes that a column's values belong to, if any."""
    if kind not in _OF_SYSTEMS:
        return None
    system = recognize_system(values)
    if system is None:
        return None
    made = ready_hierarchy(values, system)
    kept = [0]
    for level in range(1, made.levels - 1):
        if 1 < made.groups[level, 1:].max() < made.groups[kept[-1], 1:].max():
            kept.append(level)
    if len(kept) == 1:
        return None
    last = made.levels - 1
    return Hierarchy(
        column=made.column,
        groups=made.groups[[*kept, last]],
        labels=tuple(made.labels[level] for level in (*kept, last)),
        origin=f"automatic ({said}: {system})",
    )


def _of_numbers(values: ColumnValues, kind: ColumnKind | None, said: str) -> Hierarchy:

    if kind is ColumnKind.ORDINAL:
        made = neighbor_hierarchy(values)
        if made is None:
            levels = interval_levels(values, neighbor_groups)
            made = assemble(values, levels, origin="neighbors in their order")
    else:
        # numbers too large for their range have no bands that floats tell apart
        made = band_hierarchy(values) or assemble(
            values, interval_levels(values, quantile_groups), origin="quantiles"
        )
    return replace(made, origin=f"automatic ({said}: {made.origin})")


def _of_texts(
    values: ColumnValues, kind: ColumnKind | None, largest_set: int
) -> tuple[list[HierarchyLevel], str]:
    """Return the levels of what is no number, or none in which there is anything to reckon."""
    texts = _texts(values)
    if values.declared:
        place = {text: at for at, text in enumerate(values.declared)}
        places = [place.get(text, -1) for text in texts]
        return neighbors(texts, places, largest_set), "neighbors in their declared order"
    if kind in {
        ColumnKind.ORDINAL,
        ColumnKind.PERIOD,
        ColumnKind.DATE,
        ColumnKind.COUNT,
        ColumnKind.AMOUNT,
        None,
    }:
        found = known_order(texts, largest_set)
        if found is None and kind is ColumnKind.ORDINAL:
            found = stated_order(texts, largest_set)
        if found is not None and found[0]:
            return found
    masks = _masks(texts, kind)
    if masks is not None:
        return masks
    return other_levels(texts, _counts(values), largest_set), "the most frequent stay, the rare are others"


def _masks(texts: Sequence[str], kind: ColumnKind | None) -> tuple[list[HierarchyLevel], str] | None:
    if kind is ColumnKind.CODE:
        return code_masks(texts)
    if kind is ColumnKind.PLACE or (kind is None and not all(text.isdecimal() for text in texts)):
        return postcode_masks(texts)
    return None


def _counts(values: ColumnValues) -> "NDArray[np.int64]":
    import numpy as np

    return np.bincount(values.codes, minlength=len(values.texts))[1:]


def _texts(values: ColumnValues) -> list[str]:
    return [str(text) for text in values.texts[1:]]


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


def interval_levels(
    values: ColumnValues, cuts: "Callable[[NDArray[np.int64]], Iterable[NDArray[np.int64]]]"
) -> list[HierarchyLevel]:
    """Return the levels of numbers, dates or moments; what is no finite number stays apart.

    Args:
        values: The column.
        cuts: Makes of the records of each value, in their order, the part that it belongs to on each level.
    """
    import numpy as np

    numbers, texts = np.asarray(values.numbers)[1:], _texts(values)
    finite = np.flatnonzero(np.isfinite(numbers))
    finite = finite[np.argsort(numbers[finite], kind="stable")]
    ordered = [texts[i] for i in finite.tolist()]
    levels = []
    for parts in cuts(_counts(values)[finite]):
        groups = np.cumsum(np.diff(parts, prepend=parts[0]) != 0)
        level = HierarchyLevel(groups=groups, labels=interval_labels(groups, ordered))
        levels.append(with_others(level, finite, texts))
    return levels


def neighbor_groups(counts: "NDArray[np.int64]") -> "Iterator[NDArray[np.int64]]":
    """Yield ever coarser groups of ordered values: two neighbors are one, then four, ….

    Example:
        >>> import numpy as np
        >>> [level.tolist() for level in neighbor_groups(np.array([5, 1, 1]))]
        [[0, 0, 1]]
    """
    import numpy as np

    return (np.arange(len(counts)) // size for size in doubled(len(counts)))


def set_labels(
    groups: "NDArray[np.int64]",
    texts: Sequence[str],
    counts: "NDArray[np.int64]",
    taken: Collection[str],
) -> list[str]:
    """Return for each group of categories its set, or its most frequent member where that is too long.

    Such a group is ``smith and 13 more``. As each level has fewer groups than the one below, a label that two
    levels share stands for the same group on both.

    Example:
        >>> import numpy as np
        >>> set_labels(np.array([0, 1, 0]), ["f", "m", "x"], np.array([1, 1, 1]), {"f", "m", "x"})
        ['{f, x}', 'm']
    """
    import numpy as np

    # the members of a group stand together, the most frequent first
    order = np.lexsort((np.arange(len(groups)), -np.asarray(counts), groups))
    sizes = np.bincount(groups)
    labels = []
    start = 0
    for size in sizes.tolist():
        members = order[start : start + size]
        start += size
        first = texts[int(members[0])]
        # a set of so many is too long whatever its members are
        label = set_text([texts[i] for i in np.sort(members).tolist()]) if size <= LONGEST_SET // 2 else ""
        labels.append(group_label(label, f"{first} and {size - 1:,} more", taken) if size > 1 else first)
    return labels


def set_levels(
    texts: Sequence[str], counts: "NDArray[np.int64]", cuts: "Sequence[NDArray[np.int64]]"
) -> list[HierarchyLevel]:
    """Return the levels whose groups a tree was cut into."""
    import numpy as np

    taken = set(texts)
    levels = []
    for cut in cuts:
        _, first, inverse = np.unique(cut, return_index=True, return_inverse=True)
        place = np.argsort(np.argsort(first))
        groups = place[inverse]
        levels.append(HierarchyLevel(groups=groups, labels=set_labels(groups, texts, counts, taken)))
    return levels


_MOST_GROUPS = 1_000
"""Groups of the finest level: nobody reads a list of more."""


def other_levels(
    texts: Sequence[str], counts: "NDArray[np.int64]", largest_set: int = MOST_MEMBERS
) -> list[HierarchyLevel]:
    """Return levels on which ever fewer of the most frequent values stay and all others are one group.

    Each level has half the groups of the one below. A few others are published as their set, more as
    ``other (9 values)``: no two levels share a label, so that each says what it stands for. Of equally
    frequent values the first in order stays.

    Example:
        >>> import numpy as np
        >>> [level.labels for level in other_levels(["cook", "judge", "nurse"], np.array([9, 1, 2]))]
        [('cook', '{judge, nurse}')]
    """
    import numpy as np

    taken = set(texts)
    order = np.argsort(-np.asarray(counts), kind="stable")
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    levels = []
    for groups in halved(len(texts)):
        if groups > _MOST_GROUPS:
            continue
        kept = [texts[code] for code in order[: groups - 1].tolist()]
        rest = [texts[code] for code in np.sort(order[groups - 1 :][: largest_set + 1]).tolist()]
        size = len(texts) - len(kept)
        members = set_text(rest) if size <= largest_set else ""
        label = group_label(members, f"other ({size:,} values)", taken)
        levels.append(HierarchyLevel(groups=np.minimum(rank, groups - 1), labels=(*kept, label)))
    return levels
