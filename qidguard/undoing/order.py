"""What the neighbors in the order of a column tell of a record, where its values hardly repeat."""

from typing import TYPE_CHECKING

import numpy as np

from qidguard.undoing.target import Target
from qidguard.undoing.told import Told, told_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

WIDTHS = (1, 2, 4, 8)
"""How many neighbors on each side must agree: each is tried, the best that chance cannot explain is taken."""


def told_by_order(
    target: Target, ranks: "NDArray[np.integer]", generator: np.random.Generator
) -> Told | None:
    """Return what neighbors on both sides tell, who are other persons; None is nothing.

    Args:
        target: The quasi-identifier.
        ranks: Shape (records,), the place of each record's value in the column's order, ≥ 0.
        generator: Shuffles the records of one value.
    """
    one_each = one_a_person(target, generator)
    ordered = one_each[_order(ranks[one_each], generator)]
    guess, width = _agreeing(target.values[ordered])
    # further records of the same persons stand among those of others, who may be themselves
    further = np.setdiff1d(np.flatnonzero(target.is_open), ordered) if len(ordered) < len(ranks) else None
    if further is not None:
        more_guess, more_width = _between(target.values[ordered], ranks[ordered], ranks[further])
        ordered = np.concatenate([ordered, further])
        guess, width = np.concatenate([guess, more_guess]), np.concatenate([width, more_width])
    is_asked = target.is_open[ordered]
    for least in WIDTHS:
        chosen = np.flatnonzero(is_asked & (width >= least))
        # the wider the fewer are told: the first that chance cannot explain tells most
        if told := told_of(target, ordered[chosen], guess[chosen], "order"):
            return told
    return None


def one_a_person(target: Target, generator: np.random.Generator) -> "NDArray[np.int64]":
    """Return a record of each person, drawn, but an open one where there is one; in the table's order."""
    if target.persons is None:
        return np.arange(len(target.values))
    shuffled = generator.permutation(len(target.values))
    chosen = np.full(int(target.persons.max(initial=-1)) + 1, -1, dtype=np.int64)
    chosen[target.persons[shuffled]] = shuffled
    open_ones = shuffled[target.is_open[shuffled]]
    chosen[target.persons[open_ones]] = open_ones
    return np.sort(chosen)


def _order(ranks: "NDArray[np.integer]", generator: np.random.Generator) -> "NDArray[np.int64]":
    """Return the places of ranks in their order, equal ones shuffled."""
    shuffled = generator.permutation(len(ranks))
    bits = max(1, len(ranks).bit_length())
    packed = (ranks[shuffled].astype(np.int64) << bits) | np.arange(len(ranks))
    packed.sort()
    places: NDArray[np.int64] = shuffled[packed & ((1 << bits) - 1)]
    return places


def _runs(values: "NDArray[np.int64]") -> "tuple[NDArray[np.int64], NDArray[np.int64]]":
    """Return for each place how many of the same value end here, and how many begin here."""
    here = np.arange(len(values))
    starts = np.flatnonzero(np.diff(values, prepend=-1))
    run = np.cumsum(np.diff(values, prepend=values[:1]) != 0)
    ends = np.append(starts[1:], len(values))
    return here - starts[run] + 1, ends[run] - here


def _agreeing(values: "NDArray[np.int64]") -> "tuple[NDArray[np.int64], NDArray[np.int64]]":
    """Return the value of each place's neighbors, and how many on both sides share it."""
    guess, width = np.zeros_like(values), np.zeros_like(values)
    if len(values) > 2:  # noqa: PLR2004 - somebody has two neighbors
        before, behind = _runs(values)
        guess[1:-1] = values[:-2]
        width[1:-1] = np.where(values[:-2] == values[2:], np.minimum(before[:-2], behind[2:]), 0)
    return guess, width


def _between(
    values: "NDArray[np.int64]", ranks: "NDArray[np.integer]", asked: "NDArray[np.integer]"
) -> "tuple[NDArray[np.int64], NDArray[np.int64]]":
    """Return the value around further records, and how many on both sides share it, one of them left out."""
    if not len(values):
        return np.zeros(len(asked), dtype=np.int64), np.zeros(len(asked), dtype=np.int64)
    before, behind = _runs(values)
    right = np.searchsorted(ranks, asked)
    left, right = np.maximum(right - 1, 0), np.minimum(right, len(values) - 1)
    agree = values[left] == values[right]
    # a person's own record may be one of the neighbors
    width = np.where(agree, np.minimum(before[left], behind[right]) - 1, 0)
    return values[left], width
