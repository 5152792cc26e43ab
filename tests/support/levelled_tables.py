"""Small tables for full-domain generalization, and what is published of them, in plain Python."""

from itertools import product

import numpy as np

from qidguard.sdk import ColumnValues, Hierarchy, Original, ValueType


class Table:
    """Records as lists of values, given as columns."""

    def __init__(self, **columns):
        self.values = columns
        self.names = tuple(columns)
        self.records = len(next(iter(columns.values())))

    def column(self, name):
        """Return one column, its codes in natural order, NULL 0."""
        values = self.values[name]
        known = sorted({v for v in values if v is not None})
        is_number = all(isinstance(v, int) for v in known)
        return ColumnValues(
            name=name,
            value_type=ValueType.INTEGER if is_number else ValueType.TEXT,
            codes=np.array([0 if v is None else known.index(v) + 1 for v in values], dtype=np.int32),
            texts=(None, *map(str, known)),
            numbers=np.array([np.nan, *map(float, known)]) if is_number else None,
        )

    def codes(self, names):
        """Return codes of columns."""
        return np.stack([self.column(name).codes for name in names], axis=1)


def hierarchy(column, *levels):
    """Return a hierarchy of functions from a value's text to a label, the top above them."""
    groups, labels = [np.arange(len(column.texts))], [column.texts]
    for level in levels:
        names = [None]
        row = [0]
        for text in column.texts[1:]:
            label = level(text)
            if label not in names:
                names.append(label)
            row.append(names.index(label))
        groups.append(np.array(row))
        labels.append(tuple(names))
    groups.append(np.zeros(len(column.texts)))
    labels.append(("*",))
    return Hierarchy(column=column.name, groups=np.array(groups, dtype=np.int32), labels=tuple(labels))


def tens(text):
    """Return an interval of ten years."""
    low = int(text) // 10 * 10
    return f"[{low}, {low + 9}]"


def first(text):
    """Return the first letter."""
    return text[0] + "."


def published(table, done):
    """Return the published records as dicts, None for those that are left out."""
    rows = []
    for i in range(table.records):
        if not done.kept[i]:
            rows.append(None)
            continue
        row = {name: values[i] for name, values in table.values.items()}
        for name, recoded in done.columns.items():
            value = recoded.values[recoded.codes[i]]
            if isinstance(value, Original):
                text = table.column(name).texts[value.code]
                value = int(text) if text is not None and table.column(name).is_numeric else text
            row[name] = value
        rows.append(row)
    return rows


def nodes(hierarchies, names):
    """Return all combinations of levels."""
    return product(*(range(hierarchies[name].levels) for name in names))
