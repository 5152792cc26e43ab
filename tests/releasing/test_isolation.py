"""Whom releases isolate, by which of them, and what became of these persons, against sets of people."""

from collections import Counter
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from followed import history, isolated
from qidguard.core.isolated import Isolated, IsolatedBy, IsolatedOverTime

RELEASES = st.lists(
    st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from("xyz"), min_size=1), min_size=2, max_size=5
)


def moved(persons, before, now):
    """Return persons by what became of them."""
    return Isolated(
        left=len({p for p in persons if p in before and p not in now}),
        came=len({p for p in persons if p not in before and p in now}),
        stayed=len({p for p in persons if p in before and p in now}),
    )


def by_sets(k, *releases):
    """Return the whole answer by brute force."""
    *earlier, now = releases
    before, followed = set().union(*earlier), set().union(*releases)
    alone, found = set(), []
    for at, release in enumerate(earlier):
        sizes = Counter((release.get(p), now.get(p)) for p in followed)
        by = {p for p in set(release) | set(now) if sizes[release.get(p), now.get(p)] < k}
        alone |= by
        found.append(IsolatedBy(release_id=f"r{at}", isolated=moved(by, release, now)))
    every = isolated(k, *releases)
    anywhere = isolated(k, *earlier, dict.fromkeys(now, "everybody"))
    return IsolatedOverTime(
        qids=("a",),
        k=k,
        releases=len(earlier),
        followed=len(followed),
        isolated=moved(every, before, now),
        already=moved(isolated(k, *earlier), before, now),
        at_any_level=moved(anywhere, before, now),
        by_release=tuple(found),
        together=moved(every - alone, before, now),
    )


def test_by_hand():
    """Of six in class x one left, one moved to y and one came; who stays alone of five is isolated."""
    before = dict.fromkeys("abcdef", "x") | dict.fromkeys("ghi", "y")
    now = {p: c for p, c in before.items() if p != "a"} | {"b": "y", "j": "y"}
    found = history(before, now).isolated(("a",), k=2)
    assert found.isolated == Isolated(left=1, came=1, stayed=1)
    assert found.by_release == (IsolatedBy(release_id="r0", isolated=found.isolated),)
    assert (found.already.persons, found.together.persons, found.followed) == (0, 0, 10)
    alone = history(dict.fromkeys("abcde", "x"), {"e": "x", **dict.fromkeys("fgh", "x")})
    assert alone.isolated(("a",), k=3).isolated == Isolated(stayed=1)
    assert history({"a": "x"}).isolated(("a",), k=2) is None


def test_only_all_releases_together_isolate():
    """Each earlier release splits four persons in two pairs, otherwise: with one of them nobody is alone."""
    one, other = dict(zip("abcd", "xxyy", strict=True)), dict(zip("abcd", "xyxy", strict=True))
    found = history(one, other, dict.fromkeys("abcd", "z")).isolated(("a",), k=2)
    assert [by.isolated.persons for by in found.by_release] == [0, 0]
    assert (found.together, found.already) == (Isolated(stayed=4), Isolated(stayed=4))


@given(releases=RELEASES, k=st.integers(2, 5))
def test_equals_sets_of_people(releases, k):
    """Every count, over up to four earlier releases."""
    assert history(*releases).isolated(("a",), k=k) == by_sets(k, *releases)


@given(releases=RELEASES, k=st.integers(2, 5), most_recent=st.integers(1, 4))
def test_the_most_recent_equal_a_history_of_them_alone(releases, k, most_recent):
    """What came before is as if it had not been; the names of the releases stay."""
    found = history(*releases).isolated(("a",), k=k, most_recent=most_recent)
    other = by_sets(k, *releases[-1 - most_recent :])
    assert replace(found, most_recent=None, by_release=()) == replace(other, by_release=())
    assert [by.isolated for by in found.by_release] == [by.isolated for by in other.by_release]
