"""The nearest places of each place: exact for some thousand, and else by trees of random cuts."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

_EXACT = 4200
"""Places of which each is compared with each."""
_LEAF, _TREES = 700, 3
_ROWS = 128
"""Places that are compared with a leaf's at a time."""


def nearest(
    numbers: "NDArray[np.float64]",
    codes: "NDArray[np.int64]",
    weights: "NDArray[np.float64]",
    count: int,
    dice: "Callable[[int], NDArray[np.int64]]",
    heard: "Callable[[int, int], None]",
) -> "NDArray[np.int64]":
    """Return for each place the others that are nearest, the nearest first; of equally near ones the first.

    Among many places most of them: each is compared with those of its leaf in some trees, whose cuts go
    through the median along a random direction.

    Args:
        numbers: Shape (places, numbers), scaled.
        codes: Shape (places, categories).
        weights: Shape (categories,), the distance of two values that differ.
        count: How many others, < places.
        dice: Returns so many random numbers below 2³¹.
        heard: Told how many of how many leaves are done.

    Shape (places, count).
    """
    places = len(numbers)
    if places <= _EXACT:
        leaves = [np.arange(places)]
    else:
        leaves = [leaf for _ in range(_TREES) for leaf in _leaves(numbers, codes, weights, dice)]
    found = np.full((places, count), -1, dtype=np.int64)
    distances = np.full((places, count), np.inf)
    for done, leaf in enumerate(leaves):
        heard(done, len(leaves))
        for start in range(0, len(leaf), _ROWS):
            rows = leaf[start : start + _ROWS]
            apart = np.zeros((len(rows), len(leaf)))
            for column in numbers.T:
                off = column[rows][:, None] - column[leaf][None, :]
                apart += off * off
            for values, weight in zip(codes.T, weights.tolist(), strict=True):
                apart += weight * (values[rows][:, None] != values[leaf][None, :])
            # what is itself, and what another tree has found already, is not found
            apart[np.arange(len(rows)), start + np.arange(len(rows))] = np.inf
            at, other = _least(apart, count)
            _merge(found, distances, (rows[at], leaf[other], apart[at, other]))
    heard(len(leaves), len(leaves))
    return found


def _least(apart: "NDArray[np.float64]", count: int) -> "tuple[NDArray[np.int64], NDArray[np.int64]]":
    """Return the row and the column of what is no more than the ``count``-th least of its row."""
    most = np.partition(apart, min(count, apart.shape[1]) - 1, axis=1)[:, min(count, apart.shape[1]) - 1]
    at, other = np.nonzero((apart <= most[:, None]) & np.isfinite(apart))
    return at.astype(np.int64), other.astype(np.int64)


def _merge(
    found: "NDArray[np.int64]",
    distances: "NDArray[np.float64]",
    more: "tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]",
) -> None:
    """Keep the nearest of what was found before and what is found now; the rows are ascending or not."""
    rows = np.unique(more[0])
    count = found.shape[1]
    place = np.concatenate([np.repeat(rows, count), more[0]])
    other = np.concatenate([found[rows].reshape(-1), more[1]])
    apart = np.concatenate([distances[rows].reshape(-1), more[2]])
    is_there = other >= 0
    place, other, apart = place[is_there], other[is_there], apart[is_there]
    order = np.lexsort((other, place))
    is_new = np.append(
        True, (place[order][1:] != place[order][:-1]) | (other[order][1:] != other[order][:-1])
    )
    order = order[is_new]
    place, other, apart = place[order], other[order], apart[order]
    order = np.lexsort((other, apart, place))
    place, other, apart = place[order], other[order], apart[order]
    rank = np.arange(len(place)) - np.searchsorted(place, place)
    kept = rank < count
    found[place[kept], rank[kept]] = other[kept]
    distances[place[kept], rank[kept]] = apart[kept]


def _leaves(
    numbers: "NDArray[np.float64]",
    codes: "NDArray[np.int64]",
    weights: "NDArray[np.float64]",
    dice: "Callable[[int], NDArray[np.int64]]",
) -> "Iterator[NDArray[np.int64]]":
    """Yield the places in leaves of about the same size."""
    open_leaves = [np.arange(len(numbers))]
    while open_leaves:
        leaf = open_leaves.pop()
        if len(leaf) <= _LEAF:
            yield leaf
            continue
        along = np.zeros(len(leaf))
        for column, die in zip(numbers.T, dice(numbers.shape[1]).tolist(), strict=True):
            along += column[leaf] * (die / 2**30 - 1.0)
        for values, weight in zip(codes.T, weights.tolist(), strict=True):
            # each value lies somewhere on the line
            along += (dice(int(values.max(initial=0)) + 1) / 2**30 - 1.0)[values[leaf]] * weight
        order = leaf[np.argsort(along, kind="stable")]
        half = len(order) // 2
        open_leaves += [np.sort(order[half:]), np.sort(order[:half])]
