"""A series follows persons, and its leavers go with a remedy that decides which of them stay."""

from typing import Any

import numpy as np
import pytest

from plugged import Doing, host_with
from policy_texts import complaint, fields
from qidguard import PolicyError
from qidguard.auditing.remedy import find_remedy
from qidguard.policy import load_policy

POLICY = fields({"quasi_identifiers": ["age"], "entity": "person"})


def test_a_series_follows_persons():
    """Without an entity nobody is followed."""
    changes = {"roles": {"quasi_identifiers": ["age"]}, "series": {"came_on": "a"}}
    assert "names no roles.entity" in complaint(POLICY | changes)


def keeps_all(records: Any, *_: Any) -> np.ndarray:
    """Return that every record is kept."""
    return np.ones(records.records, dtype=np.bool_)


FOR_SERIES = Doing(keeps_all, "for_series", needs_last_values=True)
FOR_ONE = Doing(keeps_all, "for_one")


@pytest.mark.parametrize(("changes", "said"), [
    ({}, "the remedy for_series needs the last values of who left; write series.left_on"),
    ({"roles": {"quasi_identifiers": ["age"]}}, "for_series needs persons whom it can follow"),
    ({"release": {"earlier_releases": "unrelated"}}, "for_series needs the earlier releases; write"),
    ({"release": {"data_set": "x", "unrelated": [{"data_set": "X", "reason": "other people"}]}},
     "do not name the data set under unrelated"),
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
