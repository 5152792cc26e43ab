"""Combinations of levels, one level a column, in order of what they lose."""

import heapq
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def cheapest_vectors(losses: "Sequence[NDArray[np.float64]]", most: int) -> Iterator[tuple[int, ...]]:
    """Yield level vectors in order of their summed loss, those that lose least first.

    Args:
        losses: For each column the mean loss of its levels, ascending.
        most: Largest number of vectors, ≥ 0.

    Yields:
        One level a column; of vectors that lose the same, the one whose levels come first.

    Units:
        None.

    Raises:
        Nothing.

    Example:
        >>> import numpy as np
        >>> list(cheapest_vectors((np.array([0.0, 0.5]), np.array([0.0, 0.2, 1.0])), 4))
        [(0, 0), (0, 1), (1, 0), (1, 1)]
    """
    start = (0,) * len(losses)
    # every vector has one parent: itself with the last raised column one level lower
    waiting = [(sum(float(loss[0]) for loss in losses), start, 0)]
    for _ in range(most):
        if not waiting:
            return
        total, vector, last = heapq.heappop(waiting)
        yield vector
        for column in range(last, len(losses)):
            level = vector[column] + 1
            if level < len(losses[column]):
                step = float(losses[column][level] - losses[column][level - 1])
                raised = (*vector[:column], level, *vector[column + 1 :])
                heapq.heappush(waiting, (total + step, raised, column))
