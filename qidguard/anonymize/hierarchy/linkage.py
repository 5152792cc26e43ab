"""Average linkage: the two groups whose members are nearest on average are merged first."""

from typing import TYPE_CHECKING

from qidguard.anonymize.hierarchy.tree import Merge

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def average_linkage(distances: "NDArray[np.float64]") -> list[Merge]:
    """Return the merges of average linkage (Sokal and Michener, 1958), nearest first.

    Found along chains of nearest neighbours (Benzécri, 1982), in time and memory of the square of the
    number of points. Of equally near neighbours the one before in the chain is taken, then the first.

    Args:
        distances: Shape (points, points), symmetric, ≥ 0.

    Returns:
        points − 1 merges of nodes as ``cuts`` takes them.

    Units:
        None.

    Raises:
        IndexError: When ``distances`` is not square.

    Example:
        >>> import numpy as np
        >>> points = np.array([0.0, 10.0, 1.0])
        >>> average_linkage(np.abs(points[:, None] - points))
        [(0, 2), (1, 3)]
    """
    import numpy as np

    points = len(distances)
    distance = np.array(distances, dtype=np.float64)
    np.fill_diagonal(distance, np.inf)
    sizes = np.ones(points)
    height = np.zeros(points)
    is_open = np.ones(points, dtype=bool)
    found: list[tuple[float, int, int]] = []
    chain: list[int] = []
    while len(found) < points - 1:
        if not chain:
            chain.append(int(np.argmax(is_open)))
        last = chain[-1]
        nearest = int(np.argmin(distance[last]))
        if len(chain) == 1 or distance[last, nearest] < distance[last, chain[-2]]:
            chain.append(nearest)
            continue
        chain.pop()
        other = chain.pop()
        keep, gone = min(last, other), max(last, other)
        # rounding must not let a merge come before the ones it is made of
        height[keep] = max(distance[keep, gone], height[keep], height[gone])
        found.append((float(height[keep]), keep, gone))
        both = sizes[keep] + sizes[gone]
        row = (sizes[keep] * distance[keep] + sizes[gone] * distance[gone]) / both
        row[[keep, gone]] = np.inf
        distance[keep] = distance[:, keep] = row
        distance[gone] = distance[:, gone] = np.inf
        sizes[keep] = both
        is_open[gone] = False
    return _numbered(found, points)


def _numbered(found: list[tuple[float, int, int]], points: int) -> list[Merge]:
    """Return the merges by height, with the number of the node that each point is in by then."""
    inside = list(range(points))
    merges: list[Merge] = []
    # sorting is stable, so of equal heights the parts stand before the whole
    for _, keep, gone in sorted(found, key=lambda merge: merge[0]):
        one, other = inside[keep], inside[gone]
        merges.append((min(one, other), max(one, other)))
        # `gone` is never named again, and `keep` stands for both
        inside[keep] = points + len(merges) - 1
    return merges
