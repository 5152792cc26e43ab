"""Levels: records collapsed to the columns ahead; the tail: columns at the end, summed out together."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from qidguard.engines.classes import Floats, Ints
from qidguard.measuring.lattice.records import LatticeRecords
from qidguard.measuring.lattice.steps import Tail, is_new


@dataclass(frozen=True, slots=True)
class Level:
    """The distinct rows of the columns from ``start`` on, with the attribute and the entity.

    Args:
        start: The first column that is kept.
        columns: Codes of every column in the level's rows; None for those before ``start``.
        weights: Records of each row, None where each stands for one person alone.
        attribute: The attribute's codes, or None.
        entity: The entities, or None.
        first: For each row a row of the records that it stands for.
        number: For each row of the records its row here.
    """

    start: int
    columns: tuple[Ints | None, ...]
    weights: Floats | None
    attribute: Ints | None
    entity: Ints | None
    first: Ints
    number: Ints

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.first)


def whole_level(records: LatticeRecords) -> Level:
    """Return the records as they are: every column ahead."""
    everyone = np.arange(records.rows)
    return Level(0, records.columns, records.weights, records.attribute, records.entity, everyone, everyone)


def levels_of(records: LatticeRecords, last: int) -> tuple[Level, ...]:
    """Return the levels that begin at column 0, 1, …, ``last``."""
    number = np.zeros(records.rows, dtype=np.int64)
    span = 1
    for codes in (records.entity, records.attribute):
        if codes is not None:
            number, span = joined(number, span, codes)
    found: list[Level] = []
    for start in range(len(records.columns), -1, -1):
        if start < len(records.columns):
            number, span = joined(number, span, records.columns[start])
        if start <= last:
            found.append(_level(records, start, number, span))
    return tuple(reversed(found))


def _level(records: LatticeRecords, start: int, number: Ints, rows: int) -> Level:
    if rows == records.rows and start:
        # nothing has come together: the rows themselves, in their own order
        everyone = np.arange(rows)
        first = number = everyone
    else:
        first = np.empty(rows, dtype=np.int64)
        first[number] = np.arange(records.rows)
    weights = None
    if records.entity is None:
        summed = np.bincount(number, weights=records.weights, minlength=rows)
        weights = None if (summed == 1).all() else summed.astype(np.float64)
    return Level(
        start,
        tuple(codes.take(first) if i >= start else None for i, codes in enumerate(records.columns)),
        weights,
        None if records.attribute is None else records.attribute.take(first),
        None if records.entity is None else records.entity.take(first),
        first,
        number,
    )


def joined(number: Ints, span: int, codes: Ints) -> tuple[Ints, int]:
    """Number the pairs of a row's number so far and its code, densely."""
    key = codes * span + number
    order = np.argsort(key)
    begins = is_new(key.take(order))
    found = np.empty(len(key), dtype=np.int64)
    found[order] = np.cumsum(begins) - 1
    return found, int(begins.sum())


_MOST_CELLS = 16
"""Cells a class up to which the subsets of a tail of columns are summed out of the cells of them all."""


def tail_length(cardinalities: Sequence[int]) -> int:
    """Return how many columns at the end make the tail: whose subsets cost less summed out than split."""
    length = 0
    while length < len(cardinalities) and prod(c + 1 for c in cardinalities[-length - 1 :]) <= _MOST_CELLS:
        length += 1
    return length


def tail_of(cardinalities: Sequence[int]) -> Tail:
    """Return how the subsets of columns with so many values each are summed out of all columns' cells."""
    full = (1 << len(cardinalities)) - 1
    shape = tuple(reversed(cardinalities))
    # axis 0 is the last column: bit ``columns − 1`` of a set's mask
    places = {full: np.arange(prod(shape)).reshape(shape)}
    into: list[int] = []
    source: list[int] = []
    masks = [full] * prod(shape)
    for mask in range(full - 1, -1, -1):
        # add the lowest column that is not in the set, and sum it out again
        bit = (~mask & (mask + 1)).bit_length() - 1
        parent = places[mask | 1 << bit]
        axis = (mask >> bit + 1).bit_count()
        left = parent.shape[:axis] + parent.shape[axis + 1 :]
        places[mask] = np.arange(len(masks), len(masks) + prod(left)).reshape(left)
        for i in range(parent.shape[axis]):
            into += places[mask].reshape(-1).tolist()
            source += parent.take(i, axis=axis).reshape(-1).tolist()
        masks += [mask] * prod(left)
    return Tail(
        len(cardinalities),
        prod(shape),
        np.array(into, dtype=np.int64),
        np.array(source, dtype=np.int64),
        np.array(masks, dtype=np.int64),
    )


def tail_codes(records: LatticeRecords, columns: int, level: Level) -> Ints:
    """Return the cell of the last ``columns`` columns together in each of the level's rows."""
    found = np.zeros(level.rows, dtype=np.int64)
    for column in reversed(range(len(records.columns) - columns, len(records.columns))):
        codes = level.columns[column]
        if codes is None:
            raise ValueError("the level has left this column behind")
        found = found * records.cardinalities[column] + codes
    return found
