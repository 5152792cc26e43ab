"""Intersection k-anonymity against sets of people.

Releases are written as person → class; the last one is the table.
"""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from followed import classes_of, history, intersection_k, smallest
from qidguard.sdk import Grouping
from qidguard_standard.over_time.intersection_k_anonymity import INTERSECTION_K_ANONYMITY

PERSONS = "abcdefgh"
RELEASES = st.lists(
    st.dictionaries(st.sampled_from(PERSONS), st.sampled_from("xyz"), min_size=1), min_size=2, max_size=4
)
SAME_PERSONS = st.lists(st.fixed_dictionaries(dict.fromkeys(PERSONS, st.sampled_from("xy"))), min_size=2)


def measure(*releases, most_recent=0):
    """Measure the last release against the earlier ones."""
    view = SimpleNamespace(history=history(*releases))
    arguments = {"most_recent": most_recent}
    return INTERSECTION_K_ANONYMITY.method.measure(view, Grouping(qids=("a", "b")), arguments)


def test_two_releases_that_are_each_5_anonymous_isolate_two_people():
    """By ward and by decade each class holds five, but Eve alone is in east and in her forties, Fay in west.

    ward    east: Ann Bea Cid Dan Eve    west: Fay Gus Hal Ida Jon
    decade  30s:  Ann Bea Cid Dan Fay    40s:  Eve Gus Hal Ida Jon
    """
    east, west = ("Ann", "Bea", "Cid", "Dan", "Eve"), ("Fay", "Gus", "Hal", "Ida", "Jon")
    ward = dict.fromkeys(east, "east") | dict.fromkeys(west, "west")
    decade = dict.fromkeys(ward, "30s") | dict.fromkeys(("Eve", "Gus", "Hal", "Ida", "Jon"), "40s")
    assert (smallest(ward), smallest(decade)) == (5, 5)
    assert measure(ward, decade) == 1
    assert measure(ward, ward) == 5


@pytest.mark.slow
def test_a_hundred_thousand_people_in_two_releases_of_fives():
    """Each release is 5-anonymous; by sets of people, crossing them leaves someone alone."""
    chance = np.random.default_rng(11)
    places = np.arange(100_000) // 5
    shuffled = chance.permutation(100_000)
    # the second release keeps most groups of five and swaps one person of each fortieth with the next one
    swapped = places.copy()
    first = np.arange(0, 100_000 - 200, 200)
    swapped[first], swapped[first + 5] = places[first + 5], places[first]
    names = [f"p{i}" for i in shuffled]
    before, now = (dict(zip(names, some.tolist(), strict=True)) for some in (places, swapped))
    assert (smallest(before), smallest(now)) == (5, 5)
    assert intersection_k(before, now) == 1
    assert measure_large(before, now) == 1
    assert measure_large(before, before) == 5


def measure_large(before, now):
    """Measure two releases of whole numbers, hashed as their own bytes: 100,000 hashes by hand take long."""
    from qidguard.releasing.history.earlier import EarlierRelease, KeyedHistory
    from qidguard.sdk import KeyedClasses

    def rows(numbers):
        found = np.zeros((len(numbers), 16), dtype=np.uint8)
        found[:, :8] = np.asarray(numbers, dtype=">u8").view(np.uint8).reshape(-1, 8)
        return found

    def classes(name, release):
        people = sorted((int(who[1:]), group) for who, group in release.items())
        groups, class_of = np.unique([group for _, group in people], return_inverse=True)
        return KeyedClasses(
            persons=rows([who for who, _ in people]), classes={name: rows(groups)}, class_of={name: class_of}
        )

    earlier = EarlierRelease(
        release_id="r0", load=lambda: classes("default", before), qids={"default": ("a",)}, columns=()
    )
    found = KeyedHistory(earlier=[earlier], now=lambda _: classes("now", now), columns_now=tuple)
    view = SimpleNamespace(history=found)
    return INTERSECTION_K_ANONYMITY.method.measure(view, Grouping(qids=("a",)), {"most_recent": 0})


def test_those_who_came_or_left_are_not_looked_at():
    """Person c left and d came, each alone; the two who stayed share both classes."""
    assert measure({"a": "x", "b": "x", "c": "x"}, {"a": "x", "b": "x", "d": "x"}) == 2


def test_nobody_in_both_gives_the_persons_of_the_table():
    """All left and three others came: the largest that a class could be is three."""
    assert measure({"a": "x", "b": "y"}, {"c": "x", "d": "y", "e": "z"}) == 3


def test_before_the_first_release_it_is_the_persons_of_the_table():
    """There is nothing to intersect with."""
    assert measure({"c": "x", "d": "y", "e": "z"}) == 3


def test_the_attacker_holds_only_the_most_recent():
    """Long ago a was apart from b; who holds only the last release cannot tell them apart."""
    releases = {"a": "x", "b": "y"}, {"a": "x", "b": "x"}, {"a": "x", "b": "x"}
    assert measure(*releases) == 1
    assert measure(*releases, most_recent=1) == 2
    assert measure(*releases, most_recent=2) == 1
    assert measure(*releases, most_recent=9) == 1


def test_single_class(people, measured):
    """With a single class in each release all are together."""
    table = people("absw", "xup1", "xup2", "xup3", entity=True)
    assert measured(INTERSECTION_K_ANONYMITY, table, earlier=(table,)) == 3


def test_missing_is_a_class_of_its_own(people, measured):
    """The one whose QID was NULL before is known by that."""
    before = people("absw", "-up1", "xup2", "xup3", entity=True)
    table = people("absw", "xup1", "xup2", "xup3", entity=True)
    assert measured(INTERSECTION_K_ANONYMITY, table, earlier=(before,)) == 1


def test_a_person_is_followed_by_the_set_of_their_classes(people, measured):
    """Three patients share class x, but the first one's visits fall into y as well, and nobody else's do."""
    table = people("absw", "xup1", "yup1", "xup2", "xup3", entity=True)
    assert measured(INTERSECTION_K_ANONYMITY, table, earlier=(table,)) == 1


def test_records_are_followed_by_their_content(people, measured):
    """Without entities a record that changed in a column that is no QID has left: two of three stayed."""
    before = people("absw", "xup1", "xup1", "xup1")
    table = people("absw", "xup1", "xup1", "xuq1")
    assert measured(INTERSECTION_K_ANONYMITY, table, earlier=(before,)) == 2


@given(releases=RELEASES)
def test_equals_sets_of_people(releases):
    """Whoever comes, stays or leaves, over up to four releases."""
    assert measure(*releases) == intersection_k(*releases)


@given(releases=SAME_PERSONS)
def test_never_above_the_k_of_any_release(releases):
    """Where all are in all releases, the joint k is at most the smallest k."""
    assert measure(*releases) <= min(map(smallest, releases))


@given(release=RELEASES.map(lambda some: some[0]), times=st.integers(1, 3))
def test_the_same_release_again_reveals_nothing(release, times):
    """Released once more, the k is that of the table by itself."""
    assert measure(*[release] * times, release) == smallest(release)


@given(releases=RELEASES, added=RELEASES.map(lambda some: some[0]))
def test_another_release_never_makes_it_safer(releases, added):
    """Who holds one more release knows at least as much."""
    assert measure(added, *releases) <= measure(*releases)


@given(releases=RELEASES, most_recent=st.integers(1, 4))
def test_who_holds_fewer_releases_sees_what_the_latest_say(releases, most_recent):
    """Taking the most recent is forgetting the others."""
    assume(most_recent < len(releases))
    latest = releases[-1 - most_recent :]
    assert measure(*releases, most_recent=most_recent) == intersection_k(*latest)


@pytest.mark.slow
def test_equals_counting(agrees):
    """Through the engine, of records and of entities: the figure is that of the sets of people."""
    agrees(
        INTERSECTION_K_ANONYMITY,
        lambda table, earlier: intersection_k(*map(classes_of, (*earlier, table))),
    )


def test_the_figure_is_an_int():
    """A count is a whole number, not one of NumPy's."""
    assert type(measure({"a": "x"}, {"a": "x"})) is int


@pytest.mark.parametrize("earlier", [(), ({"a": "x"},)])
def test_a_person_alone_is_one(earlier):
    """The only person of a table has nobody to hide among, before the first release and after."""
    assert measure(*earlier, {"a": "x"}) == 1
