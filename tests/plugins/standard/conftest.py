"""Small tables as an anonymizer sees them, and what it publishes of them, told by plain Python."""

from collections import Counter, defaultdict
from types import SimpleNamespace

import numpy as np
import pytest

from columns import Table
from qidguard.core.parameter import bind
from qidguard.sdk import AnonymizationTask, Hierarchy, Original, ValueType


def _cells(records, done, name):
    """Return what each record of a column shows, as texts."""
    texts = records.column(name).texts
    if name not in done.columns:
        return [texts[code] for code in records.column(name).codes]
    recoded = done.columns[name]
    values = [texts[v.code] if isinstance(v, Original) else v for v in recoded.values]
    return [None if values[code] is None else str(values[code]) for code in recoded.codes]


@pytest.fixture(scope="session")
def table():
    """Return a maker of tables: one list of cells a column, None for NULL."""
    return lambda **columns: Table(columns, empty=ValueType.EMPTY)


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
        shown = {
            name: [cell for cell, kept in zip(_cells(records, done, name), done.kept, strict=True) if kept]
            for name in records.names
        }
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


def _run(anonymizer, records, *, qids=None, sensitive=(), entity=None, seed=0, given=(), **arguments):
    left_out = {*sensitive, entity}
    qids = tuple(name for name in records.names if name not in left_out) if qids is None else qids
    task = AnonymizationTask(
        combinations=(qids,), entity=entity, sensitive=tuple(sensitive), seed=seed, **dict(given)
    )
    return anonymizer.anonymize(records, bind(anonymizer.parameters, arguments), task)


def _shown(records, done):
    """Return what is published of the columns that are changed, a tuple a record."""
    changed = [name for name in records.names if name in done.columns]
    return list(zip(*(_cells(records, done, name) for name in changed), strict=True))


def _classes(labels):
    """Return a partition as a set of sets of records."""
    found = {}
    for record, label in enumerate(labels):
        found.setdefault(label, set()).add(record)
    return {frozenset(members) for members in found.values()}


@pytest.fixture(scope="session")
def clustering():
    """Return the makers: Records, run, shown, classes."""
    return SimpleNamespace(Records=lambda **columns: Table(columns), run=_run, shown=_shown, classes=_classes)
