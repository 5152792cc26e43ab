"""Columns written by hand: values in, dictionary codes out."""

from datetime import date

import numpy as np

from qidguard.sdk import ColumnValues, DataError, Hierarchy, ValueType, read_coverage


def column(values, *, name="q", value_type=None):
    """Return a column of values in the order of records; None is NULL.

    Numbers and dates keep their type, ``value_type`` overrules it; texts are text.
    """
    some = [value for value in values if value is not None]
    kind = value_type or _kind(some)
    distinct = sorted(set(some))
    place = {value: code for code, value in enumerate(distinct, start=1)}
    numbers = [np.nan, *(_number(value) for value in distinct)]
    return ColumnValues(
        name=name,
        value_type=kind,
        codes=np.array([0 if value is None else place[value] for value in values], dtype=np.int32),
        texts=(None, *(str(value) for value in distinct)),
        numbers=np.array(numbers) if kind not in {ValueType.TEXT, ValueType.EMPTY} else None,
    )


def _kind(values):
    if all(isinstance(value, int) for value in values):
        return ValueType.INTEGER
    if all(isinstance(value, (int, float)) for value in values):
        return ValueType.NUMBER
    return ValueType.DATE if all(isinstance(value, date) for value in values) else ValueType.TEXT


def _number(value):
    if isinstance(value, date):
        return (value - date(1970, 1, 1)).days
    return float(value) if isinstance(value, (int, float)) else np.nan


class Table:
    """Records given as lists of values by column; a column of NULL alone is ``empty``."""

    def __init__(self, cells, empty=ValueType.TEXT):
        self._columns = {
            name: column(values, name=name, value_type=None if any(v is not None for v in values) else empty)
            for name, values in cells.items()
        }
        self.names = tuple(cells)
        self.records = len(next(iter(cells.values()), []))

    def column(self, name):
        """Return one column."""
        if name not in self._columns:
            raise DataError(name)
        return self._columns[name]

    def codes(self, columns):
        """Return the codes of some columns."""
        found = [self.column(name).codes for name in columns]
        return np.stack(found, axis=1) if found else np.empty((self.records, 0), dtype=np.int32)


def covered(values, published, **given):
    """Return the values that one published text covers."""
    before = column(values)
    read = read_coverage(before, column([published], value_type=ValueType.TEXT), **given)
    assert not read.unreadable
    return [before.texts[code] for code in read.covered(1)]


def hierarchy(groups, *labels):
    """Return a hierarchy of levels 1… over given groups of codes."""
    codes = len(groups[0])
    return Hierarchy(
        column="q",
        groups=np.array([np.arange(codes), *groups], dtype=np.int32),
        labels=((None, *map(str, range(codes - 1))), *labels),
    )
