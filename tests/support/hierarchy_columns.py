"""Columns for tests of hierarchies, made by hand."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import date

import numpy as np

from qidguard.core.column import ColumnValues, ValueType
from qidguard.core.hierarchy import Hierarchy


def texts(*values: str, counts: Sequence[int] | None = None, name: str = "c") -> ColumnValues:
    """Return a column of texts, each with so many records, and NULL with none."""
    times = [1] * len(values) if counts is None else list(counts)
    return ColumnValues(
        name=name,
        value_type=ValueType.TEXT,
        codes=np.repeat(np.arange(1, len(values) + 1), times).astype(np.int32),
        texts=(None, *values),
    )


def numbers(
    *values: float | str,
    counts: Sequence[int] | None = None,
    kind: ValueType = ValueType.INTEGER,
    name: str = "c",
) -> ColumnValues:
    """Return a column of numbers or dates written as given; what is neither has NaN."""
    times = [1] * len(values) if counts is None else list(counts)
    return ColumnValues(
        name=name,
        value_type=kind,
        codes=np.repeat(np.arange(1, len(values) + 1), times).astype(np.int32),
        texts=(None, *map(str, values)),
        numbers=np.array([np.nan, *(_number(value, kind) for value in values)]),
    )


def _number(value: float | str, kind: ValueType) -> float:
    with suppress(ValueError):
        return float(value)
    with suppress(ValueError):
        if kind in {ValueType.DATE, ValueType.TIMESTAMP}:
            return date.fromisoformat(str(value)).toordinal() - date(1970, 1, 1).toordinal()
    return float("nan")


def groups(hierarchy: Hierarchy, level: int) -> list[set[int]]:
    """Return the groups of a level as sets of codes, NULL left out, in order of their first code."""
    row = hierarchy.groups[level].tolist()
    found: dict[int, set[int]] = {}
    for code in range(1, len(row)):
        found.setdefault(row[code], set()).add(code)
    return list(found.values())


def published(hierarchy: Hierarchy, level: int) -> list[str | None]:
    """Return what each value but NULL is published as on a level, in the order of codes."""
    return [hierarchy.labels[level][group] for group in hierarchy.groups[level, 1:].tolist()]


def shown(hierarchy: Hierarchy) -> list[list[str | None]]:
    """Return what values are published as on each level between their own and the top."""
    return [published(hierarchy, level) for level in range(1, hierarchy.levels - 1)]
