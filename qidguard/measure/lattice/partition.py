"""Stripped partitions: the classes of a set of columns, without those that no column can split further.

Refining a partition by one more column touches only rows that still share their class with another row
(Huhtala, Kärkkäinen, Porkka & Toivonen 1999, TANE, The Computer Journal 42, section 3).
"""

from dataclasses import dataclass

import numpy as np

from qidguard.measure.lattice.dropped import NOTHING, Dropped
from qidguard.measure.lattice.levels import Level
from qidguard.measure.lattice.records import Floats, Ints, Records

_DENSE = 16
"""Keys a row up to which rows are counted in an array; beyond, sorting them costs less."""
_DENSE_FREE = 4096


@dataclass(frozen=True, slots=True)
class Partition:
    """Classes of at least two rows each, and those left behind.

    Args:
        level: The level whose rows are meant.
        rows: The level's rows that are in the classes.
        weights: How many records each row stands for, None where each stands for one person alone.
        group: The class of each row, 0..groups−1.
        groups: Number of classes.
        dropped: The classes of one row.
    """

    level: Level
    rows: Ints
    weights: Floats | None
    group: Ints
    groups: int
    dropped: Dropped


def undivided(level: Level) -> Partition:
    """Return all rows of a level in one class."""
    rows = np.arange(level.rows)
    return Partition(level, rows, level.weights, np.zeros(level.rows, dtype=np.int64), 1, NOTHING)


def refined(records: Records, partition: Partition, column: int) -> Partition:
    """Return the partition split by one more column, which the level must have."""
    codes = partition.level.columns[column]
    if codes is None:
        raise ValueError("the level has left this column behind")
    cardinality = records.cardinalities[column]
    key = partition.group * cardinality
    key += codes.take(partition.rows)
    return _stripped(records, partition, key, partition.groups * cardinality)


def merged(records: Records, partition: Partition, level: Level) -> Partition:
    """Return the partition over a later level: rows that agree on all columns ahead become one."""
    number = level.number.take(partition.level.first.take(partition.rows))
    key = partition.group * level.rows + number
    order = np.argsort(key)
    ranked = key.take(order)
    starts = np.flatnonzero(_is_new(ranked))
    first = order.take(starts)
    weights = None
    if records.entity is None and (partition.weights is not None or len(starts) < len(key)):
        given = partition.weights
        lengths = np.diff(starts, append=len(key)).astype(np.float64)
        weights = lengths if given is None else np.add.reduceat(given.take(order), starts)
    together = Partition(
        level, number.take(first), weights, partition.group.take(first), partition.groups, partition.dropped
    )
    return _stripped(records, together, together.group, together.groups)


def _stripped(records: Records, partition: Partition, key: Ints, span: int) -> Partition:
    """Return the partition with new classes, numbered anew, those of one row left behind."""
    if span > _DENSE * len(key) + _DENSE_FREE:
        return _stripped_by_order(records, partition, key)
    number = np.bincount(key, minlength=span)
    is_shared = number > 1
    shared = np.flatnonzero(is_shared)
    is_kept = is_shared.take(key)
    number[shared] = np.arange(len(shared))
    rows = partition.rows.compress(is_kept)
    if len(rows) == len(key):
        group = number.take(key)
        return Partition(partition.level, rows, partition.weights, group, len(shared), partition.dropped)
    return Partition(
        partition.level,
        rows,
        None if partition.weights is None else partition.weights.compress(is_kept),
        number.take(key.compress(is_kept)),
        len(shared),
        _left_behind(records, partition, ~is_kept, len(key) - len(rows)),
    )


def _stripped_by_order(records: Records, partition: Partition, key: Ints) -> Partition:
    order = np.argsort(key)
    is_new = _is_new(key.take(order))
    is_kept = np.ones(len(key), dtype=np.bool_)
    np.logical_not(is_new[:-1] & is_new[1:], out=is_kept[:-1])
    is_kept[-1:] = ~is_new[-1:]
    kept = order.compress(is_kept)
    group = np.cumsum(is_new.compress(is_kept)) - 1
    dropped = partition.dropped
    if len(kept) < len(key):
        lost = order.compress(~is_kept)
        is_lost = np.zeros(len(key), dtype=np.bool_)
        is_lost[lost] = True
        dropped = _left_behind(records, partition, is_lost, len(lost))
    return Partition(
        partition.level,
        partition.rows.take(kept),
        None if partition.weights is None else partition.weights.take(kept),
        group,
        int(group[-1]) + 1 if len(group) else 0,
        dropped,
    )


def _left_behind(
    records: Records,
    partition: Partition,
    is_lost: "np.ndarray[tuple[int, ...], np.dtype[np.bool_]]",
    count: int,
) -> Dropped:
    level = partition.level
    if partition.weights is None and level.attribute is None and level.entity is None:
        return partition.dropped.plus_ones(count)
    rows = partition.rows.compress(is_lost)
    keys = np.full(count, records.values, dtype=np.int64)
    if partition.weights is not None:
        keys *= partition.weights.compress(is_lost).astype(np.int64)
    if level.attribute is not None:
        keys += level.attribute.take(rows)
    return partition.dropped.plus(keys, None if level.entity is None else level.entity.take(rows))


def _is_new(ranked: Ints) -> "np.ndarray[tuple[int, ...], np.dtype[np.bool_]]":
    """Return where a run of equal numbers begins."""
    found = np.ones(len(ranked), dtype=np.bool_)
    np.not_equal(ranked[1:], ranked[:-1], out=found[1:])
    return found
