"""Clusters grow in NumPy here: small tables are done long before numba would have compiled anything."""

import numpy as np
import pytest

from qidguard.sdk import ColumnValues, ValueType, automatic_hierarchy
from qidguard_hybrid_dp.clusters.kinds import Categorical


@pytest.fixture(autouse=True, scope="module")
def _numpy():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QIDGUARD_KERNEL", "numpy")
        yield


@pytest.fixture(scope="session")
def columns_of():
    """Return a maker of columns with automatic hierarchies from rows of texts or None, in the rows' order."""

    def make(rows):
        made = []
        for at, cells in enumerate(zip(*rows, strict=True)):
            texts = (None, *sorted({cell for cell in cells if cell is not None}))
            codes = np.array([texts.index(cell) for cell in cells], dtype=np.int32)
            column = ColumnValues(name=f"c{at}", value_type=ValueType.TEXT, codes=codes, texts=texts)
            hierarchy = automatic_hierarchy(column)
            made.append(Categorical(name=column.name, codes=codes, hierarchy=hierarchy))
        return made

    return make


@pytest.fixture(scope="session")
def losses():
    """Return a function that counts anew what each record loses, per column: 0..1, by its cluster's group."""

    def count(columns, labels):
        found = []
        for column in columns:
            groups, lost = column.hierarchy.groups, np.zeros(len(labels))
            values = sorted(set(column.codes.tolist()) | set(range(1, groups.shape[1])))
            for cluster in set(labels.tolist()):
                codes = column.codes[labels == cluster]
                level = next(v for v in range(len(groups)) if len(set(groups[v][codes].tolist())) == 1)
                beside = sum(groups[level][value] == groups[level][codes[0]] for value in values) - 1
                share = beside / max(len(values) - 1, 1)
                lost[labels == cluster] = 1.0 if level == len(groups) - 1 else share
            found.append(lost)
        return np.array(found)

    return count


@pytest.fixture
def step():
    """Return what hears of progress; ``step.told`` is what it heard."""

    def hear(title, done, total):
        assert 0 <= done <= total
        hear.told.append((title, done, total))

    hear.told = []
    return hear


@pytest.fixture(scope="session")
def quiet():
    """Return what hears nothing of progress."""
    return lambda *_: None
