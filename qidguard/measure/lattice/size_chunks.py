"""From partitions to chunks of class sizes, where persons are records and no attribute is looked at."""

from collections.abc import Iterable, Iterator, Sequence
from math import prod

import numpy as np

from qidguard.measure.lattice.chunk import Chunk
from qidguard.measure.lattice.partition import Partition
from qidguard.measure.lattice.records import Ints, Records

_ENOUGH = 1 << 19
"""Rows at which a chunk is handed on."""
_COUNTED = 1 << 9
"""Class sizes below are counted, larger ones listed: there are few of them."""
_MOST_CELLS = 16
"""Cells a class up to which the subsets of a tail of columns are summed out of the cells of them all."""


def tail_length(cardinalities: Sequence[int]) -> int:
    """Return how many columns at the end make the tail: whose subsets cost less summed out than split."""
    length = 0
    while length < len(cardinalities) and prod(c + 1 for c in cardinalities[-length - 1 :]) <= _MOST_CELLS:
        length += 1
    return length


def size_chunks(
    records: Records, tail: int, found: Iterable[tuple[Partition, list[tuple[int, int]]]]
) -> Iterator[Chunk]:
    """Yield chunks with the classes of the wanted sets."""
    pending = _Pending()
    for partition, wanted in found:
        pending.add(_tables(records, partition, tail, wanted), partition, [row for _, row in wanted])
        if pending.rows >= _ENOUGH:
            yield pending.chunk()
            pending = _Pending()
    if pending.rows:
        yield pending.chunk()


def _tables(records: Records, partition: Partition, tail: int, wanted: list[tuple[int, int]]) -> list[Ints]:
    """Return for each wanted set the persons of each of its classes that was not left behind, or 0."""
    head = len(records.columns) - tail
    key = partition.group
    for column in range(len(records.columns) - 1, head - 1, -1):
        codes = partition.level.columns[column]
        if codes is None:
            raise ValueError("the level has left this column behind")
        if column == len(records.columns) - 1:
            code = codes.take(partition.rows)
        else:
            code = code * records.cardinalities[column] + codes.take(partition.rows)
    shape = records.cardinalities[head:][::-1]
    if tail:
        key = code * partition.groups + key
    whole = np.bincount(key, weights=partition.weights, minlength=prod(shape) * partition.groups)
    if partition.weights is not None:
        whole = whole.astype(np.int64)
    if not tail:
        return [whole]
    # axis 0 is the last column: bit ``tail − 1`` of a set's mask
    full = (1 << tail) - 1
    known: dict[int, Ints] = {full: whole.reshape(*shape, partition.groups)}
    for mask in range(full - 1, -1, -1):
        # add the lowest column that is not in the set, and sum it out again
        bit = (~mask & (mask + 1)).bit_length() - 1
        parent = mask | 1 << bit
        axis = (parent >> bit + 1).bit_count()
        known[mask] = np.add.reduce(known[parent], axis=axis)
    return [known[mask].reshape(-1) for mask, _ in wanted]


class _Pending:
    """Classes that wait for a chunk to be full."""

    def __init__(self) -> None:
        self.rows = 0
        self._sets: list[int] = []
        self._pieces: list[tuple[Ints, Ints, Ints]] = []

    def add(self, tables: list[Ints], partition: Partition, sets: list[int]) -> None:
        """Add the classes of sets that are one partition's."""
        start = len(self._sets)
        self._sets += sets
        sizes = np.concatenate(tables)
        ends = np.cumsum([len(table) for table in tables])
        largest = int(sizes.max(initial=0))
        if largest >= max(_COUNTED, len(sizes) // len(tables)):
            large = np.flatnonzero(sizes >= _COUNTED)
            self._keep(
                np.searchsorted(ends, large, side="right") + start,
                sizes.take(large),
                np.ones(len(large), dtype=np.int64),
            )
            sizes[large] = 0
            largest = _COUNTED - 1
        width = largest + 1
        for number, table in enumerate(tables[1:], start=1):
            sizes[ends[number] - len(table) : ends[number]] += number * width
        counted = np.bincount(sizes, minlength=len(tables) * width)
        counted[::width] = 0  # cells that nobody is in
        at = np.flatnonzero(counted)
        set_of, size = np.divmod(at, width)
        self._keep(set_of + start, size, counted.take(at))
        keys, times = partition.dropped.pairs
        if len(keys):
            whose = np.repeat(np.arange(start, start + len(tables)), len(keys))
            self._keep(whose, np.tile(keys, len(tables)), np.tile(times, len(tables)))

    def _keep(self, owner: Ints, size: Ints, times: Ints) -> None:
        self._pieces.append((owner, size, times))
        self.rows += len(owner)

    def chunk(self) -> Chunk:
        """Return what waits, by set."""
        owner, size, times = (np.concatenate([piece[i] for piece in self._pieces]) for i in range(3))
        order = np.argsort(owner)
        return Chunk(
            sets=np.array(self._sets, dtype=np.int64),
            starts=np.searchsorted(owner.take(order), np.arange(len(self._sets))),
            size=size.take(order),
            times=times.take(order),
        )
