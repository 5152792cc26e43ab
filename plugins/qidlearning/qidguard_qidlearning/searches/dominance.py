"""Dominance: the ranks of NSGA-II (Deb, Pratap, Agarwal & Meyarivan 2002)."""

import numpy as np
from numpy.typing import NDArray


def places(values: NDArray[np.float64]) -> list[int]:
    """Return each row's place, 0 the first: by non-dominated rank, then by crowding, the lonely first.

    Values have shape (rows, terms), each to be maximized. A row with NaN is dominated by all others; rows
    that are equal in both keep their order.
    """
    ranks = fronts(values)
    crowding = np.empty(len(values))
    for rank in np.unique(ranks):
        crowding[ranks == rank] = distances(values[ranks == rank])
    order = np.lexsort((np.arange(len(values)), -crowding, ranks))
    found = np.empty(len(values), np.int64)
    found[order] = np.arange(len(values))
    return [int(place) for place in found]


def fronts(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return each row's rank: 0 for those that nobody dominates, 1 for those next without them, and so on."""
    has_values = ~np.isnan(values).any(axis=1)
    ranks = np.full(len(values), len(values), np.int64)
    left, rank = np.flatnonzero(has_values), 0
    while left.size:
        some = values[left]
        at_least = (some[:, None, :] >= some[None, :, :]).all(axis=2)
        beats = at_least & ~at_least.T
        is_first = ~beats.any(axis=0)
        ranks[left[is_first]] = rank
        left, rank = left[~is_first], rank + 1
    return ranks


def distances(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the crowding distances in one front: the box between neighbors; infinite at the ends."""
    found = np.zeros(len(values))
    for column in values.T:
        order = np.argsort(column, kind="stable")
        low, high = column[order[0]], column[order[-1]]
        if not low < high or not np.isfinite(high - low):
            continue
        found[order[[0, -1]]] = np.inf
        found[order[1:-1]] += (column[order[2:]] - column[order[:-2]]) / (high - low)
    return found
