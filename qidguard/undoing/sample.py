"""Some records, each of another person, on which columns are tried before all are."""

from typing import TYPE_CHECKING

import numpy as np

from qidguard.undoing.gates import PRECISION
from qidguard.undoing.target import Target

if TYPE_CHECKING:
    from numpy.typing import NDArray


def draw(
    target: Target, records: "NDArray[np.int64]", most: int, generator: np.random.Generator
) -> "NDArray[np.int64]":
    """Return at most so many of some records in no order, open ones rather than others."""
    is_open = target.is_open[records]
    open_ones = _some(records[is_open], most, generator)
    others = _some(records[~is_open], most - len(open_ones), generator)
    return generator.permutation(np.concatenate([open_ones, others]))


def _some(records: "NDArray[np.int64]", most: int, generator: np.random.Generator) -> "NDArray[np.int64]":
    if len(records) <= most:
        return records
    chosen: NDArray[np.int64] = records[generator.choice(len(records), most, replace=False, shuffle=False)]
    return chosen


def draw_groups(
    target: Target,
    records: "NDArray[np.int64]",
    codes: "NDArray[np.integer]",
    most: int,
    generator: np.random.Generator,
) -> "NDArray[np.int64]":
    """Return records of whole groups: a plain sample meets one record each of values that are rare.

    Args:
        target: The quasi-identifier; groups without an open record tell nothing and are left out.
        records: Records, each of another person.
        codes: Shape (all records,), the group of each.
        most: How many to return at most, beside the rest of the last group.
        generator: Chooses the groups.
    """
    group = codes if len(records) == len(codes) else codes[records]
    sizes = np.bincount(group)
    is_asked = np.zeros(len(sizes), dtype=np.bool_)
    is_open = target.is_open if len(records) == len(codes) else target.is_open[records]
    is_asked[group[is_open]] = True
    order = generator.permutation(np.flatnonzero(is_asked))
    is_taken = np.zeros(len(sizes), dtype=np.bool_)
    is_taken[order[np.cumsum(sizes[order]) - sizes[order] < most]] = True
    taken: NDArray[np.int64] = records[is_taken[group]]
    return taken


DENSE = 1 << 15
"""Cells up to which counting in a full table is quicker than sorting."""


def most_told(target: Target, groups: "NDArray[np.int64]", size: int, floor: float) -> int:
    """Return how many hidden records groups tell rightly, before chance is ruled out.

    Args:
        target: The quasi-identifier over records of different persons.
        groups: Shape (records,), the group of each, 0..size−1.
        size: One more than the largest group.
        floor: What is below it need not be exact.
    """
    keys = groups * target.kinds + target.values
    if size * target.kinds <= DENSE:
        counts = np.bincount(keys, minlength=size * target.kinds).reshape(size, target.kinds)
        top = counts.argmax(axis=1)
        every = np.arange(size)
        others, largest = counts.sum(axis=1) - 1, counts[every, top] - 1
        certain = np.flatnonzero((others >= 1) & (largest >= PRECISION * others))
        if (largest[certain] + 1).sum() < floor:
            return 0
        hidden = np.bincount(keys[target.is_hidden], minlength=size * target.kinds)
        return int(hidden[certain * target.kinds + top[certain]].sum())
    keys = np.sort(keys * 2 + target.is_hidden)
    cells = keys >> 1
    starts = np.flatnonzero(np.diff(cells, prepend=-1))
    counts = np.diff(starts, append=len(keys))
    group_of = cells[starts] // target.kinds
    first = np.flatnonzero(np.diff(group_of, prepend=-1))
    largest, others = np.maximum.reduceat(counts, first) - 1, np.add.reduceat(counts, first) - 1
    sure = (others >= 1) & (largest >= PRECISION * others)
    if (largest[sure] + 1).sum() < floor:
        return 0
    place = np.cumsum(np.diff(group_of, prepend=group_of[:1]) != 0)
    is_top = sure[place] & (counts - 1 == largest[place])
    hidden = np.add.reduceat(keys & 1, starts)
    return int(hidden[is_top].sum())


BROAD = 50
"""Mean records of a published value from which groups within it tell no less than across all."""


def may_tell(target: Target, codes: "NDArray[np.int64]", size: int, floor: float) -> bool:
    """Return whether groups may tell so many hidden records.

    A published value mostly follows from the original one, so a group that tells within it is as large as
    the whole group; only where it hardly repeats are the groups looked at without it too.
    """
    beside = target.published * size + codes
    if most_told(target, beside, size * target.classes, floor) >= floor:
        return True
    return target.classes * BROAD > len(codes) and most_told(target, codes, size, floor) >= floor
