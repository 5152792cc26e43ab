"""Three records of one quasi-identifier and what is published of them, for the examples of this folder."""

from dataclasses import dataclass, field

import numpy as np

from qidguard.sdk import Changes, ColumnValues, DataError, ValueType


@dataclass(frozen=True)
class OneColumn:
    """A table of one column."""

    only: ColumnValues = field(repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The name of the column."""
        return (self.only.name,)

    @property
    def records(self) -> int:
        """Number of records."""
        return self.only.records

    def column(self, name: str) -> ColumnValues:
        """Return the column."""
        if name != self.only.name:
            raise DataError(f"there is no column {name!r}")
        return self.only


def three_jobs() -> Changes:
    """Return a clerk, a nurse and a priest of whom ``clerk,nurse`` and ``nurse`` are published."""
    before = ColumnValues(
        name="job",
        value_type=ValueType.TEXT,
        codes=np.array([1, 2, 3], dtype=np.int32),
        texts=(None, "clerk", "nurse", "priest"),
    )
    after = ColumnValues(
        name="job",
        value_type=ValueType.TEXT,
        codes=np.array([1, 2], dtype=np.int32),
        texts=(None, "clerk,nurse", "nurse"),
    )
    return Changes(before=OneColumn(before), after=OneColumn(after), kept=np.array([True, True, False]))
