"""Joint classes in the search for changes: who shares class and trajectory, whatever the level is."""

from dataclasses import replace

import numpy as np
import pandas as pd

from advised import policy
from qidguard.advising.classes import ClassLimit
from qidguard.advising.counted_rows import CountedRows
from qidguard.core.isolated import Isolated, IsolatedOverTime
from qidguard.core.progress import SILENT
from qidguard.host import load_host
from qidguard.policy import load_policy
from qidguard.trials.context import TrialContext
from qidguard.trials.stages import audit_copy

TABLE = pd.DataFrame({"age": [30, 30, 41, 41, 41], "sex": ["f"] * 5})
TRAJECTORY = np.array([0, 1, 0, 1, -1])
FOUND = IsolatedOverTime(qids=("age",), k=2, releases=1, followed=5, isolated=Isolated(stayed=4, came=1))


def counted(trajectory):
    """Return the rows of the table, beside which trajectories are known or not."""
    rules = load_policy(policy(["age", "sex"]))
    context = TrialContext.of(TABLE, rules, load_host(), progress=SILENT, seed=1)
    with context.snapshot() as snapshot:
        audited = audit_copy(context, snapshot)
        return CountedRows.of(
            context, replace(audited, report=replace(audited.report, isolated=(FOUND,))), trajectory
        )


def test_a_trajectory_stands_beside_the_quasi_identifiers():
    """Each of five is alone by age and trajectory; without the age only the newcomer is, on any level."""
    found = counted(TRAJECTORY)
    assert found.joint == ClassLimit(columns=(0, 2), persons=2)
    assert found.rows.count(found.limits).persons == 5
    dropped = found.rows.moved([np.zeros(3, dtype=np.int32), None, None])
    assert dropped.count(found.limits).persons == 1
    assert dropped.settled(found.limits).count(found.limits).persons == 1
    assert found.rows.count(found.leading_limits).persons == 0


def test_without_a_trajectory_classes_alone_are_counted():
    """Both classes hold two persons or more."""
    found = counted(None)
    assert (found.joint, found.rows.count(found.limits).persons) == (None, 0)
