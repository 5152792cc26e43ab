"""What other records say of a record: the majority of its group, or neighbors; and who counts once."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

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


NATURAL = 20
"""Records a distinct row from which the table is so narrow that different persons share their rows."""


def persons_of(
    codes: "NDArray[np.integer] | None", rows: "Iterable[NDArray[np.integer]]"
) -> "NDArray[np.int64]":
    """Return the number of each record's person, 0..persons−1.

    Args:
        codes: Shape (records,), a code of the person; None where nobody says, and equal rows count as one
            person, unless rows repeat so often that different persons must share them.
        rows: The columns by which rows are compared, each of shape (records,).
    """
    if codes is not None:
        return dense(np.asarray(codes, dtype=np.int64))[0]
    # a random sum of mixed codes: two different rows share one with a chance of about 2^−64
    generator = np.random.default_rng(20261122)
    mixed: NDArray[np.uint64] | None = None
    for column in rows:
        factor, shift = generator.integers(1, 2**63, 2, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
        value = (column.astype(np.uint64) + shift) * factor
        value ^= value >> np.uint64(29)
        value *= np.uint64(0xBF58476D1CE4E5B9)
        value ^= value >> np.uint64(32)
        mixed = value if mixed is None else mixed + value
    if mixed is None:
        return np.empty(0, dtype=np.int64)
    numbers, distinct = dense(mixed.view(np.int64))
    return np.arange(len(numbers)) if distinct * NATURAL <= len(numbers) else numbers


def dense(codes: "NDArray[np.integer]") -> "tuple[NDArray[np.int64], int]":
    """Return codes 0, 1, … without a gap, in the same order, and how many there are."""
    if not len(codes):
        return np.empty(0, dtype=np.int64), 0
    low, high = int(codes.min()), int(codes.max())
    if low >= 0 and high <= 4 * len(codes) + 1024:
        seen = np.zeros(high + 1, dtype=np.bool_)
        seen[codes] = True
        place = np.cumsum(seen) - 1
        return place[codes], int(place[-1]) + 1
    bits = len(codes).bit_length()
    if (high - low).bit_length() + bits > 62:  # noqa: PLR2004 - a key has one bit for its sign
        values, inverse = np.unique(codes, return_inverse=True)
        return inverse.astype(np.int64, copy=False), len(values)
    # to sort a value with its place in one number is quicker than to sort places by values
    packed = (codes.astype(np.int64) - low << bits) | np.arange(len(codes))
    packed.sort()
    rank = np.cumsum(np.diff(packed >> bits, prepend=-1) != 0) - 1
    place = np.empty(len(codes), dtype=np.int64)
    place[packed & ((1 << bits) - 1)] = rank
    return place, int(rank[-1]) + 1
