"""The five preprocessing steps, as counts and column names; nothing is dropped silently."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from qidguard.sdk import AnonymizationTask, ColumnValues, Records, ValueType, class_numbers


@dataclass(frozen=True, kw_only=True)
class Checks:
    """What the five steps of Fig. 3 found in a table.

    Args:
        left_out: Direct identifiers, which are never published.
        kept: Columns that are neither QID nor sensitive and are published as they are.
        outside: Column → values outside its declared bounds, which are clamped before noise.
        incomplete: Records with a missing value in a QID or sensitive attribute.
        inconsistent: Column → values that do not fit its type: a mark, NaN or infinity among numbers.
        redundant: Records that repeat another one in all QIDs and sensitive attributes.
        records: Number of records.
    """

    left_out: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    outside: Mapping[str, int] = field(default_factory=dict)
    incomplete: int = 0
    inconsistent: Mapping[str, int] = field(default_factory=dict)
    redundant: int = 0
    records: int = 0

    @property
    def sentences(self) -> tuple[str, ...]:
        """What was found, one sentence a step; counts and column names only."""
        columns = (
            f"Columns: {_listed(self.left_out)} left out as direct identifiers; unchanged, as neither"
            f" quasi-identifier nor sensitive: {_listed(self.kept)}."
        )
        redundant = (
            f"Redundant records: {self.redundant:,} repeat another one in all quasi-identifiers and sensitive"
            " attributes; all stay."
        )
        return (
            columns,
            f"Outliers: {_counted(self.outside)} outside the declared bounds, clamped before noise is drawn.",
            f"Incomplete records: {self.incomplete:,} of {self.records:,} miss a value; all stay.",
            f"Consistency: {_counted(self.inconsistent)} unlike its type; a mark stays, others go missing.",
            redundant,
        )


def prepared(
    records: Records, task: AnonymizationTask, bounds: Mapping[str, tuple[Fraction, Fraction]]
) -> Checks:
    """Return what the five preprocessing steps find; nothing is changed.

    Args:
        records: The table.
        task: The roles of its columns.
        bounds: What numeric QIDs may hold.
    """
    names = tuple(dict.fromkeys((*task.quasi_identifiers, *task.sensitive)))
    roles = {*names, *task.direct_identifiers, task.entity, task.target}
    codes = records.codes(names)
    numeric = {name: column for name in names if (column := records.column(name)).numbers is not None}
    return Checks(
        left_out=tuple(name for name in records.names if name in task.direct_identifiers),
        kept=tuple(name for name in records.names if name not in roles),
        outside={name: _outside(numeric[name], *bounds[name]) for name in bounds if name in numeric},
        incomplete=int((codes == 0).any(axis=1).sum()),
        inconsistent={
            name: count for name, column in numeric.items() if (count := _inconsistent(column)) > 0
        },
        redundant=records.records - len(np.unique(class_numbers(codes))),
        records=records.records,
    )


def _outside(column: ColumnValues, low: Fraction, high: Fraction) -> int:
    assert column.numbers is not None  # noqa: S101 - only numeric columns are asked
    known = ~np.isnan(column.numbers)
    # compared as exact numbers, value by value: a float of a bound may lie on its other side
    outside = [
        bool(is_known) and not low <= Fraction(number) <= high
        for number, is_known in zip(column.numbers.tolist(), known.tolist(), strict=True)
    ]
    return int(np.array(outside, dtype=np.bool_)[column.codes].sum())


def _inconsistent(column: ColumnValues) -> int:
    assert column.numbers is not None  # noqa: S101 - only numeric columns are asked
    if column.value_type is ValueType.BOOLEAN:
        return 0
    odd = np.isnan(column.numbers)
    odd[0] = False
    return int(odd[column.codes].sum())


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} values of {name}" for name, count in counts.items() if count) or "no value"
