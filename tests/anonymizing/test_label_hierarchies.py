"""Labels of a hierarchy that an anonymizer made by itself can be read, where nothing else can read them."""

from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest

from qidguard.anonymizing.declared import LabelHierarchies
from qidguard.anonymizing.records import SnapshotRecords
from qidguard.engines.base import EngineSettings, ReadOptions
from qidguard.host import load_host
from qidguard.sdk import Hierarchy, Recoded, automatic_hierarchy

NAMES = [f"a rather long name of an occupation, number {i:02}" for i in range(8)]
TABLE = pd.DataFrame({"job": NAMES, "age": [20, 21, 22, 23] * 2})


@contextmanager
def published(name, values, codes):
    """Yield the original and the published records."""
    engine = load_host().engine("duckdb")
    with engine.snapshot(TABLE, ReadOptions(), EngineSettings()) as before:
        recoded = {name: Recoded(codes=np.array(codes), values=values)}
        with before.recode(recoded, np.ones(8, dtype=np.bool_)) as after:
            yield SnapshotRecords(before, "*"), SnapshotRecords(after, "*")


def level_one() -> Hierarchy:
    """Return the automatic hierarchy of the jobs."""
    engine = load_host().engine("duckdb")
    with engine.snapshot(TABLE, ReadOptions(), EngineSettings()) as before:
        return automatic_hierarchy(before.column("job"))


def test_labels_that_only_a_hierarchy_can_read_get_the_automatic_one():
    """Eight long names, of which the rare are called others by their number."""
    own = level_one()
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
        assert (dict(found), found.get("age"), found.get("job"), found.get("nowhere")) == (
            {},
            None,
            None,
            None,
        )


def test_a_declared_one_goes_first():
    """The policy says what labels mean."""
    own = level_one()
    with published("job", ("nobody knows",), [0] * 8) as (before, after):
        assert LabelHierarchies({"job": own}, before, after, "*")["job"] is own
        with pytest.raises(KeyError):
            LabelHierarchies({"job": own}, before, after, "*")["age"]
