"""Records counted by group and original value: what groups may tell, before single records are looked at."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from qidguard.undoing.gates import PRECISION
from qidguard.undoing.target import Target

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

DENSE = 1 << 17
"""Keys up to which counting in a full table is quicker than sorting."""

_FLAGS = 2
"""Bits of a key that say whether a record is open, and whether it is hidden."""


@dataclass(frozen=True, kw_only=True)
class Cells:
    """Counts of the records of each group and original value, each record of another person.

    Args:
        counts: Shape (cells,), how many records they are; the cells of a group stand together, by value.
        known: Shape (cells,), how many of them are hidden.
        asked: Shape (cells,), how many of them are open.
        first: Shape (groups,), the place of each group's first cell.
    """

    counts: "NDArray[np.int64]" = field(repr=False)
    known: "NDArray[np.int64]" = field(repr=False)
    asked: "NDArray[np.int64]" = field(repr=False)
    first: "NDArray[np.int64]" = field(repr=False)

    def most_told(self) -> int:
        """Return how many hidden records groups tell rightly, before chance is ruled out."""
        others = self.others
        sure = (others >= 1) & (self.largest - 1 >= PRECISION * others)
        is_top = sure[self._group] & (self.counts == self.largest[self._group])
        return int(self.known[is_top].sum())

    def may_be_precise(self, supports: "Sequence[int]", least: float) -> bool:
        """Return whether enough of what groups tell is right with some support, and so much is told at all.

        Args:
            supports: How many others a group must have at least.
            least: How many hidden records must be told.
        """
        others, persons = self.others, np.maximum(self.others, 1)
        # of values that are as frequent the first is the guess
        place = np.flatnonzero(self.counts == self.largest[self._group])[::-1]
        guess = np.empty(len(self.first), dtype=np.int64)
        guess[self._group[place]] = place
        is_sure = (others >= 1) & ((self.largest - 1) / persons >= PRECISION)
        if self.known[guess[is_sure]].sum() < least:
            return False
        # whoever has another value sees the whole majority
        asked = np.add.reduceat(self.asked, self.first) - self.asked[guess]
        misled = np.where((others >= 1) & (self.largest / persons >= PRECISION), asked, 0)
        right = np.where(is_sure, self.asked[guess], 0)
        for support in supports:
            is_enough = others >= support
            rights, wrongs = int(right[is_enough].sum()), int(misled[is_enough].sum())
            if rights and rights >= PRECISION * (rights + wrongs):
                return True
        return False

    @cached_property
    def largest(self) -> "NDArray[np.int64]":
        """Shape (groups,), the records of each group's most frequent value."""
        largest: NDArray[np.int64] = np.maximum.reduceat(self.counts, self.first)
        return largest

    @cached_property
    def others(self) -> "NDArray[np.int64]":
        """Shape (groups,), the records of each group but one."""
        others: NDArray[np.int64] = np.add.reduceat(self.counts, self.first) - 1
        return others

    @cached_property
    def _group(self) -> "NDArray[np.int64]":
        return np.repeat(np.arange(len(self.first)), np.diff(self.first, append=len(self.counts)))


def cells_of(target: Target, groups: "NDArray[np.integer]", size: int) -> Cells:
    """Return the records counted by group and value.

    Args:
        target: The quasi-identifier over one or more records of different persons.
        groups: Shape (records,), the group of each, 0..size−1.
        size: One more than the largest group.
    """
    low, bits = _low_keys(target)
    keys = (groups.astype(np.int64) << bits) | low
    if size << bits <= DENSE:
        table = np.bincount(keys, minlength=size << bits).reshape(-1, 1 << _FLAGS)
        counts = table.sum(axis=1)
        used = np.flatnonzero(counts)
        asked, known = table[used, 2] + table[used, 3], table[used, 3]
        group = used >> (bits - _FLAGS)
        return Cells(
            counts=counts[used], known=known, asked=asked, first=np.flatnonzero(np.diff(group, prepend=-1))
        )
    keys.sort()
    starts = np.flatnonzero(np.diff(keys >> _FLAGS, prepend=-1))
    return Cells(
        counts=np.diff(starts, append=len(keys)),
        known=np.add.reduceat(keys & 1, starts),
        asked=np.add.reduceat((keys >> 1) & 1, starts),
        first=np.flatnonzero(np.diff(keys[starts] >> bits, prepend=-1)),
    )


def most_told_of_each(target: Target, groups: "NDArray[np.int64]") -> "NDArray[np.int64]":
    """Return for each of several groupings what ``Cells.most_told`` gives.

    Args:
        target: The quasi-identifier over one or more records of different persons.
        groups: Shape (groupings, records), the group of each record, ≥ 0.
    """
    low, bits = _low_keys(target)
    keys = (groups << bits) | low
    keys.sort(axis=1)
    flat = keys.reshape(-1)
    starts = _starts(keys >> _FLAGS)
    counts = np.diff(starts, append=len(flat))
    is_first = _is_start(keys >> bits).reshape(-1)[starts]
    first = np.flatnonzero(is_first)
    others = np.add.reduceat(counts, first) - 1
    largest = np.maximum.reduceat(counts, first)
    sure = np.flatnonzero((others >= 1) & (largest - 1 >= PRECISION * others))
    least = np.full(len(first), np.iinfo(np.int64).max)
    least[sure] = largest[sure]
    top = np.flatnonzero(counts == least[np.cumsum(is_first) - 1])
    ends = starts[top] + counts[top]
    hidden = np.concatenate([[0], np.cumsum(flat & 1)])
    told = hidden[ends] - hidden[starts[top]]
    found: NDArray[np.int64] = np.bincount(
        starts[top] // keys.shape[1], weights=told, minlength=len(keys)
    ).astype(np.int64)
    return found


def _low_keys(target: Target) -> "tuple[NDArray[np.int64], int]":
    """Return value and flags of each record in one number, and the bits that it takes."""
    return target.low_keys, target.kinds.bit_length() + _FLAGS


def _is_start(rows: "NDArray[np.int64]") -> "NDArray[np.bool_]":
    is_start = np.empty(rows.shape, dtype=np.bool_)
    is_start[:, 0] = True
    np.not_equal(rows[:, 1:], rows[:, :-1], out=is_start[:, 1:])
    return is_start


def _starts(rows: "NDArray[np.int64]") -> "NDArray[np.int64]":
    return np.flatnonzero(_is_start(rows))
