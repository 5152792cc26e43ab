"""Small tables as an anonymizer sees them, and partitions read back from what is published."""

from types import SimpleNamespace

import pytest

from columns import Table
from qidguard.core.parameter import bind
from qidguard.sdk import AnonymizationTask, Original


class Records(Table):
    """Records given as lists of values; None is NULL."""

    def __init__(self, **columns):
        super().__init__(columns)


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
