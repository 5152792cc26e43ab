"""Hierarchies made from the values themselves, as the kind of the column asks for."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, get_args

from qidguard.anonymizing.hierarchy.assembling import Level, assemble
from qidguard.anonymizing.hierarchy.bands import band_hierarchy, neighbor_hierarchy
from qidguard.anonymizing.hierarchy.dates import automatic_dates
from qidguard.anonymizing.hierarchy.frequent import MOST_MEMBERS, other_levels
from qidguard.anonymizing.hierarchy.masks import code_masks, postcode_masks
from qidguard.anonymizing.hierarchy.order import known_order, neighbors, number_neighbors, stated_order
from qidguard.anonymizing.hierarchy.quantiles import quantile_levels
from qidguard.anonymizing.hierarchy.ready import ready_hierarchy, recognize_system
from qidguard.anonymizing.hierarchy.sets import set_levels
from qidguard.anonymizing.hierarchy.trees import frequency_cuts, similarity_cuts
from qidguard.core.column import ColumnValues, ValueType
from qidguard.core.errors import DataError
from qidguard.core.hierarchy import Hierarchy
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
        levels = quantile_levels(values)
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
    import numpy as np

    if kind is ColumnKind.ORDINAL:
        made = neighbor_hierarchy(values)
        if made is None:
            levels = number_neighbors(np.asarray(values.numbers)[1:], _texts(values))
            made = assemble(values, levels, origin="neighbors in their order")
    else:
        # numbers too large for their range have no bands that floats tell apart
        made = band_hierarchy(values) or assemble(values, quantile_levels(values), origin="quantiles")
    return replace(made, origin=f"automatic ({said}: {made.origin})")


def _of_texts(values: ColumnValues, kind: ColumnKind | None, largest_set: int) -> tuple[list[Level], str]:
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


def _masks(texts: Sequence[str], kind: ColumnKind | None) -> tuple[list[Level], str] | None:
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
