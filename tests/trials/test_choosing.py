"""One of several solutions is chosen by what the host measures, and the receipt says which and why."""

import re

import numpy as np
import pytest

from plugged import Doing, host_with
from qidguard import PolicyError, anonymize
from qidguard.policy import load_policy, parse_policy
from qidguard.sdk import Anonymized, UserError
from qidguard.trials.trial_lines import done_lines
from several import MARK, ManyBlocks, policy, table

HOST = host_with([ManyBlocks(), Doing(lambda r, *_: Anonymized(kept=np.ones(r.records, bool)), "alone")])


HEAD = """qidguard: 1
name: p
roles: {quasi_identifiers: [age], sensitive: [illness]}
thresholds: [{metric: k_anonymity, at_least: 5}]
remedy:
  anonymizer: mondrian
"""


def chosen(k=5, choose=None, **remedy):
    """Return the choice of a trial, as a document, and whether it passed."""
    with anonymize(table(), policy=policy(k, **remedy), choose=choose, host=HOST, seed=1) as trial:
        return trial.to_dict()["receipt"]["choice"], trial.is_passed


@pytest.mark.slow
def test_the_cheapest_is_the_least_loss_of_those_that_meet_the_policy():
    """Blocks of 2 and 4 lose less than those of 6, but miss k = 5; claims of no loss count for nothing."""
    found, is_passed = chosen(choose="cheapest")
    assert is_passed
    assert found["chosen"] == "size=6"
    assert [one["limits_missed"] for one in found["solutions"]] == [1, 1, 0, 0, 0, 0]
    losses = [one["measured"]["information_loss"] for one in found["solutions"]]
    assert 0 < losses[0] < losses[1] < losses[2] == min(losses[2:])
    assert {one["claimed"]["information_loss"] for one in found["solutions"]} == {0.0}
    assert found["why"] == "It is the least information_loss of the 4 that meet the policy in memory."


@pytest.mark.slow
def test_the_knee_is_on_the_front_of_those_that_meet_the_policy():
    """It is named whatever the rule is."""
    found, is_passed = chosen(k=3, choose="knee")
    [knee] = [one for one in found["solutions"] if one["is_knee"]]
    assert is_passed
    assert found["chosen"] == found["knee"] == knee["label"]
    assert knee["is_on_front"]
    assert knee["meets_policy"]
    assert not found["solutions"][0]["is_on_front"]
    other, _ = chosen(k=3, choose="cheapest")
    assert other["knee"] == found["knee"]


RULES = {
    "information_loss": (2, {"information_loss": 1}, "size=2", True),
    "k": (2, "k_anonymity=1", "size=12", True),
    "a weight below 0": (2, "information_loss=-1", "size=10", True),
    "two weights": (
        2, "prosecutor_share_above[threshold=0.25]=5, information_loss=1", "size=4", True,
    ),
    "none meets the policy": (25, "cheapest", "size=2", False),
    "its own choice": (2, None, None, True),
}  # fmt: skip
"""The k of the policy, by what is chosen, the solution that is, and whether it passes."""


@pytest.mark.slow
@pytest.mark.parametrize(("k", "choose", "label", "passes"), RULES.values(), ids=RULES)
def test_weights_decide_by_figures_in_0_to_1(k, choose, label, passes):
    """All weight on one takes the best in it; without a rule nothing is chosen; of none the least loss."""
    found, is_passed = chosen(k=k, choose=choose)
    assert (found and found["chosen"], is_passed) == (label, passes)
    if k == 25:
        assert found["why"].endswith("of all 6, as none meets the policy in memory.")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("written", "label"),
    [
        ("cheapest", "size=6"),
        ("{weights: {k_anonymity: 1}}", "size=12"),
        ('{weights: {"prosecutor_share_above[threshold=0.2]": 9, ncp: 1}}', "size=6"),
    ],
)
def test_the_policy_says_how_is_chosen(written, label):
    """Whoever runs the method may say otherwise."""
    text = HEAD.replace("mondrian", "many_blocks[k=2, sizes=6]") + f"  choose: {written}\n"
    rules = parse_policy(text)
    assert load_policy(rules.model_dump(mode="json", exclude_defaults=True)).remedy == rules.remedy
    with anonymize(table(), policy=rules, host=HOST, seed=1) as trial:
        assert trial.is_passed
        assert trial.to_dict()["receipt"]["choice"]["chosen"] == label
    with anonymize(table(), policy=rules, choose="information_loss=1", host=HOST, seed=1) as trial:
        assert trial.to_dict()["receipt"]["choice"]["chosen"] == "size=6"


@pytest.mark.slow
def test_one_that_has_one_solution_is_taken_as_it_is():
    """And nothing is said of a choice."""
    assert chosen(k=2, anonymizer="alone", choose="knee")[0] is None


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("chepest", "line 7: remedy.choose must be cheapest, knee, or weights with a number a metric, not"),
        ("[knee]", "remedy.choose must be cheapest, knee, or weights with a number a metric, not a list"),
        ("{weights: {}}", "remedy.choose.weights must be a mapping of metrics to numbers"),
        ("{weights: {ncp: 0}}", "remedy.choose.weights gives ncp the weight 0"),
        ("{weights: {ncp: x}}", "must be a number, not 'x'"),
        ("{weights: {ncp: .inf}}", "must be a finite number"),
    ],
)
def test_a_fault_of_the_policy_names_its_line(written, said):
    """As everywhere in a policy."""
    with pytest.raises(PolicyError) as raised:
        parse_policy(HEAD + f"  choose: {written}\n")
    assert said in str(raised.value)
    assert "line 7" in str(raised.value)


def test_a_metric_that_there_is_not_is_a_fault_of_the_policy():
    """It is found before anything is read."""
    rules = policy(choose={"weights": {"no_such": 1}})
    with pytest.raises(PolicyError, match="there is no metric 'no_such'"):
        anonymize(table(), policy=rules, host=HOST)


@pytest.mark.parametrize(
    ("choose", "said"),
    [
        ("kneee", "what is chosen is cheapest, knee, or weights such as"),
        ("ncp=", "gives no weight as a number"),
        ("ncp=1,ncp=2", "the weight of ncp stands twice"),
        ("ncp=0", "the weight of ncp is a finite number that is not 0"),
        ("no_such=1", "no_such"),
        ({}, "weights name at least one metric"),
        ("prosecutor_share_above[threshold=7]=1", "threshold"),
    ],
)
def test_a_wrong_wish_is_the_users_mistake(choose, said):
    """One sentence that says what may be written."""
    with pytest.raises(UserError, match=re.escape(said)):
        anonymize(table(), policy=policy(), choose=choose, host=HOST)


@pytest.mark.slow
def test_the_receipt_tells_all_solutions_and_no_value_of_the_table():
    """On the screen, in JSON and in a notebook: which, why, what was measured and what was claimed."""
    with anonymize(table(), policy=policy(), choose="knee", host=HOST, seed=1) as trial:
        lines = list(done_lines(trial))
        shown = "\n".join(lines) + trial.to_json()
        [first] = [line for line in lines if "size=2:" in line]
        assert re.search(r"size=2: information_loss 0\.\d+ \(claims 0\), .*misses 1 limit$", first)
        assert any(line.startswith("chosen of 6 solutions: size=") for line in lines)
        assert "claims block 2" in first
        assert not any(str(MARK + 3 * i) in shown for i in range(24))
