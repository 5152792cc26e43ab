"""Differencing k-anonymity against sets of people; releases are person → class, the last one is the table."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from followed import classes_of, differencing_k, history, smallest
from qidguard.sdk import Grouping
from qidguard_standard.over_time.differencing_k_anonymity import DIFFERENCING_K_ANONYMITY

RELEASES = st.lists(
    st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from("xyz"), min_size=1), min_size=1, max_size=4
)


def measure(*releases, most_recent=0):
    """Measure the last release against the earlier ones."""
    view = SimpleNamespace(history=history(*releases))
    arguments = {"most_recent": most_recent}
    return DIFFERENCING_K_ANONYMITY.method.measure(view, Grouping(qids=("a", "b")), arguments)


def test_two_releases_that_are_each_5_anonymous_give_the_newcomer_away():
    """Six in the ward today and five yesterday: the sixth is the one who came, whatever their class holds."""
    yesterday = dict.fromkeys(("Ann", "Bea", "Cid", "Dan", "Eve"), "east")
    today = yesterday | {"Fay": "east"}
    assert (smallest(yesterday), smallest(today)) == (5, 6)
    assert measure(yesterday, today) == 1
    assert measure(today, yesterday) == 1


def test_five_who_come_together_hide_among_themselves():
    """Who subtracts is left with five."""
    yesterday = dict.fromkeys("abcde", "east")
    assert measure(yesterday, yesterday | dict.fromkeys("fghij", "east")) == 5


def test_those_who_stay_are_not_looked_at():
    """Only a is alone in both, which the intersection sees; two came together."""
    assert measure({"a": "x", "b": "y", "c": "y"}, {"a": "x", "b": "y", "c": "y", "d": "y", "e": "y"}) == 2


def test_nobody_came_or_left_gives_all_persons():
    """There is nothing to subtract, however small the classes are."""
    assert measure({"a": "x", "b": "y"}, {"a": "y", "b": "y"}) == 2


def test_before_the_first_release_it_is_all_persons():
    """There is nothing to subtract from."""
    assert measure({"a": "x", "b": "y", "c": "z"}) == 3


def test_who_was_away_for_one_release_is_known_by_it():
    """Person c was in the first and is in the third; a and b were always there."""
    assert measure(dict.fromkeys("abc", "x"), dict.fromkeys("ab", "x"), dict.fromkeys("abc", "x")) == 1


def test_the_attacker_holds_only_the_most_recent():
    """Person c left before the last release; who holds that one alone has nothing to subtract."""
    releases = dict.fromkeys("abc", "x"), dict.fromkeys("ab", "x"), dict.fromkeys("ab", "x")
    assert measure(*releases) == 1
    assert measure(*releases, most_recent=1) == 2


def test_single_class(people, measured):
    """Of a single class the two who came together are left."""
    before = people("absw", "xup1", "xup2", "xup3", entity=True)
    table = people("absw", "xup1", "xup2", "xup3", "xup4", "xup5", entity=True)
    assert measured(DIFFERENCING_K_ANONYMITY, table, earlier=(before,)) == 2


def test_missing_is_a_class_of_its_own(people, measured):
    """Of the two who came, one lacks a QID: each is alone."""
    before = people("absw", "xup1", "xup2", entity=True)
    table = people("absw", "xup1", "xup2", "xup3", "-up4", entity=True)
    assert measured(DIFFERENCING_K_ANONYMITY, table, earlier=(before,)) == 1


def test_another_visit_is_no_newcomer(people, measured):
    """A patient whose second visit falls into the same class has neither come nor left."""
    before = people("absw", "xup1", "xup2", entity=True)
    table = people("absw", "xup1", "xuq1", "xup2", entity=True)
    assert measured(DIFFERENCING_K_ANONYMITY, table, earlier=(before,)) == 2


@given(releases=RELEASES)
def test_equals_sets_of_people(releases):
    """Whoever comes, stays or leaves, over up to four releases."""
    assert measure(*releases) == differencing_k(*releases)


@given(release=RELEASES.map(lambda some: some[0]))
def test_the_same_release_again_reveals_nothing(release):
    """Nobody came or left."""
    assert measure(release, release) == len(release)


@given(before=RELEASES.map(lambda some: some[0]), table=RELEASES.map(lambda some: some[0]))
def test_time_may_run_backwards(before, table):
    """Who holds both subtracts either from the other."""
    assert measure(before, table) == measure(table, before)


@pytest.mark.slow
def test_equals_counting(agrees):
    """Through the engine, of records and of entities: the figure is that of the sets of people."""
    agrees(
        DIFFERENCING_K_ANONYMITY,
        lambda table, earlier: differencing_k(*map(classes_of, (*earlier, table))),
    )
