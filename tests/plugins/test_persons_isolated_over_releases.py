"""Persons isolated over releases against sets of people; a release is person → class, the last the table."""

from collections import Counter
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from followed import classes_of, history, isolated
from qidguard.core.parameter import bind
from qidguard.sdk import Grouping, UserError
from qidguard_standard.over_time.persons_isolated_over_releases import PERSONS_ISOLATED_OVER_RELEASES

RELEASES = st.lists(
    st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from("xyz"), min_size=1), min_size=1, max_size=4
)


def measure(k, *releases, most_recent=0):
    """Measure the last release against the earlier ones."""
    view = SimpleNamespace(history=history(*releases))
    arguments = {"k": k, "most_recent": most_recent}
    return PERSONS_ISOLATED_OVER_RELEASES.method.measure(view, Grouping(qids=("a", "b")), arguments)


def test_by_hand():
    """Both a and b stayed together, c changed class alone, d left and e came: three of five are below 2."""
    before = {"a": "x", "b": "x", "c": "x", "d": "x"}
    table = {"a": "x", "b": "x", "c": "y", "e": "y"}
    assert isolated(2, before, table) == {"c", "d", "e"}
    assert measure(2, before, table) == 3
    assert measure(3, before, table) == 5


def test_before_the_first_release_it_is_who_is_below_k_in_the_table():
    """Classes of two and one."""
    assert measure(2, {"a": "x", "b": "x", "c": "y"}) == 1
    assert measure(3, {"a": "x", "b": "x", "c": "y"}) == 3


def test_what_is_out_stays_out():
    """Person a was alone in the first release; that the table no longer shows it takes nothing back."""
    releases = {"a": "x", "b": "y", "c": "y"}, dict.fromkeys("abc", "x")
    assert measure(2, *releases) == 1
    assert measure(2, *releases, releases[1], most_recent=1) == 0


@pytest.mark.parametrize("given_k", [{}, {"k": 1}, {"k": 2.5}])
def test_k_is_required_and_at_least_2(given_k):
    """No source sets it, and below 1 nobody could be isolated."""
    with pytest.raises(UserError, match="'k'"):
        bind(PERSONS_ISOLATED_OVER_RELEASES.parameters, given_k)


def test_single_class(people, measured):
    """One class in both releases: the one who came is alone."""
    before = people("absw", "xup1", "xup2", entity=True)
    table = people("absw", "xup1", "xup2", "xup3", entity=True)
    assert measured(PERSONS_ISOLATED_OVER_RELEASES, table, earlier=(before,), k=2) == 1


def test_missing_is_a_class_of_its_own(people, measured):
    """The record without a value is alone in both releases."""
    table = people("absw", "xup1", "xup2", "-up3", entity=True)
    assert measured(PERSONS_ISOLATED_OVER_RELEASES, table, earlier=(table,), k=2) == 1


@given(releases=RELEASES, k=st.integers(2, 5))
def test_equals_sets_of_people(releases, k):
    """Whoever comes, stays or leaves, over up to four releases."""
    assert measure(k, *releases) == len(isolated(k, *releases))


@given(releases=RELEASES, k=st.integers(2, 5))
def test_whoever_one_release_isolates_all_of_them_do(releases, k):
    """Joint classes are parts of classes, so nobody below k in one release is above it in all."""
    alone = set()
    for release in releases:
        sizes = Counter(release.values())
        alone |= {person for person, group in release.items() if sizes[group] < k}
    assert measure(k, *releases) >= len(alone)


@given(releases=RELEASES, k=st.integers(2, 5), added=RELEASES.map(lambda some: some[0]))
def test_another_release_never_makes_it_safer(releases, k, added):
    """Who holds one more release isolates at least as many."""
    assert measure(k, added, *releases) >= measure(k, *releases)


def test_equals_counting(agrees):
    """Through the engine, of records and of entities: the figure is that of the sets of people."""
    agrees(
        PERSONS_ISOLATED_OVER_RELEASES,
        lambda table, earlier: len(isolated(3, *map(classes_of, (*earlier, table)))),
        k=3,
    )
