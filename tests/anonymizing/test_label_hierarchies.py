"""Labels of a hierarchy that an anonymizer made by itself can be read, where nothing else can read them."""

from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest

from qidguard.anonymizing.declared import LabelHierarchies
from qidguard.anonymizing.records import SnapshotRecords
from qidguard.sdk import Recoded, automatic_hierarchy
from snapshots import snapshot_of

NAMES = [f"a rather long name of an occupation, number {i:02}" for i in range(8)]
TABLE = pd.DataFrame({"job": NAMES, "age": [20, 21, 22, 23] * 2})


@contextmanager
def published(name, values, codes):
    """Yield the original and the published records."""
    with snapshot_of(TABLE) as before:
        recoded = {name: Recoded(codes=np.array(codes), values=values)}
        with before.recode(recoded, np.ones(8, dtype=np.bool_)) as after:
            yield SnapshotRecords(before, "*"), SnapshotRecords(after, "*")


@pytest.fixture
def own():
    """The automatic hierarchy of the jobs."""
    with snapshot_of(TABLE) as before:
        return automatic_hierarchy(before.column("job"))


def test_labels_that_only_a_hierarchy_can_read_get_the_automatic_one(own):
    """Eight long names, of which the rare are called others by their number."""
    level = next(i for i in range(own.levels) if any("other (" in (label or "") for label in own.labels[i]))
    codes = own.groups[level][1:]
    with published("job", own.labels[level], codes) as (before, after):
        found = LabelHierarchies({}, before, after, "*")
        assert found["job"].labels == own.labels
        assert (found["job"].groups == own.groups).all()
        assert list(found) == ["job"]
        assert len(found) == 1


def test_what_can_be_read_needs_none():
    """Intervals, the mark, and columns that did not change."""
    with published("age", ("[20, 21]", "*"), [0, 0, 1, 1] * 2) as (before, after):
        found = LabelHierarchies({}, before, after, "*")
        assert dict(found) == {}
        assert [found.get(name) for name in ("age", "job", "nowhere")] == [None] * 3


def test_a_declared_one_goes_first(own):
    """The policy says what labels mean."""
    with published("job", ("nobody knows",), [0] * 8) as (before, after):
        assert LabelHierarchies({"job": own}, before, after, "*")["job"] is own
        with pytest.raises(KeyError):
            LabelHierarchies({"job": own}, before, after, "*")["age"]
