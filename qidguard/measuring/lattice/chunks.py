"""From partitions to chunks of classes: of their sizes alone, or with cells, or with entities as persons."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from qidguard.engines.classes import Chunk, ChunkCells, ChunkPersons, Ints
from qidguard.measuring.lattice.levels import Level, tail_codes, tail_of
from qidguard.measuring.lattice.partition import Partition
from qidguard.measuring.lattice.records import LatticeRecords
from qidguard.measuring.lattice.steps import Tail, is_new, sizes
from qidguard.measuring.lattice.walk import Found

_LARGEST_KEY = 2**62
"""Keys of a class, a value and an entity stay below."""

_ENOUGH = 1 << 18
"""Cells, classes and persons at which a chunk is handed on."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """One set's classes; ``cells`` are how many each class has."""

    size: Ints
    times: Ints
    cells: Ints
    n: Ints
    value: Ints
    person_size: Ints
    person_times: Ints


def cell_chunks(records: LatticeRecords, found: Found) -> Iterator[Chunk]:
    """Yield chunks with the classes of the wanted sets, all of which the walk ends at."""
    pending: list[_Piece] = []
    sets: list[int] = []
    rows = 0
    for partition, wanted in found:
        piece = _piece(records, partition)
        pending.append(piece)
        sets += [row for _, row in wanted]
        rows += len(piece.size) + len(piece.n) + len(piece.person_size)
        if rows >= _ENOUGH:
            yield _chunk(records, pending, sets)
            pending, sets, rows = [], [], 0
    if pending:
        yield _chunk(records, pending, sets)


def _piece(records: LatticeRecords, partition: Partition) -> _Piece:
    level, values, groups = partition.level, records.values, partition.groups
    value = None if level.attribute is None else level.attribute.take(partition.rows)
    keys, times = partition.dropped.pairs
    dropped_size, dropped_value = np.divmod(keys, values)
    person_size = person_times = owner = who = np.zeros(0, dtype=np.int64)
    if level.entity is None:
        group, code, n = _counted(partition.group, value, values, partition.weights)
        size = np.bincount(group, weights=n, minlength=groups).astype(np.int64)
    else:
        entity = level.entity.take(partition.rows)
        owner, who = np.divmod(_distinct(partition.group * records.entities + entity), records.entities)
        size = np.bincount(owner, minlength=groups)
        group, code, n = owner[:0], owner[:0], owner[:0]
        if value is not None:
            group, code, n = _counted(*_cells(records, partition, value, entity), values, None)
    is_learned = np.ones(groups, dtype=np.bool_)
    if records.has_suppressed:
        is_value = code != records.suppressed
        group, code, n = group.compress(is_value), code.compress(is_value), n.compress(is_value)
        is_learned = np.bincount(group, minlength=groups) > 0
    if level.entity is not None:
        is_in = is_learned.take(owner)
        owner, who = owner.compress(is_in), who.compress(is_in)
        person_size, person_times = _persons(records, partition, size.take(owner), who)
    size = size.compress(is_learned)
    cells_of = np.bincount(group, minlength=groups).compress(is_learned)
    return _Piece(
        np.concatenate((size, dropped_size)),
        np.concatenate((np.ones(len(size), dtype=np.int64), times)),
        np.concatenate((cells_of, np.ones(len(keys), dtype=np.int64))),
        np.concatenate((n, dropped_size)),
        np.concatenate((code, dropped_value)),
        person_size,
        person_times,
    )


def _cells(records: LatticeRecords, partition: Partition, value: Ints, entity: Ints) -> tuple[Ints, Ints]:
    """Return the class and the value of every entity in every cell, each once."""
    values, entities = records.values, records.entities
    if partition.groups * values * entities <= _LARGEST_KEY:
        cells = _distinct((partition.group * values + value) * entities + entity)
        owner, code = np.divmod(cells // entities, values)
        return owner, code
    # the product would leave 64 bits: number the pairs that occur
    known, pair = np.unique(value * entities + entity, return_inverse=True)
    owner, pair = np.divmod(_distinct(partition.group * len(known) + pair), len(known))
    return owner, known.take(pair) // entities


def _counted(
    group: Ints,
    value: Ints | None,
    values: int,
    weights: "np.ndarray[tuple[int, ...], np.dtype[np.float64]] | None",
) -> tuple[Ints, Ints, Ints]:
    """Return the cells by class: class, value and persons."""
    key = group if value is None else group * values + value
    order = np.argsort(key)
    ranked = key.take(order)
    starts = np.flatnonzero(is_new(ranked))
    if weights is None:
        n = np.diff(starts, append=len(key))
    elif len(starts):
        n = np.add.reduceat(weights.take(order), starts).astype(np.int64)
    else:
        n = starts
    found, code = np.divmod(ranked.take(starts), values)
    return found, code, n


def _persons(records: LatticeRecords, partition: Partition, size: Ints, who: Ints) -> tuple[Ints, Ints]:
    """Return how many entities have a smallest class of which size."""
    is_alone = np.zeros(records.entities, dtype=np.bool_)
    for left in partition.dropped.entities:
        is_alone[left] = True
    is_open = ~is_alone.take(who)
    who, size = who.compress(is_open), size.compress(is_open)
    order = np.argsort(who)
    starts = np.flatnonzero(is_new(who.take(order)))
    smallest = np.minimum.reduceat(size.take(order), starts) if len(starts) else size
    counted = np.bincount(smallest, minlength=2)
    counted[1] += int(is_alone.sum())
    sizes = np.flatnonzero(counted)
    return sizes, counted.take(sizes)


def _distinct(keys: Ints) -> Ints:
    ranked = np.sort(keys)
    return ranked.compress(is_new(ranked))


def _chunk(records: LatticeRecords, pieces: list[_Piece], sets: list[int]) -> Chunk:
    cells = None
    if records.attribute is not None:
        cells = ChunkCells(
            starts=_starts(np.concatenate([p.cells for p in pieces])),
            n=np.concatenate([p.n for p in pieces]),
            value=np.concatenate([p.value for p in pieces]),
        )
    persons = None
    if records.entity is not None:
        persons = ChunkPersons(
            starts=_starts(np.array([len(p.person_size) for p in pieces])),
            size=np.concatenate([p.person_size for p in pieces]),
            times=np.concatenate([p.person_times for p in pieces]),
        )
    return Chunk(
        sets=np.array(sets, dtype=np.int64),
        starts=_starts(np.array([len(p.size) for p in pieces])),
        size=np.concatenate([p.size for p in pieces]),
        times=np.concatenate([p.times for p in pieces]),
        cells=cells,
        persons=persons,
    )


def _starts(lengths: Ints) -> Ints:
    return np.cumsum(lengths) - lengths


_ENOUGH_SIZES = 1 << 19
"""Rows at which a chunk is handed on."""
_COUNTED = 1 << 9
"""Sizes of classes left behind below are counted with the others, larger ones added one by one."""


class SizeChunks:
    """Makes chunks out of partitions; the last ``tail`` columns are summed out."""

    def __init__(self, records: LatticeRecords, tail: int) -> None:
        self._records = records
        self._tail = tail_of(records.cardinalities[len(records.columns) - tail :])
        self._codes: dict[int, Ints] = {}

    def of(self, found: Found) -> Iterator[Chunk]:
        """Yield chunks with the classes of the wanted sets."""
        pending = _Pending(self._tail)
        for partition, wanted in found:
            pending.add(partition, self._codes_in(partition.level), wanted)
            if pending.rows >= _ENOUGH_SIZES:
                yield pending.taken()
        if pending.rows:
            yield pending.taken()

    def _codes_in(self, level: Level) -> Ints:
        if level.start not in self._codes:
            self._codes[level.start] = tail_codes(self._records, self._tail.columns, level)
        return self._codes[level.start]


class _Pending:
    """Classes that wait for a chunk to be full."""

    def __init__(self, tail: Tail) -> None:
        self.rows = 0
        self._tail = tail
        self._sets: list[int] = []
        self._pieces: list[tuple[Ints, Ints, Ints]] = []

    def add(self, partition: Partition, codes: Ints, wanted: list[tuple[int, int]]) -> None:
        """Add the classes of sets that are one partition's."""
        start, dropped = len(self._sets), partition.dropped
        self._sets += [row for _, row in wanted]
        masks = np.array([mask for mask, _ in wanted], dtype=np.int64)
        owner, size, times = sizes(partition, self._tail, codes, masks, dropped.counted[:_COUNTED])
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
