"""Share isolated over releases against sets of people; a release is person → class, the last is the table."""

from types import SimpleNamespace

import pytest

from followed import classes_of, history, isolated
from qidguard.core.parameter import bind
from qidguard.sdk import Grouping, UserError
from qidguard_standard.over_time.share_isolated_over_releases import SHARE_ISOLATED_OVER_RELEASES


def measure(k, *releases, most_recent=0):
    """Measure the last release against the earlier ones."""
    view = SimpleNamespace(history=history(*releases))
    arguments = {"k": k, "most_recent": most_recent}
    return SHARE_ISOLATED_OVER_RELEASES.method.measure(view, Grouping(qids=("a", "b")), arguments)


def share_below_three(table, earlier):
    """Count the persons of any release who are isolated, of all."""
    releases = [classes_of(one) for one in (*earlier, table)]
    return len(isolated(3, *releases)) / len(set().union(*releases))


def test_by_hand():
    """Both a and b stayed together, c changed class alone, d left and e came: three of five are below 2."""
    before = {"a": "x", "b": "x", "c": "x", "d": "x"}
    table = {"a": "x", "b": "x", "c": "y", "e": "y"}
    assert measure(2, before, table) == 3 / 5
    assert measure(3, before, table) == 1


def test_before_the_first_release_it_is_who_is_below_k_in_the_table():
    """Classes of two and one."""
    assert measure(2, {"a": "x", "b": "x", "c": "y"}) == 1 / 3


def test_only_those_whom_the_attacker_can_know_are_counted():
    """Who is in no release that the attacker holds is nobody of the share."""
    assert measure(2, {"a": "x"}, {"b": "x", "c": "x"}, {"b": "x", "c": "x"}, most_recent=1) == 0
    assert measure(2, {"a": "x"}, {"b": "x", "c": "x"}, {"b": "x", "c": "x"}) == 1 / 3


def test_k_is_required():
    """No source sets it."""
    with pytest.raises(UserError, match="'k' is required"):
        bind(SHARE_ISOLATED_OVER_RELEASES.parameters, {})


def test_single_class(people, measured):
    """One class in both releases: one of three has come, and is alone."""
    before = people("absw", "xup1", "xup2", entity=True)
    table = people("absw", "xup1", "xup2", "xup3", entity=True)
    assert measured(SHARE_ISOLATED_OVER_RELEASES, table, earlier=(before,), k=2) == 1 / 3


def test_missing_is_a_class_of_its_own(people, measured):
    """The one of three records without a value is alone in both releases."""
    table = people("absw", "xup1", "xup2", "-up3", entity=True)
    assert measured(SHARE_ISOLATED_OVER_RELEASES, table, earlier=(table,), k=2) == 1 / 3


def test_equals_counting(agrees):
    """Through the engine, of records and of entities: the figure is that of the sets of people."""
    agrees(SHARE_ISOLATED_OVER_RELEASES, share_below_three, k=3)
