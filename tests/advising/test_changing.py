"""Each change that is told passes when a release makes it, and comes as lines that a policy takes."""

import numpy as np
import pandas as pd
import pytest
from ruamel.yaml import YAML

from advised import advised, policy, tried
from qidguard.advising.advice import Coarser
from qidguard.advising.changing import policy_lines
from qidguard.advising.confirming import Confirming
from qidguard.anonymizing.declared import DeclaredHierarchies
from qidguard.core.progress import SILENT
from qidguard.host import load_host
from qidguard.policy import HierarchySettings, load_policy
from qidguard.trials.context import TrialContext
from qidguard.trials.stages import audit_copy

WARD = pd.DataFrame(
    {
        "age": [20 + 3 * (i % 15) for i in range(120)],
        "town: home": [f"{'ABCDEF'[i % 6]}ton" for i in range(120)],
        "sex": ["f" if i % 2 else "m" for i in range(120)],
        "ill": [("flu", "cold", "gout")[i % 3] for i in range(120)],
    }
)
QIDS = ["age", "town: home", "sex"]


@pytest.mark.slow
def test_each_change_passes_when_a_release_makes_it():
    """The lines are put into the policy, the remedy is run, and the audit of what comes out passes."""
    rules = policy(QIDS, {"metric": "k_anonymity", "at_least": 8}, roles={"insensitive": ["ill"]})
    found = advised(WARD, rules)
    assert found.changes
    for change in found.changes:
        done = tried(WARD, rules, change)
        assert done.is_passed
        receipt = done.transformed.receipt
        assert receipt.records_before - receipt.records_after == change.records_left_out
    losses = [change.loss for change in found.changes]
    assert losses == sorted(losses)


@pytest.mark.slow
def test_persons_who_are_left_out_are_counted_and_granted():
    """Where a few may be left out, the policy grants the share that is needed, of persons."""
    rng = np.random.default_rng(1)
    drawn = {"age": rng.integers(20, 60, 400), "sex": rng.integers(0, 2, 400)}
    table = pd.DataFrame({"who": range(400), **drawn})
    table = pd.concat([table, table.head(100)], ignore_index=True)
    table.loc[table.index[-3:], "age"] = 99
    rules = policy(["age", "sex"], {"metric": "k_anonymity", "at_least": 6}, roles={"entity": "who"})
    found = advised(table, rules, most_left_out=0.05)
    assert any(change.left_out for change in found.changes)
    for change in found.changes:
        assert change.left_out <= min(0.05, change.suppress) * 400
        assert tried(table, rules, change).is_passed


@pytest.mark.slow
def test_sensitive_values_are_part_of_the_whole_policy():
    """A change is told where distinct values and t-closeness hold, too, and not sooner."""
    rng = np.random.default_rng(2)
    table = pd.DataFrame({"age": rng.integers(20, 40, 300), "job": rng.integers(0, 4, 300).astype(str)})
    table["ill"] = np.where(table.age < 30, rng.integers(0, 2, 300), rng.integers(0, 3, 300)).astype(str)
    limits = {
        "k_anonymity": {"at_least": 5},
        "distinct_l_diversity": {"at_least": 2},
        "t_closeness": {"at_most": 0.25},
    }
    asked = [{"metric": name} | limit for name, limit in limits.items()]
    rules = policy(["age", "job"], *asked, roles={"sensitive": ["ill"]})
    found = advised(table, rules)
    assert found.changes
    assert not found.is_exact
    for change in found.changes:
        assert tried(table, rules, change).is_passed


@pytest.mark.slow
def test_a_column_that_tells_the_exact_values_keeps_a_change_from_being_told():
    """Birth years beside ages undo every level of age, so another column is changed, or nothing is found."""
    table = WARD.assign(born=2020 - WARD["age"])
    rules = policy(["age"], {"metric": "k_anonymity", "at_least": 20}, roles={"insensitive": ["born", "sex"]})
    table = table[["age", "born", "sex"]]
    found = advised(table, rules)
    assert found.changes == ()
    assert "tell what would be generalized (age)" in found.hindrances[0]


NO_LEVEL = "No levels were found that leave at most 2 % in classes that miss a limit."
SENSITIVE = "No level can be changed: every quasi-identifier is a sensitive attribute, too."


@pytest.mark.parametrize(("k", "sensitive", "said"), [(500, [], NO_LEVEL), (20, ["age"], SENSITIVE)])
def test_where_no_level_helps_that_is_told(k, sensitive, said):
    """Fewer persons than a class needs stay too few; what is sensitive, too, is never coarser."""
    roles = {"sensitive": sensitive, "insensitive": ["sex"]}
    rules = policy(["age"], {"metric": "k_anonymity", "at_least": k}, roles=roles)
    found = advised(WARD[["age", "sex"]], rules)
    assert (found.changes, found.hindrances) == ((), (said,))


@pytest.mark.slow
def test_the_same_seed_or_another_tells_the_same():
    """Nothing is drawn that decides, and threads play no part."""
    rules = policy(QIDS, {"metric": "k_anonymity", "at_least": 8}, roles={"insensitive": ["ill"]})
    one, two = advised(WARD, rules), advised(WARD, rules | {"threads": 1}, seed=9)
    assert one.changes == two.changes
    assert one.without == two.without


HOSTILE = [
    "<<",
    "a: b",
    "- x",
    "yes",
    "#n",
    "{age}",
    "it's",
    'say "hi"',
    "line\nbreak",
    " lead",
    "drop",
    "é",
    "1",
]
HOSTILE += ["null", "*a", "?q", "x" * 1500]


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_lines_load_whatever_a_column_is_called(name):
    """YAML gives back the column, its level and its hierarchy."""
    column, levels = Coarser(column=name, level=2, coarsest=3, ncp=0.5), [5, 1000000]
    lines = policy_lines([column], 0.013, {name: HierarchySettings(intervals=levels)})
    remedy = {"recode": {name: 2}, "suppress": 0.013}
    read = YAML(typ="safe").load("\n".join(lines))
    assert read == {"remedy": remedy, "hierarchies": {name: {"intervals": levels}}}


def test_lines_of_a_change_that_only_leaves_out():
    """A remedy that changes no column grants what is left out."""
    read = YAML(typ="safe").load("\n".join(policy_lines([], 0.02, {})))
    assert read == {"remedy": {"recode": {}, "suppress": 0.02}}


@pytest.mark.slow
@pytest.mark.parametrize("has_years", [False, True])
@pytest.mark.parametrize("levels", [{"age": 1}, {"age": "drop"}, {"age": 2, "sex": "drop"}])
def test_what_is_audited_in_memory_is_what_a_recoded_copy_is(levels, has_years, monkeypatch):
    """Both ways give the same answer for the same reasons, also where a column tells exact values."""
    table = WARD.assign(born=2020 - WARD["age"] if has_years else 2020)[["age", "sex", "born"]]
    rules = policy(["age", "sex"], {"metric": "k_anonymity", "at_least": 9}, roles={"insensitive": ["born"]})
    rules["hierarchies"] = {"age": {"intervals": [50, 200]}}
    context = TrialContext.of(table, load_policy(rules), load_host(), progress=SILENT, seed=1)
    found = []
    for is_in_memory in (True, False):
        with context.snapshot() as snapshot:
            source = audit_copy(context, snapshot)
            declared = DeclaredHierarchies.read(context.policy).bound_to(source.records)
            confirming = Confirming(context=context, source=source, hierarchies=declared, most_left_out=0.0)
            monkeypatch.setattr(Confirming, "_is_told_in_memory", is_in_memory)
            found.append(confirming.confirm(levels))
    assert found[0] == found[1]
    assert found[0].is_passed is not (has_years and levels["age"] != 0)


@pytest.mark.slow
def test_limits_outside_the_qids_are_audited_on_a_copy():
    """Where the policy also limits whom other columns tell apart, changes are audited as a release does."""
    limit = {"metric": "rest_unique_share", "at_most": 0.5}
    rules = policy(QIDS, {"metric": "k_anonymity", "at_least": 8}, limit, roles={"insensitive": ["ill"]})
    found = advised(WARD, rules)
    assert found.changes
    assert tried(WARD, rules, found.changes[0]).is_passed
    table = WARD.assign(score=[i % 100 for i in range(120)])
    rules = policy(["age"], {"metric": "k_anonymity", "at_least": 9}, limit, roles={"insensitive": ["score"]})
    [hindrance] = advised(table[["age", "score"]], rules).hindrances
    assert hindrance.startswith("rest_unique_share is of what is published outside the quasi-identifiers")
