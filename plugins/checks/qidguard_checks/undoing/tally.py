"""What the other records of a group say of a record: the majority of their values, and how clear it is."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from qidguard.undoing.persons import dense

if TYPE_CHECKING:
    from numpy.typing import NDArray

DENSE = 1 << 15
"""Pairs of a group and a value up to which counting in a full table is quicker than sorting."""


@dataclass(frozen=True, kw_only=True)
class Tally:
    """What the others of each record's group say.

    Args:
        guess: Shape (records,), the most frequent value of the group.
        others: Shape (records,), how many others the group has, N − 1.
        votes: Shape (records,), how many of them have the guess: m₁, or m₁ − 1 where it is the own value.
        next: Shape (records,), how many have the next value.
    """

    guess: "NDArray[np.int64]" = field(repr=False)
    others: "NDArray[np.int64]" = field(repr=False)
    votes: "NDArray[np.int64]" = field(repr=False)
    next: "NDArray[np.int64]" = field(repr=False)

    @property
    def certainty(self) -> "NDArray[np.float64]":
        """Shape (records,), the share of the others who have the guess; 0 in a group of one."""
        return self.votes / np.maximum(self.others, 1)


def tally_of(groups: "NDArray[np.integer]", values: "NDArray[np.int64]") -> Tally:
    """Return what the others of each record's group say of its value, from counts and no split.

    Args:
        groups: Shape (records,), the group of each record, ≥ 0.
        values: Shape (records,), the value of each, ≥ 0.
    """
    if not len(values):
        nothing = np.empty(0, dtype=np.int64)
        return Tally(guess=nothing, others=nothing, votes=nothing, next=nothing)
    group, size = dense(groups)
    kinds = int(values.max(initial=0)) + 1
    keys = group * kinds + values
    if size * kinds <= max(DENSE, 2 * len(group)):
        table = np.bincount(keys, minlength=size * kinds).reshape(size, kinds)
        guess, total = table.argmax(axis=1), table.sum(axis=1)
        every = np.arange(size)
        most = table[every, guess]
        table[every, guess] = 0
        second = table.max(axis=1, initial=0)
    else:
        cells = np.sort(keys)
        first = np.flatnonzero(np.diff(cells, prepend=-1))
        counts = np.diff(first, append=len(cells))
        group_of, value_of = np.divmod(cells[first], kinds)
        starts = np.flatnonzero(np.diff(group_of, prepend=-1))
        total, most = np.add.reduceat(counts, starts), np.maximum.reduceat(counts, starts)
        top = np.flatnonzero(counts == most[group_of])[::-1]  # of values that are as frequent the first
        place = np.empty(size, dtype=np.int64)
        place[group_of[top]] = top
        guess = value_of[place]
        counts[place] = 0
        second = np.maximum.reduceat(counts, starts)
    is_own = guess[group] == values
    return Tally(guess=guess[group], others=total[group] - 1, votes=most[group] - is_own, next=second[group])
