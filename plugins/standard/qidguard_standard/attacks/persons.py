"""Persons: whose record each one is."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from qidguard.sdk import ColumnValues


class RecordSource(Protocol):
    """Records that give their columns; ``ColumnSource`` and ``Records`` are such."""

    @property
    def names(self) -> tuple[str, ...]:
        """The column names."""

    @property
    def records(self) -> int:
        """Number of records."""

    def column(self, name: str) -> ColumnValues:
        """Return one column."""


@dataclass(frozen=True, kw_only=True)
class Persons:
    """Whose record each one is.

    Args:
        of_record: Shape (records,), the person's number, 0..count−1.
        count: Number of persons.
        has_entities: Whether a person may have several records.
    """

    of_record: NDArray[np.int64]
    count: int
    has_entities: bool

    @classmethod
    def of(cls, source: RecordSource, entity: str | None) -> "Persons":
        """Return the persons of a source: its distinct entities, all NULL being one, else its records."""
        if entity is None:
            return cls(of_record=np.arange(source.records), count=source.records, has_entities=False)
        distinct, number = np.unique(source.column(entity).codes, return_inverse=True)
        return cls(of_record=number.astype(np.int64), count=len(distinct), has_entities=True)

    def one_record_each(self, generator: np.random.Generator) -> NDArray[np.int64]:
        """Return for each person one of their records, drawn at random; shape (count,)."""
        if not self.has_entities:
            return np.arange(self.count)
        order = generator.permutation(len(self.of_record))
        _, first = np.unique(self.of_record[order], return_index=True)
        drawn: NDArray[np.int64] = order[first]
        return drawn
