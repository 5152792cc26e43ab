"""Small tables as an anonymizer sees them, and partitions read back from what is published."""

from datetime import date
from types import SimpleNamespace

import numpy as np
import pytest

from qidguard.core.parameter import bind
from qidguard.sdk import AnonymizationTask, ColumnValues, Original, ValueType


def _column(name, values):
    known = sorted({value for value in values if value is not None})
    place = {value: code for code, value in enumerate(known, start=1)}
    kind, numbers = ValueType.TEXT, None
    if known and all(isinstance(value, (int, float)) for value in known):
        kind = ValueType.INTEGER if all(isinstance(value, int) for value in known) else ValueType.NUMBER
        numbers = np.array([np.nan, *known], dtype=float)
    elif known and all(isinstance(value, date) for value in known):
        kind = ValueType.DATE
        numbers = np.array([np.nan, *((value - date(1970, 1, 1)).days for value in known)], dtype=float)
    return ColumnValues(
        name=name,
        value_type=kind,
        codes=np.array([0 if value is None else place[value] for value in values], dtype=np.int32),
        texts=(None, *map(str, known)),
        numbers=numbers,
    )


class Records:
    """Records given as lists of values; None is NULL."""

    def __init__(self, **columns):
        self._columns = {name: _column(name, values) for name, values in columns.items()}
        self.names = tuple(columns)
        self.records = len(next(iter(columns.values())))

    def column(self, name):
        """Return one column."""
        return self._columns[name]

    def codes(self, columns):
        """Return the codes of some columns."""
        found = [self._columns[name].codes for name in columns]
        return np.stack(found, axis=1) if found else np.empty((self.records, 0), dtype=np.int32)


def _run(anonymizer, records, *, qids=None, sensitive=(), entity=None, seed=0, given=(), **arguments):
    left_out = {*sensitive, entity}
    qids = tuple(name for name in records.names if name not in left_out) if qids is None else qids
    task = AnonymizationTask(
        combinations=(qids,), entity=entity, sensitive=tuple(sensitive), seed=seed, **dict(given)
    )
    return anonymizer.anonymize(records, bind(anonymizer.parameters, arguments), task)


def _shown(records, done):
    """Return what is published, a tuple a record."""
    columns = []
    for name in records.names:
        if name not in done.columns:
            continue
        texts, recoded = records.column(name).texts, done.columns[name]
        values = [texts[v.code] if isinstance(v, Original) else v for v in recoded.values]
        columns.append([None if values[code] is None else str(values[code]) for code in recoded.codes])
    return list(zip(*columns, strict=True))


def _classes(labels):
    """Return a partition as a set of sets of records."""
    found = {}
    for record, label in enumerate(labels):
        found.setdefault(label, set()).add(record)
    return {frozenset(members) for members in found.values()}


@pytest.fixture(scope="session")
def clustering():
    """Return the makers: Records, run, shown, classes."""
    return SimpleNamespace(Records=Records, run=_run, shown=_shown, classes=_classes)
