"""Stripped partitions: the classes of a set of columns, without those that no column can split further.

Refining a partition by one more column touches only rows that still share their class with another row
(Huhtala, Kärkkäinen, Porkka & Toivonen 1999, TANE, The Computer Journal 42, section 3).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from qidguard.engines.classes import Ints
from qidguard.measuring.lattice.levels import Level
from qidguard.measuring.lattice.records import LatticeRecords
from qidguard.measuring.lattice.steps import Classes, Split, is_new, merge, ranked, split

_LARGEST_COUNTED = 1 << 16
"""Keys below are counted in an array, the few above are listed."""


@dataclass(frozen=True)
class Dropped:
    """A multiset of one-row classes, each known by ``size · values + attribute code``.

    Args:
        counted: How often each small key occurs.
        listed: The other keys, one by one.
        entities: The entities of the rows that were left behind, in pieces, where there are entities.
    """

    counted: Ints
    listed: tuple[Ints, ...] = ()
    entities: tuple[Ints, ...] = ()

    def plus_ones(self, rows: int) -> "Dropped":
        """Return these and that many classes of one person, in a table without attribute and entities."""
        counted = self.counted.copy() if len(self.counted) > 1 else np.zeros(2, dtype=np.int64)
        counted[1] += rows
        return Dropped(counted, self.listed)

    def plus(self, keys: Ints, entities: Ints | None) -> "Dropped":
        """Return these and the classes with these keys."""
        small = keys
        listed = self.listed
        if len(keys) and int(keys.max()) >= _LARGEST_COUNTED:
            is_small = keys < _LARGEST_COUNTED
            small, listed = keys[is_small], (*listed, keys[~is_small])
        counted = np.bincount(small, minlength=len(self.counted))
        counted[: len(self.counted)] += self.counted
        return Dropped(counted, listed, self.entities if entities is None else (*self.entities, entities))

    def from_size(self, least: int) -> tuple[Ints, Ints]:
        """Return the keys from some number on and how often each occurs; a key may come more than once."""
        if len(self.counted) <= least and not self.listed:
            return self.counted[:0], self.counted[:0]
        keys, times = self.pairs
        is_meant = keys >= least
        return keys.compress(is_meant), times.compress(is_meant)

    @cached_property
    def pairs(self) -> tuple[Ints, Ints]:
        """The keys and how often each occurs; a key may come more than once."""
        keys = np.flatnonzero(self.counted)
        times = self.counted.take(keys)
        if not self.listed:
            return keys, times
        listed = np.concatenate(self.listed)
        return np.concatenate((keys, listed)), np.concatenate((times, np.ones(len(listed), dtype=np.int64)))


NOTHING = Dropped(np.zeros(0, dtype=np.int64))
"""No class left behind yet."""


_DENSE = 16
"""Keys a row up to which rows are counted in an array; beyond, sorting them costs less."""
_DENSE_FREE = 4096


@dataclass(frozen=True, slots=True)
class Partition(Classes):
    """Classes of at least two of a level's rows each, and those left behind.

    Args:
        level: The level whose rows are meant.
        dropped: The classes of one row.
    """

    level: Level
    dropped: Dropped


def undivided(level: Level) -> Partition:
    """Return all rows of a level in one class."""
    everyone = np.arange(level.rows)
    return Partition(everyone, level.weights, np.zeros(level.rows, dtype=np.int64), 1, level, NOTHING)


def refined(records: LatticeRecords, partition: Partition, column: int) -> Partition:
    """Return the partition split by one more column, which the level must have."""
    codes = partition.level.columns[column]
    if codes is None:
        raise ValueError("the level has left this column behind")
    cardinality = records.cardinalities[column]
    if partition.groups * cardinality > _DENSE * len(partition.rows) + _DENSE_FREE:
        found = _split_by_order(partition, partition.group * cardinality + codes.take(partition.rows))
    else:
        found = split(partition, codes, cardinality)
    return _kept(records, partition.dropped, partition.level, found)


def merged(records: LatticeRecords, partition: Partition, level: Level) -> Partition:
    """Return the partition over a later level: rows that agree on all columns ahead become one."""
    found = merge(
        partition, level.number, partition.level.first, level.rows, is_counted=records.entity is None
    )
    return _kept(records, partition.dropped, level, found)


def _split_by_order(classes: Classes, key: Ints) -> Split:
    order, keys = ranked(key)
    is_first = is_new(keys)
    is_kept = np.ones(len(key), dtype=np.bool_)
    np.logical_not(is_first[:-1] & is_first[1:], out=is_kept[:-1])
    is_kept[-1:] = ~is_first[-1:]
    kept = order.compress(is_kept)
    lost = order.compress(~is_kept)
    group = np.cumsum(is_first.compress(is_kept)) - 1
    weights = classes.weights
    return Split(
        Classes(
            classes.rows.take(kept),
            None if weights is None else weights.take(kept),
            group,
            int(group[-1]) + 1 if len(group) else 0,
        ),
        classes.rows.take(lost),
        None if weights is None else weights.take(lost),
    )


def _kept(records: LatticeRecords, dropped: Dropped, level: Level, split: Split) -> Partition:
    if len(split.lost):
        dropped = _left_behind(records, dropped, level, split)
    kept = split.shared
    return Partition(kept.rows, kept.weights, kept.group, kept.groups, level, dropped)


def _left_behind(records: LatticeRecords, dropped: Dropped, level: Level, split: Split) -> Dropped:
    lost, weights = split.lost, split.lost_weights
    if level.attribute is not None and records.has_suppressed:
        # a class without a value has nothing to learn
        is_value = level.attribute.take(lost) != records.suppressed
        lost, weights = lost.compress(is_value), None if weights is None else weights.compress(is_value)
    if weights is None and level.attribute is None and level.entity is None:
        return dropped.plus_ones(len(lost))
    if weights is None:
        keys = np.full(len(lost), records.values, dtype=np.int64)
    else:
        keys = weights.astype(np.int64) * records.values
    if level.attribute is not None:
        keys += level.attribute.take(lost)
    return dropped.plus(keys, None if level.entity is None else level.entity.take(lost))
