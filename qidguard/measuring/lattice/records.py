"""The records of a table as arrays of dense codes, equal ones collapsed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from qidguard.core.view import TableView
from qidguard.engines.classes import AttributeValues, Floats, Ints


@dataclass(frozen=True, kw_only=True)
class LatticeRecords:
    """Rows, each standing for some equal records (of one entity where there are entities).

    Args:
        columns: For each column the codes of the rows, 0..cardinality−1.
        cardinalities: For each column the number of codes, ≥ 1 (0 in an empty table).
        weights: How many records each row stands for; None where each stands for one person alone.
        attribute: The codes of the attribute, or None where there is none; a suppressed value is none and is
            numbered behind them all.
        attribute_codes: Dense code of the attribute → its code in the table's dictionary.
        entity: A number 0..entities−1 for each row, or None where a person is a record.
        entities: The number of entities, 0 where a person is a record.
        has_suppressed: Whether some value of the attribute is suppressed.
    """

    columns: tuple[Ints, ...]
    cardinalities: tuple[int, ...]
    weights: Floats | None
    attribute: Ints | None
    attribute_codes: Ints
    entity: Ints | None
    entities: int
    has_suppressed: bool = False

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.columns[0])

    @property
    def values(self) -> int:
        """Number of values of the attribute, all that is suppressed being one; 1 where there is none."""
        return max(1, len(self.attribute_codes) + self.has_suppressed)

    @property
    def suppressed(self) -> int:
        """The number of what is suppressed in the attribute; no code where nothing is."""
        return len(self.attribute_codes)

    def reordered(self, order: Sequence[int]) -> "LatticeRecords":
        """Return the same records with the columns in another order, or some of them only."""
        return replace(
            self,
            columns=tuple(self.columns[i] for i in order),
            cardinalities=tuple(self.cardinalities[i] for i in order),
        )


def read_records(view: TableView, columns: tuple[str, ...], attribute: str | None) -> LatticeRecords:
    """Read the columns, and the attribute, from an opened table."""
    names = columns if attribute is None else (*columns, attribute)
    read = view.codes((), names)
    dense = [_dense(read.codes[:, i]) for i in range(len(names))]
    entity, entities = (None, 0) if read.entity is None else _numbered(read.entity)
    is_weighted = entity is None and bool((read.records != 1).any())
    values, codes, has_suppressed = None, np.zeros(0, dtype=np.int64), False
    if attribute is not None:
        values, codes, has_suppressed = without_mark(*dense[-1], read.suppressed[-1])
    return LatticeRecords(
        columns=tuple(codes for codes, _ in dense[: len(columns)]),
        cardinalities=tuple(len(known) for _, known in dense[: len(columns)]),
        weights=read.records.astype(np.float64) if is_weighted else None,
        attribute=values,
        attribute_codes=codes,
        entity=entity,
        entities=entities,
        has_suppressed=has_suppressed,
    )


def without_mark(number: Ints, codes: Ints, mark: int) -> tuple[Ints, Ints, bool]:
    """Return dense numbers and their codes with the mark's behind all others and without a code."""
    [place] = np.nonzero(codes == mark)
    if not len(place):
        return number, codes, False
    at = int(place[0])
    moved = np.where(number == at, len(codes), number)
    return moved - (number >= at), np.delete(codes, at), True


def _dense(codes: NDArray[np.int32]) -> tuple[Ints, Ints]:
    """Number the codes that occur; dictionary codes may have gaps."""
    known = np.flatnonzero(np.bincount(codes)) if len(codes) else np.zeros(0, dtype=np.int64)
    number = np.zeros(int(known[-1]) + 1 if len(known) else 0, dtype=np.int64)
    number[known] = np.arange(len(known))
    return number.take(codes), known


def _numbered(entity: Ints) -> tuple[Ints, int]:
    known, number = np.unique(entity, return_inverse=True)
    return number.astype(np.int64), len(known)


def attribute_values(records: LatticeRecords, numbers: Floats | None) -> AttributeValues:
    """Return the values of the records' attribute; ``numbers`` are by the table's own code."""
    if records.attribute is None:
        raise ValueError("the records were read without an attribute")
    if records.entity is None:
        persons = np.bincount(records.attribute, weights=records.weights, minlength=records.values)
    else:
        pairs = np.unique(records.attribute * records.entities + records.entity)
        persons = np.bincount(pairs // records.entities, minlength=records.values)
    code = records.attribute_codes
    return AttributeValues(
        code=code,
        persons=persons[: len(code)].astype(np.int64),
        number=None if numbers is None else numbers.take(code),
    )


MOST_BITS = 62
"""Columns up to which masks are 64-bit numbers; one bit is the sign."""

Masks = NDArray[np.int64] | NDArray[np.object_]


def mask_array(masks: Sequence[int], columns: int) -> Masks:
    """Return masks over that many columns as an array."""
    if columns <= MOST_BITS:
        return np.array(masks, dtype=np.int64)
    found = np.empty(len(masks), dtype=object)
    found[:] = masks
    return found


def moved(masks: Masks, to: Sequence[int | None]) -> Masks:
    """Return the masks with bit i at bit ``to[i]``; None drops it."""
    found = masks & 0
    for i, place in enumerate(to):
        if place is not None:
            found |= (masks >> i & 1) << place
    return found
