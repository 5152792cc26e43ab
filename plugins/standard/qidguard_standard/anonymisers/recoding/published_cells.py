"""What a column publishes where its records stand on different levels of its hierarchy."""

from typing import TYPE_CHECKING

import numpy as np

from qidguard import ColumnValues, Original, Recoded
from qidguard_standard.anonymisers.recoding.column_levels import ColumnLevels

if TYPE_CHECKING:
    from numpy.typing import NDArray


def published_cells(
    values: ColumnValues, one: ColumnLevels, level: "NDArray[np.int64]"
) -> tuple[Recoded | None, "NDArray[np.int64]"]:
    """Return what a column publishes.

    Args:
        values: The column.
        one: Its levels.
        level: Shape (records,), the level of each record's cell, counted among ``one``'s.

    Returns:
        The recoding, None where every record keeps its value; and for each record the number of its
        published text, ≥ 0: NULL and each text have a number of their own, whatever level they are from.

    Units:
        None.

    Raises:
        Nothing.

    Example:
        >>> published_cells.__name__
        'published_cells'
    """
    group = one.groups[level, values.codes]
    span = max(one.groups.shape[1], 1)
    nodes, number = np.unique(level * span + group, return_inverse=True)
    shown: list[Original | str] = []
    texts: dict[str | None, int] = {}
    text_of = np.empty(len(nodes), dtype=np.int64)
    for at, node in enumerate(nodes):
        its_level, its_group = divmod(int(node), span)
        label = None if its_level == 0 else one.hierarchy.labels[one.numbers[its_level]][its_group]
        # level 0 keeps the values in the order of codes; NULL, which no level but the top mixes, has no label
        original = its_group if its_level == 0 else 0
        shown.append(Original(original) if label is None else label)
        text_of[at] = texts.setdefault(values.texts[original] if label is None else label, len(texts))
    recoded = Recoded(codes=number, values=tuple(shown)) if level.any() else None
    return recoded, text_of[number]
