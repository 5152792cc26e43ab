"""From partitions to chunks of classes with their cells, or with entities as persons."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from qidguard.measure.lattice.chunk import Cells, Chunk, Persons
from qidguard.measure.lattice.partition import Partition
from qidguard.measure.lattice.records import Ints, Records
from qidguard.measure.lattice.walk import Found

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


def cell_chunks(records: Records, found: Found) -> Iterator[Chunk]:
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


def _piece(records: Records, partition: Partition) -> _Piece:
    level, values = partition.level, records.values
    value = None if level.attribute is None else level.attribute.take(partition.rows)
    keys, times = partition.dropped.pairs
    dropped_size, dropped_value = np.divmod(keys, values)
    if level.entity is None:
        group, code, n = _counted(partition.group, value, values, partition.weights)
        size = np.bincount(group, weights=n, minlength=partition.groups).astype(np.int64)
        person_size = person_times = np.zeros(0, dtype=np.int64)
    else:
        entity = level.entity.take(partition.rows)
        pairs = _distinct(partition.group * records.entities + entity)
        owner, who = np.divmod(pairs, records.entities)
        size = np.bincount(owner, minlength=partition.groups)
        person_size, person_times = _persons(records, partition, size.take(owner), who)
        group, code, n = owner[:0], owner[:0], owner[:0]
        if value is not None:
            cells = _distinct((partition.group * values + value) * records.entities + entity)
            group, code, n = _counted(*np.divmod(cells // records.entities, values), values, None)
    cells_of = np.bincount(group, minlength=partition.groups)
    return _Piece(
        np.concatenate((size, dropped_size)),
        np.concatenate((np.ones(partition.groups, dtype=np.int64), times)),
        np.concatenate((cells_of, np.ones(len(keys), dtype=np.int64))),
        np.concatenate((n, dropped_size)),
        np.concatenate((code, dropped_value)),
        person_size,
        person_times,
    )


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
    is_new = np.ones(len(key), dtype=np.bool_)
    np.not_equal(ranked[1:], ranked[:-1], out=is_new[1:])
    starts = np.flatnonzero(is_new)
    if weights is None:
        n = np.diff(starts, append=len(key))
    elif len(starts):
        n = np.add.reduceat(weights.take(order), starts).astype(np.int64)
    else:
        n = starts
    found, code = np.divmod(ranked.take(starts), values)
    return found, code, n


def _persons(records: Records, partition: Partition, size: Ints, who: Ints) -> tuple[Ints, Ints]:
    """Return how many entities have a smallest class of which size."""
    is_alone = np.zeros(records.entities, dtype=np.bool_)
    for left in partition.dropped.entities:
        is_alone[left] = True
    is_open = ~is_alone.take(who)
    who, size = who.compress(is_open), size.compress(is_open)
    order = np.argsort(who)
    ranked = who.take(order)
    is_new = np.ones(len(who), dtype=np.bool_)
    np.not_equal(ranked[1:], ranked[:-1], out=is_new[1:])
    starts = np.flatnonzero(is_new)
    smallest = np.minimum.reduceat(size.take(order), starts) if len(starts) else size
    counted = np.bincount(smallest, minlength=2)
    counted[1] += int(is_alone.sum())
    sizes = np.flatnonzero(counted)
    return sizes, counted.take(sizes)


def _distinct(keys: Ints) -> Ints:
    ranked = np.sort(keys)
    is_new = np.ones(len(keys), dtype=np.bool_)
    np.not_equal(ranked[1:], ranked[:-1], out=is_new[1:])
    return ranked.compress(is_new)


def _chunk(records: Records, pieces: list[_Piece], sets: list[int]) -> Chunk:
    cells = None
    if records.attribute is not None:
        cells = Cells(
            starts=_starts(np.concatenate([p.cells for p in pieces])),
            n=np.concatenate([p.n for p in pieces]),
            value=np.concatenate([p.value for p in pieces]),
        )
    persons = None
    if records.entity is not None:
        persons = Persons(
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
