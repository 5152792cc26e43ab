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


def test_every_part_of_the_policy_arrives():
    """Roles, the mark, the seed, and a target for each threshold that blocks."""
    task = asked(
        once(
            thresholds=[
                {"metric": "k_anonymity", "at_least": 5},
                {"metric": "distinct_l_diversity", "at_least": 2},
                {"metric": "t_closeness", "at_most": 0.5, "on_miss": "warn"},
            ],
            source={"suppression_mark": "**"},
        )
    )
    assert task.combinations == (("age", "sex"),)
    assert (task.entity, task.sensitive, task.direct_identifiers) == ("person", ("illness",), ("name",))
    assert (task.target, task.seed, task.suppression_mark) == (None, 3, "**")
    said = [(t.metric.name, t.limit.value, t.qids, t.sensitive, t.knows_any) for t in task.targets]
    assert said == [
        ("k_anonymity", 5, ("age", "sex"), None, None),
        ("distinct_l_diversity", 2, ("age", "sex"), "illness", None),
    ]


def test_a_preset_and_further_combinations_ask_too():
    """The preset's limit stands for every combination; an attacker who knows any one of two knows each."""
    task = asked(
        once(
            preset="pdpc-sg-5",
            thresholds=[],
            attacker={"knows_any": 1},
            combinations=[
                {
                    "name": "both",
                    "quasi_identifiers": ["age", "sex"],
                    "thresholds": [{"metric": "k_anonymity", "at_least": 2}],
                }
            ],
        )
    )
    assert task.combinations == (("age",), ("sex",), ("age", "sex"))
    said = [(t.metric.name, t.limit.value, t.qids, t.knows_any, t.limit.combination) for t in task.targets]
    assert said == [
        ("k_anonymity", 5, ("age", "sex"), 1, "default"),
        ("k_anonymity", 2, ("age", "sex"), None, "both"),
        ("k_anonymity", 5, ("age", "sex"), None, "both"),
    ]


def test_without_a_mark_a_star_stands_for_a_suppressed_cell():
    """As in ARX."""
    assert asked(once()).suppression_mark == "*"


def test_qids_that_recognizers_found_are_the_task():
    """The policy names none; the report of the source does."""
    rules = once(roles={"quasi_identifiers": "auto", "sensitive": ["illness"], "insensitive": ["person"]})
    rules["roles"]["direct_identifiers"] = ["name"]
    assert asked(rules).combinations == (("age", "sex"),)


def test_too_many_sets_are_refused():
    """Any 10 of 20 QIDs are 184,756 sets."""
    names = [f"q{i}" for i in range(20)]
    rules = load_policy(
        once(roles={"quasi_identifiers": names}, attacker={"knows_any": 10}),
    )
    with pytest.raises(PolicyError, match="any 10 of 20 QIDs are more than 20,000 sets"):
        known_sets(rules, tuple(names))
    assert pd.Series(known_sets(rules, tuple(names[:11]))).map(len).eq(10).all()
