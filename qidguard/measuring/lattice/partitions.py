"""Where partitions come from: a walk over all that is wanted, or a memory of those met before."""

from collections import OrderedDict
from collections.abc import Sequence
from functools import cached_property
from typing import Protocol

from qidguard.measuring.lattice.levels import Level, levels_of, whole_level
from qidguard.measuring.lattice.partition import Partition, refined, undivided
from qidguard.measuring.lattice.records import LatticeRecords
from qidguard.measuring.lattice.walk import Found, Walk, WantedSets

_MOST_KEPT = 4096
"""Partitions that are kept at most: all of them are looked through for a parent."""


class PartitionSource(Protocol):
    """Gives the partitions of sets; ``tail`` columns at the end are left to be summed out."""

    tail: int

    def of(self, masks: Sequence[int]) -> Found:
        """Yield the partitions of sets, none twice, none empty, bit i being the records' column i."""


class WalkedPartitions:
    """Every set's partition from its parent's, depth first: best where many sets are asked for together.

    The records have their columns with many values first; the last ``tail`` of them are summed out.
    """

    def __init__(self, records: LatticeRecords, tail: int) -> None:
        self.tail = tail
        self._records = records

    def of(self, masks: Sequence[int]) -> Found:
        """Yield the partitions of sets."""
        return Walk(self._records, WantedSets(masks, self._head), self._levels).partitions()

    @property
    def _head(self) -> int:
        return len(self._records.columns) - self.tail

    @cached_property
    def _levels(self) -> tuple[Level, ...]:
        return levels_of(self._records, self._head)


class RememberedPartitions:
    """Every set's partition from that of its largest part still in memory, of which there are some bytes."""

    def __init__(self, records: LatticeRecords, memory: int) -> None:
        self.tail = 0
        self._records = records
        self._memory = memory
        self._kept: OrderedDict[int, Partition] = OrderedDict()
        self._bytes = 0
        self._root = undivided(whole_level(records))

    def of(self, masks: Sequence[int]) -> Found:
        """Yield the partitions of sets."""
        if self._records.rows:
            for row, mask in enumerate(masks):
                yield self._partition(mask), [(0, row)]

    def _partition(self, mask: int) -> Partition:
        found = max((m for m in self._kept if m & ~mask == 0), key=int.bit_count, default=0)
        partition = self._root
        if found:
            self._kept.move_to_end(found)
            partition = self._kept[found]
        left = mask & ~found
        while left:
            bit = left & -left
            left ^= bit
            partition = refined(self._records, partition, bit.bit_length() - 1)
            found |= bit
            self._keep(found, partition)
        return partition

    def _keep(self, mask: int, partition: Partition) -> None:
        self._kept[mask] = partition
        self._bytes += _bytes(partition)
        while len(self._kept) > 1 and (self._bytes > self._memory or len(self._kept) > _MOST_KEPT):
            _, oldest = self._kept.popitem(last=False)
            self._bytes -= _bytes(oldest)


def _bytes(partition: Partition) -> int:
    weights = 0 if partition.weights is None else partition.weights.nbytes
    dropped = partition.dropped
    listed = sum(piece.nbytes for piece in (*dropped.listed, *dropped.entities))
    return partition.rows.nbytes + partition.group.nbytes + weights + dropped.counted.nbytes + listed
