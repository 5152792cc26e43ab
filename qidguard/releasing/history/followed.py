"""Persons followed over releases: the classes in which they stood in all of them, absence being a class."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from qidguard.core.errors import InternalError
from qidguard.core.isolated import Isolated, IsolatedBy, IsolatedOverTime
from qidguard.engines.base import KeyedClasses
from qidguard.releasing.history.keyed_bytes import as_texts, fault_of

N = TypeVar("N", np.int64, np.bool_)


@dataclass(frozen=True, kw_only=True)
class Followed:
    """Persons followed over some releases: hashes, ascending, and joint classes.

    ``is_in_first`` and ``is_in_last`` say which of the two that were merged last a person is in: all releases
    before, and the last one.
    """

    releases: int
    persons: NDArray[np.bytes_]
    joint: NDArray[np.int64]
    is_absent: NDArray[np.bool_]
    is_in_first: NDArray[np.bool_]
    is_in_last: NDArray[np.bool_]


_NO = np.zeros(0, dtype=np.bool_)
NOBODY = Followed(
    releases=0,
    persons=np.zeros(0, dtype="S16"),
    joint=np.zeros(0, dtype=np.int64),
    is_absent=_NO,
    is_in_first=_NO,
    is_in_last=_NO,
)


def with_release(past: Followed, classes: KeyedClasses, names: Sequence[str], whose: str) -> Followed:
    """Return the persons followed over one more release, by its classes of one combination or of several."""
    if fault := fault_of(classes):
        raise InternalError(f"The keyed classes of {whose} are wrong: {fault}.")
    for name in names:
        if name not in classes.classes:
            raise InternalError(f"The keyed classes of {whose} lack the combination {name!r}.")
    own = classes.class_of[names[0]]
    if len(names) > 1:
        rows = np.stack([classes.class_of[name] for name in names], axis=1)
        own = np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1)
    persons, was, is_now = _union(past.persons, as_texts(classes.persons))
    before, after = np.full(len(persons), -1), np.full(len(persons), -1)
    before[was], after[is_now] = past.joint, own
    # who shares both numbers shares the joint class; −1, which is absence, is a class like any other
    pairs = (before + 1) * (int(own.max(initial=0)) + 2) + after + 1
    is_absent = (after < 0) | ((before < 0) & (past.releases > 0))
    is_absent[was] |= past.is_absent
    return Followed(
        releases=past.releases + 1,
        persons=persons,
        joint=np.unique(pairs, return_inverse=True)[1],
        is_absent=is_absent,
        is_in_first=before >= 0,
        is_in_last=after >= 0,
    )


def _union(
    left: NDArray[np.bytes_], right: NDArray[np.bytes_]
) -> tuple[NDArray[np.bytes_], NDArray[np.int64], NDArray[np.int64]]:
    """Return the union of two ascending arrays, ascending, and the place of each one's rows in it."""
    if np.array_equal(left, right):
        same = np.arange(len(left))
        return left, same, same
    both = np.concatenate([left, right])
    order = np.argsort(both, kind="stable")  # of two ascending runs, which takes one pass
    ranked = both[order]
    is_first = np.ones(len(ranked), dtype=np.bool_)
    is_first[1:] = ranked[1:] != ranked[:-1]
    place = np.empty(len(both), dtype=np.int64)
    place[order] = np.cumsum(is_first) - 1
    return ranked[is_first], place[: len(left)], place[len(left) :]


def places_in(persons: NDArray[np.bytes_], asked: NDArray[np.bytes_]) -> NDArray[np.int64]:
    """Return the row of each person that is asked for among ascending ones; −1 for whoever is not there."""
    if not len(persons):
        return np.full(len(asked), -1)
    place = np.minimum(np.searchsorted(persons, asked), len(persons) - 1)
    return np.where(persons[place] == asked, place, -1)


def at_places(values: NDArray[N], place: NDArray[np.int64], other: int) -> NDArray[N]:
    """Return the values of rows as ``places_in`` gives them; ``other`` in the place of −1."""
    found = np.full(len(place), other, dtype=values.dtype)
    found[place >= 0] = values[place[place >= 0]]
    return found


_MOST_PER_PERSON = 4
"""Pairs of classes a person up to which pairs are counted in an array and not sorted."""


def isolated_over_time(
    past: Followed,
    every: Followed,
    now: NDArray[np.int64],
    releases: Iterable[tuple[str, NDArray[np.bytes_], NDArray[np.int64]]],
    *,
    qids: tuple[str, ...],
    k: int,
    most_recent: int | None,
) -> IsolatedOverTime:
    """Return whom the table isolates together with its earlier releases.

    Args:
        past: The persons of the earlier releases.
        every: The same with the table.
        now: The class of each of the table's persons.
        releases: Id, persons and the class of each, of the earlier releases, oldest first; each is read when
            it is its turn.
        qids: The columns that make the table's classes.
        k: Persons that a joint class needs.
        most_recent: How many of the latest releases ``past`` is of; None means all.
    """
    is_before, is_now = every.is_in_first, every.is_in_last
    size = np.bincount(every.joint)[every.joint]
    is_isolated = size < k
    trajectory = np.zeros(len(size), dtype=np.int64)
    trajectory[is_before] = past.joint + 1
    is_already = is_before & (_sizes(trajectory) < k)
    is_at_any_level = _sizes(2 * trajectory + is_now) < k
    own = np.zeros(len(size), dtype=np.int64)
    own[is_now] = now + 1
    classes = int(now.max(initial=-1)) + 2
    is_alone = np.zeros(len(size), dtype=np.bool_)
    found = []
    for release_id, persons, class_of in releases:
        then = np.zeros(len(size), dtype=np.int64)
        then[np.searchsorted(every.persons, persons)] = class_of + 1
        # two releases show nothing of who is in neither of them
        is_seen = (then > 0) | is_now
        is_by = is_seen & (_sizes(then * classes + own) < k)
        is_alone |= is_by
        found.append(IsolatedBy(release_id=release_id, isolated=_counted(is_by, then > 0, is_now)))
    return IsolatedOverTime(
        qids=qids,
        k=k,
        most_recent=most_recent,
        releases=len(found),
        followed=len(size),
        isolated=_counted(is_isolated, is_before, is_now),
        already=_counted(is_already, is_before, is_now),
        at_any_level=_counted(is_at_any_level, is_before, is_now),
        by_release=tuple(found),
        together=_counted(is_isolated & ~is_alone, is_before, is_now),
    )


def _sizes(pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each person how many have the same pair of classes."""
    if not len(pairs):
        return pairs
    if pairs.max() < _MOST_PER_PERSON * len(pairs):
        return np.bincount(pairs)[pairs]
    _, of, counts = np.unique(pairs, return_inverse=True, return_counts=True)
    return counts[of]


def _counted(persons: NDArray[np.bool_], is_before: NDArray[np.bool_], is_now: NDArray[np.bool_]) -> Isolated:
    return Isolated(
        left=int(np.count_nonzero(persons & is_before & ~is_now)),
        came=int(np.count_nonzero(persons & ~is_before & is_now)),
        stayed=int(np.count_nonzero(persons & is_before & is_now)),
    )
