"""Facts about one column, without any of its values."""

from dataclasses import dataclass
from enum import StrEnum


class ValueType(StrEnum):
    """What the values of a column are, once read."""

    INTEGER = "integer"
    NUMBER = "number"
    DATE = "date"
    TIMESTAMP = "timestamp"
    BOOLEAN = "boolean"
    TEXT = "text"
    EMPTY = "empty"


@dataclass(frozen=True, kw_only=True)
class ColumnFacts:
    """What may be said about a column in public.

    Args:
        name: The column's own name.
        value_type: What its values are.
        records: Number of records of the table, ≥ 0.
        distinct: Number of distinct values, NULL not counted, ≥ 0.
        missing: Number of records with NULL, 0..records.
        not_a_number: Number of records with a floating-point NaN (a value of its own, apart from NULL).
        undeclared_missing: Number of records with a text such as ``?`` or ``NA``, which often stands for a
            missing value but was not declared, so it counts as a value.
    """

    name: str
    value_type: ValueType
    records: int
    distinct: int
    missing: int
    not_a_number: int = 0
    undeclared_missing: int = 0

    @property
    def groups(self) -> int:
        """Number of classes the column makes alone: its distinct values, and NULL if it occurs."""
        return self.distinct + (1 if self.missing else 0)

    @property
    def risk(self) -> float:
        """Mean over records of 1/class size on this column alone: groups / records, a share 0..1."""
        return min(1.0, self.groups / self.records) if self.records else 0.0
