"""Small tables as an anonymizer sees them, and what it publishes of them, told by plain Python."""

from collections import Counter, defaultdict
from types import SimpleNamespace

import numpy as np
import pytest

from columns import Table
from qidguard.core.parameter import bind
from qidguard.sdk import AnonymizationTask, Hierarchy, Original, ValueType


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
