"""A tree over categories in which the rarest are merged first."""

import heapq
from typing import TYPE_CHECKING

from qidguard.anonymize.hierarchy.tree import Merge, cuts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def frequency_cuts(counts: "NDArray[np.int64]") -> "list[NDArray[np.int64]]":
    """Return ever coarser groups of categories; each merge joins the two groups of fewest records.

    That is the tree of Huffman (1952): what most records hold stays exact longest. Equal counts are merged
    in the order of the categories, so the order of records decides nothing.

    Args:
        counts: Shape (categories,), records of each, ≥ 0.

    Returns:
        For each halving of the number of groups, two at last, the group of each category.

    Units:
        ``counts`` are records.

    Raises:
        TypeError: When ``counts`` has no length.

    Example:
        >>> import numpy as np
        >>> groups, _ = frequency_cuts(np.array([50, 1, 40, 2, 3, 9]))
        >>> (groups[1] == groups[3] == groups[4], groups[0] == groups[1])
        (np.True_, np.False_)
    """
    leaves = len(counts)
    # of two groups with as many records the one with the first category goes first
    heap = [(count, leaf, leaf) for leaf, count in enumerate(counts.tolist())]
    heapq.heapify(heap)
    merges: list[Merge] = []
    while len(heap) > 1:
        one_count, one_first, one = heapq.heappop(heap)
        count, first, other = heap[0]
        merges.append((one, other))
        made = (one_count + count, min(one_first, first), leaves + len(merges) - 1)
        heapq.heapreplace(heap, made)
    return cuts(leaves, merges)
