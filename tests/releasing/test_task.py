"""What an anonymiser is asked to reach is what the policy says, over all that an attacker may know."""

from datetime import date

import pandas as pd
import pytest

from plugged import Doing, host_with, kept_as_it_is
from qidguard import PolicyError
from qidguard.core.policy import load_policy
from qidguard.core.progress import SILENT
from qidguard.engines.base import EngineSettings, ReadOptions
from qidguard.releasing.bench import Bench, unchanged
from qidguard.releasing.task import known_sets, task_of
from releases import people, policy


def asked(rules, table=None):
    """Return the task of a policy on a table."""
    host = host_with([Doing(kept_as_it_is)])
    bench = Bench(
        policy=load_policy(rules),
        host=host,
        engine=host.engine("duckdb"),
        settings=EngineSettings(),
        label="people",
        today=date(2026, 11, 13),
        seed=3,
        progress=SILENT,
    )
    source = people() if table is None else table
    with (
        bench.engine.snapshot(source, ReadOptions(), bench.settings) as snapshot,
        bench.audit(snapshot, unchanged(bench.records(snapshot), "*", 3)) as found,
    ):
        return task_of(bench, found.report, {})


def test_every_part_of_the_policy_arrives():
    """Roles, the mark, the seed, and a target for each threshold that blocks."""
    task = asked(
        policy(
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
        policy(
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
    assert asked(policy()).suppression_mark == "*"


def test_qids_that_recognisers_found_are_the_task():
    """The policy names none; the report of the source does."""
    rules = policy(roles={"quasi_identifiers": "auto", "sensitive": ["illness"], "insensitive": ["person"]})
    rules["roles"]["direct_identifiers"] = ["name"]
    assert asked(rules).combinations == (("age", "sex"),)


def test_too_many_sets_are_refused():
    """Any 10 of 20 QIDs are 184,756 sets."""
    names = [f"q{i}" for i in range(20)]
    rules = load_policy(
        policy(roles={"quasi_identifiers": names}, attacker={"knows_any": 10}),
    )
    with pytest.raises(PolicyError, match="any 10 of 20 QIDs are more than 20,000 sets"):
        known_sets(rules, tuple(names))
    assert pd.Series(known_sets(rules, tuple(names[:11]))).map(len).eq(10).all()
