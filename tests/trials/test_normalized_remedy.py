"""Anonymizers take as one value what the policy normalizes to one, as the audit does that follows."""

import numpy as np
import pandas as pd
import pytest

from qidguard import anonymize
from qidguard.anonymizing.records import SnapshotRecords
from qidguard.core.spelling import Normalized, Spelling
from qidguard.engines.base import EngineSettings, ReadOptions
from qidguard.engines.duckdb.engine import ENGINE
from qidguard_standard.anonymizers import ANONYMIZERS
from quick import mostly_slow
from releases import at_least, once

RECORDS = 48
HALF = RECORDS // 4
ILLNESS, STAY = ["hiv", "HIV"] * HALF + ["flu", "flu "] * HALF, ["1", "1.0"] * HALF + ["7", "07"] * HALF
TABLE = pd.DataFrame({"age": np.arange(RECORDS) // 2, "illness": ILLNESS, "stay": STAY})
ROLES = {"quasi_identifiers": ["age"], "sensitive": ["illness", "stay"]}
RULES = once(
    roles=ROLES,
    source={"normalize": "all"},
    thresholds=at_least(k_anonymity=4, distinct_l_diversity=2),
    hierarchies={"age": {"intervals": [2, 4, 8, 16, 48]}},
)
DIVERSE = sorted(a.name for a in ANONYMIZERS if {"l", "t"} & {p.name for p in a.parameters})
ARGUMENTS = {"kept_groups": {"leavers_stay": "until_k", "sensitive_changes": "never"}}
"""What an anonymizer cannot do without."""


@pytest.mark.slow
@pytest.mark.parametrize("name", mostly_slow(DIVERSE, quick=2))
def test_what_an_anonymizer_reaches_holds_when_it_is_measured_after_normalizing(name: str) -> None:
    """The first half has one illness and the second another: a class of one half has two writings of one."""
    with anonymize(TABLE, policy=RULES, anonymizer=name, parameters=ARGUMENTS.get(name), seed=1) as tried:
        verdict = tried.after.verdict
        assert verdict is not None
        missed = [r.measurement.metric for r in verdict.thresholds if not r.is_met]
        assert missed == []


def test_codes_are_one_where_values_are_and_columns_keep_every_text() -> None:
    """In the order of the first of each; missing is 0, and a mark is a value of its own."""
    table = pd.DataFrame({"x": ["b", "B ", None, "a", "NA", "A", "-"]})
    with ENGINE.snapshot(table, ReadOptions(), EngineSettings(threads=1)) as snapshot:
        every = Normalized(column="x", spellings=tuple(Spelling))
        found = SnapshotRecords(snapshot, "*", (every,))
        assert found.codes(("x",))[:, 0].tolist() == [2, 2, 0, 1, 0, 1, 0]
        assert found.column("x").distinct == 6
        marked = SnapshotRecords(snapshot, "-", (every,))
        assert len(set(marked.codes(("x",))[[2, 4, 6], 0].tolist())) == 2
        only = SnapshotRecords(snapshot, "*", (Normalized(column="x", spellings=(Spelling.CASE,)),))
        assert len(set(only.codes(("x",))[:, 0].tolist())) == 6
        assert not (SnapshotRecords(snapshot).codes(("x",)) == found.codes(("x",))).all()
