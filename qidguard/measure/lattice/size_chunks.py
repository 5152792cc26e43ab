"""From partitions to chunks of class sizes, where persons are records and no attribute is looked at."""

from collections.abc import Iterator

import numpy as np

from qidguard.measure.lattice.chunk import Chunk
from qidguard.measure.lattice.kernel import Kernel, Tail
from qidguard.measure.lattice.levels import Level
from qidguard.measure.lattice.partition import Partition
from qidguard.measure.lattice.records import Ints, Records
from qidguard.measure.lattice.tail import tail_codes, tail_of
from qidguard.measure.lattice.walk import Found

_ENOUGH = 1 << 19
"""Rows at which a chunk is handed on."""
_COUNTED = 1 << 9
"""Sizes of classes left behind below are counted with the others, larger ones added one by one."""


class SizeChunks:
    """Makes chunks out of partitions.

    Args:
        records: The records.
        tail: How many columns at the end are summed out.
    """

    def __init__(self, records: Records, tail: int) -> None:
        self._records = records
        self._tail = tail_of(records.cardinalities[len(records.columns) - tail :])
        self._codes: dict[int, Ints] = {}

    def of(self, found: Found, kernel: Kernel) -> Iterator[Chunk]:
        """Yield chunks with the classes of the wanted sets."""
        pending = _Pending(self._tail, kernel)
        for partition, wanted in found:
            pending.add(partition, self._codes_in(partition.level), wanted)
            if pending.rows >= _ENOUGH:
                yield pending.taken()
        if pending.rows:
            yield pending.taken()

    def _codes_in(self, level: Level) -> Ints:
        if level.start not in self._codes:
            # two threads may come here at once: both find the same
            self._codes[level.start] = tail_codes(self._records, self._tail.columns, level)
        return self._codes[level.start]


class _Pending:
    """Classes that wait for a chunk to be full."""

    def __init__(self, tail: Tail, kernel: Kernel) -> None:
        self.rows = 0
        self._tail = tail
        self._kernel = kernel
        self._sets: list[int] = []
        self._pieces: list[tuple[Ints, Ints, Ints]] = []

    def add(self, partition: Partition, codes: Ints, wanted: list[tuple[int, int]]) -> None:
        """Add the classes of sets that are one partition's."""
        start, dropped = len(self._sets), partition.dropped
        self._sets += [row for _, row in wanted]
        masks = np.array([mask for mask, _ in wanted], dtype=np.int64)
        owner, size, times = self._kernel.sizes(
            partition, self._tail, codes, masks, dropped.counted[:_COUNTED]
        )
        self._keep(owner + start, size, times)
        size, times = dropped.from_size(_COUNTED)
        if len(size):
            owner = np.repeat(np.arange(start, start + len(wanted)), len(size))
            self._keep(owner, np.tile(size, len(wanted)), np.tile(times, len(wanted)))

    def _keep(self, owner: Ints, size: Ints, times: Ints) -> None:
        self._pieces.append((owner, size, times))
        self.rows += len(owner)

    def taken(self) -> Chunk:
        """Return what waits, by set, and wait for more."""
        owner, size, times = (np.concatenate([piece[i] for piece in self._pieces]) for i in range(3))
        order = np.argsort(owner, kind="stable")
        chunk = Chunk(
            sets=np.array(self._sets, dtype=np.int64),
            starts=np.searchsorted(owner.take(order), np.arange(len(self._sets))),
            size=size.take(order),
            times=times.take(order),
        )
        self.rows, self._sets, self._pieces = 0, [], []
        return chunk
