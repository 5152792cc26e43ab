"""The ``series`` section: columns that tell of persons' stay are never published, and go with a remedy."""

from typing import Any

import numpy as np
import pytest

from plugged import Doing, host_with
from qidguard import PolicyError
from qidguard.auditing.remedy import find_remedy
from qidguard.policy import load_policy, parse_policy

TEXT = """qidguard: 1
name: p
roles: {quasi_identifiers: [age], sensitive: [illness], entity: person}
thresholds: [{metric: k_anonymity, at_least: 5}]
"""
POLICY: dict[str, Any] = {
    "qidguard": 1,
    "name": "p",
    "roles": {"quasi_identifiers": ["age"], "entity": "person"},
    "thresholds": [{"metric": "k_anonymity", "at_least": 5}],
}


def test_its_columns_are_decided_and_never_published():
    """They need no role, the table has to have them, and the state stands relative to the policy's file."""
    policy = parse_policy(TEXT + "series: {left_on: left, came_on: came, exit_on: until}\n", "a/p.yaml")
    assert policy.dropped_columns == ("left", "came", "until")
    assert set(policy.mentioned_columns) >= {"left", "came", "until"}
    assert policy.path_of_column("came") == ("series", "came_on")
    assert policy.state_folder is None
    kept = parse_policy(TEXT + "series: {state: private}\n", "a/p.yaml")
    assert (kept.dropped_columns, kept.state_folder) == ((), "a/private")


@pytest.mark.parametrize(("written", "said"), [
    ("series: {}", "series says nothing; write left_on or state"),
    ("series: {left_on: a, state: b}", "series has both left_on and state"),
    ("series: {left_on: a, erased: b}", "series has erased without state; remove these persons"),
    ('series: {state: "s3://a/b"}', "series.state must be a folder of this machine; write its path"),
    ("series: {left_on: a, came_on: a}", "series.came_on names the column 'a' twice"),
    ("series: {left_on: age}", "column 'age' is left_on of the series and so never published"),
    ("series: {exit_on: illness}", "it is sensitive, too; give the series a column of its own"),
    ("series: {came_on: person}", "it is the entity, too"),
    ("series: {left: a}", "there is no field series.left; did you mean 'left_on'?"),
    ("series: {came_on: a}\nrelease: {earlier_releases: unrelated}", "write earlier_releases: judged"),
    ("series: {came_on: a}\naccepted: [{columns: [a], reason: it is public}]",
     "column 'a' is accepted, but it is a column of the series and so never published"),
])  # fmt: skip
def test_what_it_must_be_to_the_rest(written, said):
    """One sentence each."""
    with pytest.raises(PolicyError) as raised:
        parse_policy(TEXT + written + "\n")
    assert said in str(raised.value)


def test_a_series_follows_persons():
    """Without an entity nobody is followed."""
    with pytest.raises(PolicyError, match=r"names no roles\.entity"):
        load_policy(POLICY | {"roles": {"quasi_identifiers": ["age"]}, "series": {"came_on": "a"}})


def keeps_all(records: Any, *_: Any) -> np.ndarray:
    """Return that every record is kept."""
    return np.ones(records.records, dtype=np.bool_)


FOR_SERIES = Doing(keeps_all, "for_series", needs_last_values=True)
FOR_ONE = Doing(keeps_all, "for_one")


@pytest.mark.parametrize(("changes", "said"), [
    ({}, "the remedy for_series needs the last values of who left; write series.left_on"),
    ({"roles": {"quasi_identifiers": ["age"]}}, "for_series needs persons whom it can follow"),
    ({"release": {"earlier_releases": "unrelated"}}, "for_series needs the earlier releases; write"),
    ({"series": {"left_on": "a"}, "remedy": {"anonymizer": "for_one"}},
     "the remedy for_one does not decide which of them stay"),
    ({"series": {"state": "a"}, "remedy": None}, "no remedy decides which of them stay"),
    ({"series": {"state": "a"}, "remedy": {"recode": {"age": "drop"}}}, "no remedy decides which"),
])  # fmt: skip
def test_who_decides_on_leavers_has_their_last_values_and_the_other_way_round(changes, said):
    """A remedy for a series and a policy that keeps leavers belong together."""
    policy = load_policy(POLICY | {"remedy": {"anonymizer": "for_series"}} | changes)
    with pytest.raises(PolicyError) as raised:
        find_remedy(policy, host_with(anonymizers=[FOR_SERIES, FOR_ONE]))
    assert said in str(raised.value)


def test_a_remedy_for_a_series_is_always_applied():
    """Which records of leavers stay is decided where the policy holds already, too."""
    policy = load_policy(POLICY | {"series": {"left_on": "a"}, "remedy": {"anonymizer": "for_series"}})
    remedy = find_remedy(policy, host_with(anonymizers=[FOR_SERIES]))
    assert (remedy.is_always, remedy.needs_last_values) == (True, True)
