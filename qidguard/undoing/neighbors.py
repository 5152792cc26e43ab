"""What the neighbors in an order say of a record."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def in_order(ranks: "NDArray[np.integer]", generator: np.random.Generator) -> "NDArray[np.int64]":
    """Return the places of ranks in their order, equal ones shuffled."""
    shuffled = generator.permutation(len(ranks))
    places: NDArray[np.int64] = shuffled[np.argsort(ranks[shuffled], kind="stable")]
    return places


def on_both_sides(values: "NDArray[np.int64]") -> "tuple[NDArray[np.int64], NDArray[np.int64]]":
    """Return the value of each place's neighbors, and how many on both sides share it."""
    guess, width = np.zeros_like(values), np.zeros_like(values)
    if len(values) > 2:  # noqa: PLR2004 - somebody has two neighbors
        before, behind = _runs(values)
        guess[1:-1] = values[:-2]
        width[1:-1] = np.where(values[:-2] == values[2:], np.minimum(before[:-2], behind[2:]), 0)
    return guess, width


def _runs(values: "NDArray[np.int64]") -> "tuple[NDArray[np.int64], NDArray[np.int64]]":
    """Return for each place how many of the same value end here, and how many begin here."""
    here = np.arange(len(values))
    starts = np.flatnonzero(np.diff(values, prepend=-1))
    run = np.cumsum(np.diff(values, prepend=values[:1]) != 0)
    ends = np.append(starts[1:], len(values))
    return here - starts[run] + 1, ends[run] - here
