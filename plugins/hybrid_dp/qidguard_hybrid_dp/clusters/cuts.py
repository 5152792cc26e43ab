"""Parts of at least k persons, cut by numbers again and again (Mondrian, LeFevre et al. 2006, by breadth)."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from qidguard_hybrid_dp.clusters.kinds import combinations, lists_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

MISSING = -np.inf
"""What stands for no number: a value of its own, below all others."""


class _Cuts(NamedTuple):
    """For each part the best cut of one column; where there is none, ``is_cut`` is False."""

    is_cut: "NDArray[np.bool_]"
    is_single: "NDArray[np.bool_]"  # whether one value goes, or all that are not above it
    value: "NDArray[np.float64]"
    width: "NDArray[np.float64]"  # of the part, in widths of its class


def parts_of(
    numbers: "Sequence[NDArray[np.float64]]",
    classes: "NDArray[np.int64]",
    *,
    k: int,
    persons: "NDArray[np.int64] | None",
    told: Callable[[int, int], None],
) -> "NDArray[np.int64]":
    """Return the part of each record: classes, cut as long as both sides keep k persons.

    The widest column is cut, a single value with k persons apart from the others if there is one, else at
    the median. Equal numbers of a part stay together, so that the order of the records decides nothing.

    Args:
        numbers: Per column shape (n,), ``MISSING`` where there is none.
        classes: Shape (n,), 0..classes − 1.
        k: Persons a part keeps.
        persons: Shape (n,), the person of each record; None where each record is one.
        told: Hears how many records are done, of how many.

    Returns:
        Shape (n,), 0..parts − 1.
    """
    parts = classes.astype(np.int64).copy()
    active = np.arange(len(parts))
    widths = [_widths(column, classes) for column in numbers]
    while len(active):
        told(len(parts) - len(active), len(parts))
        own = np.unique(parts[active], return_inverse=True)[1].reshape(-1)
        cuts = [
            _cuts(column[active], own, k, width[active])
            for column, width in zip(numbers, widths, strict=True)
        ]
        widest = np.array([np.where(one.is_cut, one.width, -1.0) for one in cuts]).argmax(axis=0)
        goes = np.zeros(len(active), dtype=np.bool_)
        for at, (column, one) in enumerate(zip(numbers, cuts, strict=True)):
            value, here = column[active], (one.is_cut & (widest == at))[own]
            goes |= here & np.where(one.is_single[own], value == one.value[own], value <= one.value[own])
        is_cut = np.any([one.is_cut for one in cuts], axis=0)
        if persons is not None:
            is_cut &= _keeps(own, goes, persons[active], k)
        goes &= is_cut[own]
        parts[active[goes]] = parts.max() + 1 + own[goes]
        active = active[is_cut[own]]
    told(len(parts), len(parts))
    return combinations([np.unique(parts, return_inverse=True)[1].reshape(-1)])


def _widths(column: "NDArray[np.float64]", classes: "NDArray[np.int64]") -> "NDArray[np.float64]":
    """Return for each record how wide its class is: no other class may have a say in its cuts."""
    low, high = np.full(int(classes.max()) + 1, np.inf), np.full(int(classes.max()) + 1, -np.inf)
    known = column > MISSING
    np.minimum.at(low, classes[known], column[known])
    np.maximum.at(high, classes[known], column[known])
    widths = np.where(high > low, high - low, 1.0)
    return widths[classes]


def _cuts(
    column: "NDArray[np.float64]", own: "NDArray[np.int64]", k: int, widths: "NDArray[np.float64]"
) -> _Cuts:
    """Return the best cut of each part by one column."""
    order = np.lexsort((column, own))
    value, part = column[order], own[order]
    starts = np.flatnonzero(np.diff(part, prepend=-1))
    sizes = np.diff(np.append(starts, len(part)))
    # runs of equal values
    is_run = np.append(True, (np.diff(part) != 0) | (value[1:] != value[:-1]))
    begin = np.flatnonzero(is_run)
    length, of_part = np.diff(np.append(begin, len(part))), part[begin]
    below, size = begin - starts[of_part] + length, sizes[of_part]
    is_single = (length >= k) & (size - length >= k)
    is_median = (below >= k) & (size - below >= k)
    # singles first, the largest of them; else what is nearest to the middle; of equals the lowest value
    cost = np.where(
        is_single, size - length, np.where(is_median, np.abs(2 * below - size) + 2 * size, 4 * size)
    )
    first = np.lexsort((begin, cost, of_part))
    best = first[np.flatnonzero(np.diff(of_part[first], prepend=-1))]
    low, high = value[starts], value[starts + sizes - 1]
    with np.errstate(invalid="ignore"):
        spans = np.where(low == high, 0.0, (high - low) / widths[order][starts])
    return _Cuts(
        is_cut=is_single[best] | is_median[best],
        is_single=is_single[best],
        value=value[begin[best]],
        width=spans,
    )


def _keeps(
    own: "NDArray[np.int64]", goes: "NDArray[np.bool_]", persons: "NDArray[np.int64]", k: int
) -> "NDArray[np.bool_]":
    """Return for each part whether both of its sides keep k distinct persons."""
    met = lists_of(2 * own + goes, persons, 2 * (int(own.max()) + 1))
    keeps: NDArray[np.bool_] = np.diff(met.starts).reshape(-1, 2).min(axis=1) >= k
    return keeps
