"""What an anonymizer is asked to reach is what the policy says, over all that an attacker may know."""

import pandas as pd
import pytest

from plugged import Doing, host_with, kept_as_it_is
from qidguard import PolicyError
from qidguard.core.progress import SILENT
from qidguard.policy import load_policy
from qidguard.trials.context import TrialContext
from qidguard.trials.stages import audit_copy
from qidguard.trials.task import known_sets, task_of
from releases import once, people


def asked(rules, table=None):
    """Return the task of a policy on a table."""
    host = host_with([Doing(kept_as_it_is)])
    source = people() if table is None else table
    context = TrialContext.of(source, load_policy(rules), host, progress=SILENT, seed=3)
    with context.snapshot() as snapshot:
        return task_of(context, audit_copy(context, snapshot).report, {})


BOTH, K = ("age", "sex"), {"metric": "k_anonymity"}


def test_every_part_of_the_policy_arrives():
    """Roles, the mark, the seed, and a target for each threshold that blocks; without a mark a star."""
    diverse = {"metric": "distinct_l_diversity", "at_least": 2}
    warned = {"metric": "t_closeness", "at_most": 0.5, "on_miss": "warn"}
    limits = [K | {"at_least": 5}, diverse, warned]
    task = asked(once(thresholds=limits, source={"suppression_mark": "**"}))
    assert task.combinations == (BOTH,)
    assert (task.entity, task.sensitive, task.direct_identifiers) == ("person", ("illness",), ("name",))
    assert (task.target, task.seed, task.suppression_mark) == (None, 3, "**")
    said = [(t.metric.name, t.limit.value, t.qids, t.sensitive, t.knows_any) for t in task.targets]
    assert said == [("k_anonymity", 5, BOTH, None, None), ("distinct_l_diversity", 2, BOTH, "illness", None)]
    assert asked(once()).suppression_mark == "*"


def test_a_preset_and_further_combinations_ask_too():
    """The preset's limit stands for every combination; an attacker who knows any one of two knows each."""
    both = {"name": "both", "quasi_identifiers": list(BOTH), "thresholds": [K | {"at_least": 2}]}
    more = {"preset": "pdpc-sg-5", "thresholds": [], "attacker": {"knows_any": 1}}
    task = asked(once(**more, combinations=[both]))
    assert task.combinations == (("age",), ("sex",), BOTH)
    assert {t.metric.name for t in task.targets} == {"k_anonymity"}
    said = [(t.limit.value, t.qids, t.knows_any, t.limit.combination) for t in task.targets]
    assert said == [(5, BOTH, 1, "default"), (2, BOTH, None, "both"), (5, BOTH, None, "both")]


def test_qids_that_recognizers_found_are_the_task():
    """The policy names none; the report of the source does."""
    roles = {"sensitive": ["illness"], "insensitive": ["person"], "direct_identifiers": ["name"]}
    assert asked(once(roles={"quasi_identifiers": "auto", **roles})).combinations == (BOTH,)


def test_too_many_sets_are_refused():
    """Any 10 of 20 QIDs are 184,756 sets."""
    names = [f"q{i}" for i in range(20)]
    rules = load_policy(once(roles={"quasi_identifiers": names}, attacker={"knows_any": 10}))
    with pytest.raises(PolicyError, match="any 10 of 20 QIDs are more than 20,000 sets"):
        known_sets(rules, tuple(names))
    assert pd.Series(known_sets(rules, tuple(names[:11]))).map(len).eq(10).all()
