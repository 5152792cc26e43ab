"""A generated table of donors in the shape of KDD Cup 98: many different values, deep hierarchies."""

import numpy as np

from qidguard.sdk import ColumnValues, Hierarchy, ValueType

RECORDS = 63_441
PERSONS = 40_000
_ZIPS = 13_294
_STATES = 53


class Held:
    """Columns that are held, as an anonymizer reads them."""

    def __init__(self, columns):
        self.names = tuple(columns)
        self.records = len(next(iter(columns.values())).codes)
        self._columns = columns

    def column(self, name):
        """Return a column."""
        return self._columns[name]

    def codes(self, names):
        """Return the codes of some columns, side by side."""
        return np.stack([self._columns[name].codes for name in names], axis=1)


def donors(seed=20261124, records=RECORDS):
    """Return the records, beside the QIDs a sensitive attribute and a person, and 45,000 nodes of trees."""
    draw = np.random.default_rng(seed)
    zips = np.sort(draw.choice(np.arange(1_001, 99_951), _ZIPS, replace=False))
    often = draw.pareto(1.3, _ZIPS) + 0.05
    home = np.concatenate([zips, draw.choice(zips, records - _ZIPS, p=often / often.sum())])
    draw.shuffle(home)
    gifts = np.minimum(1 + draw.geometric(0.11, records), 237)
    least = np.clip(np.round(draw.gamma(1.6, 4.5, records)), 0, 200).astype(int)
    numbers = {
        "zip": home,
        "age": np.clip(draw.normal(62, 17, records), 1, 98).astype(int),
        "gender": draw.choice(5, records, p=[0.55, 0.435, 0.01, 0.003, 0.002]),
        "income": draw.choice(np.arange(1, 8), records, p=[0.13, 0.17, 0.12, 0.18, 0.21, 0.1, 0.09]) * 1000,
        "state": home * _STATES // 100_000,
        "total": np.round(gifts * (least + draw.gamma(2.0, 3.0, records) + 1)).astype(int),
        "gifts": gifts,
        "least": least,
        "ill": draw.choice(6, records, p=[0.4, 0.25, 0.15, 0.1, 0.07, 0.03]),
        "person": draw.integers(0, PERSONS, records),
    }
    columns = {name: _column(name, values) for name, values in numbers.items()}
    widths = {
        "zip": (10, 100, 1_000, 10_000),
        "age": (5, 10, 20),
        "gender": (),
        "income": (3_000,),
        "state": (),
        "total": (10, 100, 1_000),
        "gifts": (5, 10, 50),
        "least": (5, 10, 50),
    }
    return Held(columns), {name: _tree(columns[name], steps) for name, steps in widths.items()}


def _column(name, values):
    known, codes = np.unique(values, return_inverse=True)
    is_text = name in {"zip", "gender", "state", "ill"}
    return ColumnValues(
        name=name,
        value_type=ValueType.TEXT if is_text else ValueType.INTEGER,
        codes=(codes + 1).astype(np.int32),
        texts=(None, *(f"{value:05}" if name == "zip" else str(value) for value in known)),
        numbers=None if is_text else np.array([np.nan, *known.astype(float)]),
    )


def _tree(column, widths):
    """Return groups of equal width a level, everything above them."""
    numbers = np.array([int(text) for text in column.texts[1:]])
    groups, labels = [np.arange(len(column.texts))], [column.texts]
    for width in widths:
        known, which = np.unique(numbers // width, return_inverse=True)
        groups.append(np.concatenate([[0], which + 1]))
        labels.append((None, *(f"[{one * width}, {(one + 1) * width})" for one in known)))
    groups.append(np.zeros(len(column.texts)))
    labels.append(("*",))
    return Hierarchy(column=column.name, groups=np.array(groups, dtype=np.int32), labels=tuple(labels))
