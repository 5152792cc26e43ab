"""The records of a table as arrays of dense codes, equal ones collapsed."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qidguard.core.view import TableView
from qidguard.engines.classes import AttributeValues, Floats, Ints


@dataclass(frozen=True, kw_only=True)
class Records:
    """Rows, each standing for some equal records (of one entity where there are entities).

    Args:
        columns: For each column the codes of the rows, 0..cardinality−1.
        cardinalities: For each column the number of codes, ≥ 1 (0 in an empty table).
        weights: How many records each row stands for; None where each stands for one person alone.
        attribute: The codes of the attribute, or None where there is none.
        attribute_codes: Dense code of the attribute → its code in the table's dictionary.
        entity: A number 0..entities−1 for each row, or None where a person is a record.
        entities: The number of entities, 0 where a person is a record.
    """

    columns: tuple[Ints, ...]
    cardinalities: tuple[int, ...]
    weights: Floats | None
    attribute: Ints | None
    attribute_codes: Ints
    entity: Ints | None
    entities: int

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.columns[0])

    @property
    def values(self) -> int:
        """Number of values of the attribute; 1 where there is none."""
        return max(1, len(self.attribute_codes))

    def reordered(self, order: Sequence[int]) -> "Records":
        """Return the same records with the columns in another order, or some of them only."""
        return Records(
            columns=tuple(self.columns[i] for i in order),
            cardinalities=tuple(self.cardinalities[i] for i in order),
            weights=self.weights,
            attribute=self.attribute,
            attribute_codes=self.attribute_codes,
            entity=self.entity,
            entities=self.entities,
        )


def read_records(view: TableView, columns: tuple[str, ...], attribute: str | None) -> Records:
    """Read the columns, and the attribute, from an opened table."""
    names = columns if attribute is None else (*columns, attribute)
    read = view.codes(names)
    dense = [_dense(read.codes[:, i]) for i in range(len(names))]
    entity, entities = (None, 0) if read.entity is None else _numbered(read.entity)
    is_weighted = entity is None and bool((read.records != 1).any())
    return Records(
        columns=tuple(codes for codes, _ in dense[: len(columns)]),
        cardinalities=tuple(len(known) for _, known in dense[: len(columns)]),
        weights=read.records.astype(np.float64) if is_weighted else None,
        attribute=None if attribute is None else dense[-1][0],
        attribute_codes=np.zeros(0, dtype=np.int64) if attribute is None else dense[-1][1],
        entity=entity,
        entities=entities,
    )


def _dense(codes: NDArray[np.int32]) -> tuple[Ints, Ints]:
    """Number the codes that occur; dictionary codes may have gaps."""
    known = np.flatnonzero(np.bincount(codes)) if len(codes) else np.zeros(0, dtype=np.int64)
    number = np.zeros(int(known[-1]) + 1 if len(known) else 0, dtype=np.int64)
    number[known] = np.arange(len(known))
    return number.take(codes), known


def _numbered(entity: Ints) -> tuple[Ints, int]:
    known, number = np.unique(entity, return_inverse=True)
    return number.astype(np.int64), len(known)


def attribute_values(records: Records, numbers: Floats | None) -> AttributeValues:
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
        persons=persons.astype(np.int64),
        number=None if numbers is None else numbers.take(code),
    )
