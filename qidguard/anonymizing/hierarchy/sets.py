"""Sets of categories that a tree puts together, and what a set is called that is too long to read."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from qidguard.anonymizing.hierarchy.assembling import Level
from qidguard.core.hierarchy import set_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LONGEST_LABEL = 100
"""Characters beyond which a set of categories is named by its most frequent member."""


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
        # a set of so many is too long whatever its members are
        label = set_text([texts[i] for i in np.sort(members).tolist()]) if size <= LONGEST_LABEL // 2 else ""
        if size > 1 and (not label or len(label) > LONGEST_LABEL or label in taken):
            label = f"{texts[int(members[0])]} and {size - 1:,} more"
            while label in taken:
                label += "'"
        labels.append(label)
    return labels


def set_levels(
    texts: Sequence[str], counts: "NDArray[np.int64]", cuts: "Sequence[NDArray[np.int64]]"
) -> list[Level]:
    """Return the levels whose groups a tree was cut into."""
    import numpy as np

    taken = set(texts)
    levels = []
    for cut in cuts:
        _, first, inverse = np.unique(cut, return_index=True, return_inverse=True)
        place = np.argsort(np.argsort(first))
        groups = place[inverse]
        levels.append(Level(groups=groups, labels=set_labels(groups, texts, counts, taken)))
    return levels
