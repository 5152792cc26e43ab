"""Joint classes over keyed releases against sets of people, and which combination answers for which QIDs.

Releases are written as person → class; the last one is the table.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from followed import history, joint, keyed, published
from qidguard.releasing.history.earlier import EarlierRelease, KeyedHistory
from qidguard.sdk import InternalError, KeyedClasses

RELEASES = st.lists(
    st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from("xyz"), min_size=1), min_size=1, max_size=5
)


def shape(found):
    """Return the joint classes as a multiset of (size, now, before, absent)."""
    classes = {}
    for number, *flags in zip(found.joint, found.is_now, found.is_before, found.is_absent, strict=True):
        classes.setdefault(int(number), []).append(tuple(map(bool, flags)))
    # whoever shares a class shares the releases that they are in
    assert all(len(set(members)) == 1 for members in classes.values())
    assert sorted(classes) == list(range(len(classes)))
    return sorted((len(members), *members[0]) for members in classes.values())


def by_sets(*releases):
    """Return the same by brute force."""
    return sorted(
        (len(persons), now is not None, any(group is not None for group in before), None in (*before, now))
        for (*before, now), persons in joint(*releases).items()
    )


def release(name, classes, **qids):
    """Return an earlier release with some combinations."""
    return EarlierRelease(release_id=name, load=lambda: classes, qids=qids, columns=())


def past(earlier, now, columns_now=tuple):
    """Return a history of some releases and a table."""
    return KeyedHistory(earlier=earlier, now=now, columns_now=columns_now)


def test_by_hand():
    """Both a and b share both classes, c the first only, d left, e came; and a table alone."""
    before = {"a": "x", "b": "x", "c": "x", "d": "x"}
    found = history(before, {"a": "x", "b": "x", "c": "y", "e": "y"}).joint_classes(("a", "b"))
    assert shape(found) == [
        (1, False, True, True),
        (1, True, False, True),
        (1, True, True, False),
        (2, True, True, False),
    ]
    alone = history({"a": "x", "b": "x", "c": "y"})
    assert alone.releases == 0
    assert shape(alone.joint_classes(("a",))) == [(1, True, False, False), (2, True, False, False)]


def test_the_most_recent_are_the_last():
    """Two releases ago a and b were apart, and c has left since; at least one is looked at."""
    some = history({"a": "x", "b": "y", "c": "y"}, {"a": "x", "b": "x"}, {"a": "x", "b": "x"})
    some.columns()
    for none in (0, -1):
        with pytest.raises(ValueError, match="at least 1"):
            some.joint_classes(("a",), most_recent=none)
    assert not some.is_joined  # neither columns nor a look that failed tell what releases add up to
    assert shape(some.joint_classes(("a",), most_recent=1)) == [(2, True, True, False)]
    assert [len(shape(some.joint_classes(("a",), most_recent=n))) for n in (2, 9, None)] == [3, 3, 3]
    assert (some.releases, some.is_joined) == (2, True)


@given(releases=RELEASES)
def test_equals_sets_of_people(releases):
    """Sizes and flags of every joint class, over up to four earlier releases."""
    assert shape(history(*releases).joint_classes(("a",))) == by_sets(*releases)


@given(releases=RELEASES, most_recent=st.integers(1, 5))
def test_the_most_recent_equal_a_history_of_them_alone(releases, most_recent):
    """What came before is as if it had not been."""
    found = history(*releases).joint_classes(("a",), most_recent=most_recent)
    assert shape(found) == by_sets(*releases[-1 - most_recent :])


def test_hashes_that_differ_in_one_byte_are_different_persons():
    """Wherever it stands, in the first or the last byte, a zero at the end included."""
    rows = np.zeros((17, 16), dtype=np.uint8)
    rows[np.arange(16), np.arange(15, -1, -1)] = 1
    rows[16, 0] = 2
    order = np.lexsort(rows.T[::-1])
    persons = rows[order]
    one = np.zeros((1, 16), dtype=np.uint8)

    def classes(name, some):
        return KeyedClasses(
            persons=some, classes={name: one}, class_of={name: np.zeros(len(some), dtype=np.int64)}
        )

    earlier = release("r0", classes("default", persons[::2]), default=("a",))
    found = past([earlier], lambda _: classes("now", persons[1::2]))
    assert shape(found.joint_classes(("a",))) == [(8, True, False, True), (9, False, True, True)]


def test_the_combination_of_the_same_qids_answers():
    """In any order; else one that has them all, the main one first; else the main one."""
    wide = ("age", "sex", "zip", "ward")
    one = release("r0", None, default=("age", "sex"), places=("zip", "age", "ward"), wide=wide)
    asked = [("sex", "age"), ("ward", "zip", "age"), ("age",), ("zip", "ward"), ("sex", "zip"), ("sex", "x")]
    answers = ["default", "places", "default", "places", "wide", "default"]
    assert [one.combination_for(qids) for qids in asked] == answers
    with pytest.raises(InternalError, match="release 'r7' was kept without its main combination"):
        release("r7", None, other=("age",)).combination_for(("age",))


@pytest.mark.parametrize(("kept", "qids", "asked"), [
    ({"default": {"a": 30, "b": 40}, "sexes": {"a": "f", "b": "f"}},
        {"default": ("age", "sex"), "sexes": ("sex",)}, {("sex",): [2], ("age", "sex"): [1, 1]}),
    ({"default": {"a": 1, "b": 2}, "pair": {"a": 0, "b": 0}},
        {"default": ("x", "y", "z"), "pair": ("x", "y")}, {("x", "y"): [2], ("x",): [1, 1]}),
], ids=["own classes", "coarser by finer"])  # fmt: skip
def test_each_combination_has_its_own_joint_classes(kept, qids, asked):
    """A coarser question may be answered by finer classes, so metrics over them are not called monotone."""
    found = past([release("r0", keyed(**kept), **qids)], lambda _: keyed(now={"a": "x", "b": "x"}))
    assert {one: [size for size, *_ in shape(found.joint_classes(one))] for one in asked} == asked


def test_releases_are_loaded_one_at_a_time_and_once():
    """Subsets that the same combinations answer share one pass over the past, oldest first."""
    loaded, keyed_now = [], []
    table = {"a": "x", "b": "y"}

    def earlier(name):
        return EarlierRelease(
            release_id=name,
            load=lambda: loaded.append(name) or keyed(default=table, other=table),
            qids={"default": ("age", "sex"), "other": ("zip",)},
            columns=(),
        )

    found = past(
        [earlier(name) for name in ("r0", "r1", "r2")],
        lambda qids: keyed_now.append(qids) or keyed(now=table),
    )
    first = found.joint_classes(("age", "sex"))
    assert found.joint_classes(("age", "sex")) is first
    found.joint_classes(("sex",))
    assert (loaded, keyed_now) == (["r0", "r1", "r2"], [("age", "sex"), ("sex",)])
    found.joint_classes(("sex",), most_recent=2)
    assert (loaded[3:], keyed_now) == (["r1", "r2"], [("age", "sex"), ("sex",)])
    found.joint_classes(("zip",))
    assert loaded[5:] == ["r0", "r1", "r2"]


def test_what_is_given_out_twice_cannot_be_changed():
    """A metric that wrote into the arrays would change the figures of the next."""
    found = history({"a": "x"}).joint_classes(("a",))
    for array in (found.joint, found.is_now, found.is_before, found.is_absent):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


ONES, ZEROS = np.ones((2, 16), dtype=np.uint8), np.zeros(2, dtype=np.int64)


@pytest.mark.parametrize(("classes", "fault"), [
    (keyed(other={"a": "x"}), "lack the combination 'default'"),
    (KeyedClasses(persons=ONES[:2], classes={"default": ONES[:1]}, class_of={"default": ZEROS[:2]}),
        "persons are no ascending hashes"),
])  # fmt: skip
def test_classes_that_are_wrong_are_a_fault_of_the_release_or_the_table(classes, fault):
    """A person who stands there twice would hide among themselves, so nothing is measured."""
    right = keyed(default={"a": "x"}, now={"a": "x"})
    with pytest.raises(InternalError, match=f"the release 'r5'.*{fault}"):
        past([release("r5", classes, default=("a",))], lambda _: right).joint_classes(("a",))
    with pytest.raises(InternalError, match="the table"):
        past([], lambda _: classes).joint_classes(("a",))


def test_columns_come_oldest_first_with_the_table_last():
    """Those of the table are made when they are asked for, and once."""
    asked = []
    ages, zips = published("age", "u"), published("zip", "u")
    earlier = [
        EarlierRelease(release_id="r", load=dict, qids={}, columns=some) for some in ((ages,), (ages, zips))
    ]
    found = past(earlier, lambda _: keyed(now={"a": "x"}), lambda: asked.append("now") or (zips,))
    assert asked == []
    assert found.columns() == found.columns() == ((ages,), (ages, zips), (zips,))
    assert asked == ["now"]
