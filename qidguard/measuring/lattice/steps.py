"""The steps of the walk over arrays, which take the time: classes are split, merged and summed up."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qidguard.engines.classes import Floats, Ints


@dataclass(frozen=True, slots=True)
class Classes:
    """Rows in classes.

    Args:
        rows: The level's rows.
        weights: How many records each row stands for, None where each stands for one person alone.
        group: The class of each row, 0..groups−1.
        groups: Number of classes.
    """

    rows: Ints
    weights: Floats | None
    group: Ints
    groups: int


@dataclass(frozen=True, slots=True)
class Split:
    """What a step leaves.

    Args:
        shared: The rows that share their class with another, in their old order; classes numbered anew.
        lost: The rows that are a class of their own.
        lost_weights: How many records each of those stands for, None where each stands for one.
    """

    shared: Classes
    lost: Ints
    lost_weights: Floats | None


@dataclass(frozen=True, slots=True)
class Tail:
    """The columns at the end of the walk, whose subsets are summed out of the cells of them all.

    All subsets' cells lie in one row of numbers: first those of all columns, then those of each smaller set.

    Args:
        columns: How many columns there are.
        cells: Number of cells of all columns together, ≥ 1.
        into: Adding cell ``source[i]`` into cell ``into[i]``, one after the other, fills all sets' cells.
        source: See ``into``; as long.
        mask: For each cell the set that it belongs to, bit i being the tail's column i.
    """

    columns: int
    cells: int
    into: Ints
    source: Ints
    mask: Ints


_BITS = 63


def ranked(key: Ints) -> tuple[Ints, Ints]:
    """Return the positions of the keys in ascending order, and the keys in that order; none is negative."""
    place = len(key).bit_length()
    if int(key.max(initial=0)).bit_length() + place > _BITS:
        order = np.argsort(key)
        return order, key.take(order)
    # a key and its place in one number: sorting those costs less than sorting places by their keys
    both = key << place
    both |= np.arange(len(key))
    both.sort()
    return both & ((1 << place) - 1), both >> place


def is_new(keys: Ints) -> NDArray[np.bool_]:
    """Return where a run of equal numbers begins."""
    found = np.ones(len(keys), dtype=np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=found[1:])
    return found


_COUNTED = 1 << 9
"""Class sizes below are counted, larger ones listed: there are few of them."""


def split(classes: Classes, codes: Ints, cardinality: int) -> Split:
    """Split classes by one more column."""
    key = classes.group * cardinality
    key += codes.take(classes.rows)
    return _stripped(classes, key, classes.groups * cardinality)


def merge(classes: Classes, number: Ints, first: Ints, span: int, *, is_counted: bool) -> Split:
    """Let rows of one class that are one row of a later level become one."""
    later = number.take(first.take(classes.rows))
    order, keys = ranked(classes.group * span + later)
    starts = np.flatnonzero(is_new(keys))
    kept = order.take(starts)
    weights = None
    if is_counted and (classes.weights is not None or len(starts) < len(keys)):
        if classes.weights is None:
            weights = np.diff(starts, append=len(keys)).astype(np.float64)
        else:
            weights = np.add.reduceat(classes.weights.take(order), starts)
    group = classes.group.take(kept)
    return _stripped(Classes(later.take(kept), weights, group, classes.groups), group, classes.groups)


def sizes(classes: Classes, tail: Tail, codes: Ints, masks: Ints, alone: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the persons in each class of some sets: the set's place, the size, how often."""
    groups, key = classes.groups, classes.group
    if tail.columns:
        key = codes.take(classes.rows) * groups + key
    whole = np.bincount(key, weights=classes.weights, minlength=tail.cells * groups)
    size = np.zeros((len(tail.mask), groups), dtype=np.int64)
    size[: tail.cells] = whole.reshape(tail.cells, groups)
    for into, source in zip(tail.into.tolist(), tail.source.tolist(), strict=True):
        size[into] += size[source]
    place = np.full(1 << tail.columns, -1)
    place[masks] = np.arange(len(masks))
    owner = place.take(tail.mask)
    if (owner < 0).any():
        size, owner = size[owner >= 0], owner[owner >= 0]
    return _counted(size, owner, len(masks), alone)


def _counted(size: Ints, owner: Ints, sets: int, alone: Ints) -> tuple[Ints, Ints, Ints]:
    width = max(int(size.max(initial=0)) + 1, len(alone))
    large: Ints | None = None
    if width > max(_COUNTED, size.size // sets):
        cell, group = np.nonzero(size >= _COUNTED)
        large, large_owner = size[cell, group], owner.take(cell)
        size[cell, group] = 0
        width = max(_COUNTED, len(alone))
    counted = np.bincount((size + (owner * width)[:, None]).reshape(-1), minlength=sets * width)
    counted = counted.reshape(sets, width)
    counted[:, 0] = 0  # cells that nobody is in
    counted[:, : len(alone)] += alone
    of, found = np.nonzero(counted)
    times = counted[of, found]
    if large is None:
        return of, found, times
    return (
        np.concatenate((of, large_owner)),
        np.concatenate((found, large)),
        np.concatenate((times, np.ones(len(large), dtype=np.int64))),
    )


def _stripped(classes: Classes, key: Ints, span: int) -> Split:
    """Return new classes, numbered anew, those of one row left behind."""
    number = np.bincount(key, minlength=span)
    is_shared = number > 1
    shared = np.flatnonzero(is_shared)
    is_kept = is_shared.take(key)
    number[shared] = np.arange(len(shared))
    rows, weights = classes.rows.compress(is_kept), classes.weights
    if len(rows) == len(key):
        return Split(Classes(rows, weights, number.take(key), len(shared)), rows[:0], None)
    is_lost = ~is_kept
    kept = Classes(
        rows,
        None if weights is None else weights.compress(is_kept),
        number.take(key.compress(is_kept)),
        len(shared),
    )
    return Split(kept, classes.rows.compress(is_lost), None if weights is None else weights.compress(is_lost))
