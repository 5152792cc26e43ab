"""Stripped partitions: the classes of a set of columns, without those that no column can split further.

Refining a partition by one more column touches only rows that still share their class with another row
(Huhtala, Kärkkäinen, Porkka & Toivonen 1999, TANE, The Computer Journal 42, section 3).
"""

from dataclasses import dataclass

import numpy as np

from qidguard.measure.lattice.dropped import NOTHING, Dropped
from qidguard.measure.lattice.kernel import Classes, Kernel, Split
from qidguard.measure.lattice.levels import Level
from qidguard.measure.lattice.numpy_kernel import NUMPY
from qidguard.measure.lattice.ranked import is_new, ranked
from qidguard.measure.lattice.records import Ints, Records

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


def refined(records: Records, partition: Partition, column: int, kernel: Kernel = NUMPY) -> Partition:
    """Return the partition split by one more column, which the level must have."""
    codes = partition.level.columns[column]
    if codes is None:
        raise ValueError("the level has left this column behind")
    cardinality = records.cardinalities[column]
    if partition.groups * cardinality > _DENSE * len(partition.rows) + _DENSE_FREE:
        split = _split_by_order(partition, partition.group * cardinality + codes.take(partition.rows))
    else:
        split = kernel.split(partition, codes, cardinality)
    return _kept(records, partition.dropped, partition.level, split)


def merged(records: Records, partition: Partition, level: Level, kernel: Kernel) -> Partition:
    """Return the partition over a later level: rows that agree on all columns ahead become one."""
    split = kernel.merge(
        partition, level.number, partition.level.first, level.rows, is_counted=records.entity is None
    )
    return _kept(records, partition.dropped, level, split)


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


def _kept(records: Records, dropped: Dropped, level: Level, split: Split) -> Partition:
    if len(split.lost):
        dropped = _left_behind(records, dropped, level, split)
    kept = split.shared
    return Partition(kept.rows, kept.weights, kept.group, kept.groups, level, dropped)


def _left_behind(records: Records, dropped: Dropped, level: Level, split: Split) -> Dropped:
    lost = split.lost
    if split.lost_weights is None and level.attribute is None and level.entity is None:
        return dropped.plus_ones(len(lost))
    if split.lost_weights is None:
        keys = np.full(len(lost), records.values, dtype=np.int64)
    else:
        keys = split.lost_weights.astype(np.int64) * records.values
    if level.attribute is not None:
        keys += level.attribute.take(lost)
    return dropped.plus(keys, None if level.entity is None else level.entity.take(lost))
