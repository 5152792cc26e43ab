"""Trees that grow by merging two groups at a time, and the levels that cutting one gives."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Merge = tuple[int, int]
"""Two nodes that become one: leaves are 0..n − 1, the i-th merge makes node n + i."""


def halved(groups: int) -> Iterator[int]:
    """Yield ever smaller numbers of groups, each half of the one before, rounded up, and at last 2.

    Args:
        groups: Number of groups at the start, ≥ 0.

    Yields:
        Numbers of groups, ≥ 2.

    Units:
        Groups.

    Raises:
        TypeError: When ``groups`` is no whole number.

    Example:
        >>> list(halved(9)), list(halved(2))
        ([5, 3, 2], [])
    """
    while groups > 2:  # noqa: PLR2004 - below two groups is the top
        groups = (groups + 1) // 2
        yield groups


def cuts(leaves: int, merges: Sequence[Merge]) -> "list[NDArray[np.int64]]":
    """Return the groups of the leaves after enough merges for each halving of their number.

    Args:
        leaves: Number of leaves, ≥ 0.
        merges: leaves − 1 merges, the first merged first; a node is merged only after it was made.

    Returns:
        For each number of groups in ``halved(leaves)`` the node of each leaf, shape (leaves,).

    Units:
        None.

    Raises:
        IndexError: When a merge names a node that there is not.

    Example:
        >>> [cut.tolist() for cut in cuts(3, [(0, 2), (1, 3)])]
        [[3, 1, 3]]
    """
    import numpy as np

    parent = np.arange(max(2 * leaves - 1, 0), dtype=np.int64)
    for made, (one, other) in enumerate(merges, start=leaves):
        parent[one] = parent[other] = made
    node = np.arange(leaves, dtype=np.int64)
    found = []
    for groups in halved(leaves):
        last = 2 * leaves - groups
        while True:
            above = parent[node]
            climbs = (above < last) & (above != node)
            if not climbs.any():
                break
            node = np.where(climbs, above, node)
        found.append(node)
    return found
