"""Labels of automatic groups: intervals of neighbours, sets of categories, numbered groups of many."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from qidguard.core.published import interval_text, set_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LONGEST_LABEL = 100
"""Characters beyond which a set of categories is numbered instead of listed."""


def interval_labels(groups: "NDArray[np.int64]", texts: Sequence[str]) -> list[str]:
    """Return for each group of neighbouring values the interval from its lowest to its highest.

    Args:
        groups: Shape (values,), the group of each value, 0, 1, … without gaps, never falling.
        texts: The values in ascending order.

    Returns:
        One text a group; a group of one value is labelled with it.

    Units:
        Those of the column.

    Raises:
        ValueError: When a value is an empty text.

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

    Args:
        groups: Shape (values,), the group of each value, 0, 1, … without gaps.
        texts: The values in the order in which a set lists them.
        taken: Texts of values, which no group of several may be labelled with.

    Returns:
        One text a group; a group of one value is labelled with it.

    Units:
        None.

    Raises:
        IndexError: When there are more values than texts.

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
