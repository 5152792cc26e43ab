"""Hierarchies of names without an order: what most records hold stays, what is rare becomes ``other``."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from qidguard.anonymizing.hierarchy.assembling import HierarchyLevel
from qidguard.anonymizing.hierarchy.trees import halved
from qidguard.core.hierarchy import set_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_MEMBERS = 4
"""Members of a group that is published as the set of them."""

LONGEST_SET = 100
"""Characters of a published set."""

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
        label = others_label(rest, len(texts) - len(kept), taken, largest_set)
        levels.append(HierarchyLevel(groups=np.minimum(rank, groups - 1), labels=(*kept, label)))
    return levels


def others_label(
    members: Sequence[str], size: int, taken: Collection[str], largest_set: int = MOST_MEMBERS
) -> str:
    """Return what a group of rare values is called: the set of a few, else how many others it holds.

    Example:
        >>> others_label(["a", "b"], 2, {"a", "b"}), others_label(["a", "b", "c", "d", "e"], 9, {"a"})
        ('{a, b}', 'other (9 values)')
    """
    label = set_text(members) if size <= largest_set else ""
    if not label or len(label) > LONGEST_SET or label in taken:
        label = f"other ({size:,} values)"
    while label in taken:
        label += "'"
    return label
