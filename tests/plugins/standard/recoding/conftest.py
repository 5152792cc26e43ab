"""Small tables as an anonymizer sees them, and what it publishes of them, told by plain Python."""

from collections import Counter, defaultdict
from types import SimpleNamespace

import numpy as np
import pytest

from qidguard.core.parameter import bind
from qidguard.sdk import AnonymizationTask, ColumnValues, DataError, Hierarchy, Original, ValueType


def _column(name, cells):
    present = sorted({cell for cell in cells if cell is not None})
    place = {None: 0, **{cell: code for code, cell in enumerate(present, start=1)}}
    kinds = {type(cell) for cell in present}
    kind = {(): ValueType.EMPTY, (int,): ValueType.INTEGER, (float,): ValueType.NUMBER}.get(
        tuple(kinds), ValueType.TEXT
    )
    return ColumnValues(
        name=name,
        value_type=kind,
        codes=np.array([place[cell] for cell in cells], dtype=np.int32),
        texts=(None, *map(str, present)),
        numbers=None
        if kind in {ValueType.TEXT, ValueType.EMPTY}
        else np.array([np.nan, *present], dtype=np.float64),
    )


class Table:
    """Records by column, with the task they are given with."""

    def __init__(self, columns):
        self.cells = columns
        self._columns = {name: _column(name, cells) for name, cells in columns.items()}
        self.names = tuple(columns)
        self.records = len(next(iter(columns.values())))

    def column(self, name):
        """Return one column."""
        if name not in self._columns:
            raise DataError(name)
        return self._columns[name]

    def codes(self, columns):
        """Return the codes of some columns."""
        if not columns:
            return np.empty((self.records, 0), dtype=np.int32)
        return np.stack([self.column(name).codes for name in columns], axis=1)


@pytest.fixture(scope="session")
def table():
    """Return a maker of tables: one list of cells a column, None for NULL."""
    return lambda **columns: Table(columns)


@pytest.fixture(scope="session")
def tree():
    """Return a maker of hierarchies: for each level between exact and top a function of the value's text."""

    def make(values, *levels):
        groups = [np.arange(len(values.texts), dtype=np.int32)]
        labels = [values.texts]
        for level in levels:
            shown = [None, *(level(text) for text in values.texts[1:])]
            found = list(dict.fromkeys(shown))
            groups.append(np.array([found.index(text) for text in shown], dtype=np.int32))
            labels.append(tuple(found))
        groups.append(np.zeros(len(values.texts), dtype=np.int32))
        labels.append(("*",))
        return Hierarchy(column=values.name, groups=np.stack(groups), labels=tuple(labels))

    return make


@pytest.fixture(scope="session")
def anonymized():
    """Return a function that runs an anonymizer and tells what it publishes, as texts by column."""

    def run(anonymizer, records, qids, *, combinations=None, entity=None, sensitive=(), seed=0, **options):
        given = {key: options.pop(key) for key in ("hierarchies", "targets", "target") if key in options}
        task = AnonymizationTask(
            combinations=combinations or (tuple(qids),),
            entity=entity,
            sensitive=sensitive,
            seed=seed,
            **given,
        )
        done = anonymizer.anonymize(records, bind(anonymizer.parameters, options), task)
        shown = {}
        for name in records.names:
            texts = records.column(name).texts
            cells = [texts[code] for code in records.column(name).codes]
            if name in done.columns:
                recoded = done.columns[name]
                values = [texts[v.code] if isinstance(v, Original) else v for v in recoded.values]
                cells = [None if values[c] is None else str(values[c]) for c in recoded.codes]
            shown[name] = [cell for cell, kept in zip(cells, done.kept, strict=True) if kept]
        return SimpleNamespace(done=done, shown=shown, kept=done.kept.tolist())

    return run


@pytest.fixture(scope="session")
def persons_in_classes():
    """Return a function that counts the persons of each class of published records, one by one."""

    def count(shown, qids, who=None):
        classes = defaultdict(set)
        keys = list(zip(*(shown[name] for name in qids), strict=True))
        for place, key in enumerate(keys):
            classes[key].add(place if who is None else shown[who][place])
        return Counter({key: len(members) for key, members in classes.items()})

    return count
