"""Levels: the records collapsed to the columns that are still ahead in the walk."""

from dataclasses import dataclass

import numpy as np

from qidguard.measure.lattice.records import Floats, Ints, Records


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


def whole_level(records: Records) -> Level:
    """Return the records as they are: every column ahead."""
    everyone = np.arange(records.rows)
    return Level(0, records.columns, records.weights, records.attribute, records.entity, everyone, everyone)


def levels_of(records: Records, last: int) -> tuple[Level, ...]:
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


def _level(records: Records, start: int, number: Ints, rows: int) -> Level:
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
    ranked = key.take(order)
    is_new = np.ones(len(key), dtype=np.bool_)
    np.not_equal(ranked[1:], ranked[:-1], out=is_new[1:])
    found = np.empty(len(key), dtype=np.int64)
    found[order] = np.cumsum(is_new) - 1
    return found, int(is_new.sum())
