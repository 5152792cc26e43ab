"""The Pareto front: the sets that no other one beats in every term."""

import numpy as np
from numpy.typing import NDArray


def front(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the rows that no other row dominates (Pareto 1896; as in Deb 2001, definition 2.5).

    A row dominates another one when it is nowhere lower and somewhere higher; equal rows do not.

    Args:
        values: Shape (rows, terms), each to be maximised; no NaN.

    Returns:
        Row numbers, ascending.

    Units:
        None.

    Raises:
        Nothing.

    Example:
        >>> front(np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.5], [1.0, 0.0]]))
        array([0, 1, 3])
    """
    if not values.shape[0] or not values.shape[1]:
        return np.arange(values.shape[0])
    distinct, group = np.unique(values, axis=0, return_inverse=True)
    # a row's sum of ranks is below that of every row that dominates it, so the first one left is never beaten
    ranks = [np.unique(column, return_inverse=True)[1] for column in distinct.T]
    left = np.argsort(-np.sum(ranks, axis=0), kind="stable")
    kept = []
    while left.size:
        best = left[0]
        kept.append(best)
        left = left[(distinct[left] > distinct[best]).any(axis=1)]
    return np.flatnonzero(np.isin(group.ravel(), kept))
