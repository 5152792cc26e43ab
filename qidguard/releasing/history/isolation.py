"""Whom a table isolates together with its earlier releases, and with which: one pass a release."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from qidguard.core.isolated import Isolated, IsolatedBy, IsolatedOverTime
from qidguard.engines.base import KeyedClasses
from qidguard.releasing.history.followed import Followed

_MOST_PER_PERSON = 4
"""Pairs of classes a person up to which pairs are counted in an array and not sorted."""


@dataclass(frozen=True, kw_only=True)
class OneRelease:
    """The classes of one earlier release.

    Args:
        release_id: Its name.
        classes: Its keyed classes.
        name: The combination that answers.
    """

    release_id: str
    classes: KeyedClasses = field(repr=False)
    name: str


def isolated_over_time(
    past: Followed,
    every: Followed,
    now: KeyedClasses,
    name: str,
    releases: Iterable[OneRelease],
    *,
    qids: tuple[str, ...],
    k: int,
    most_recent: int | None,
) -> IsolatedOverTime:
    """Return whom the table isolates together with its earlier releases.

    Args:
        past: The persons of the earlier releases.
        every: The same with the table.
        now: The table's keyed classes.
        name: The combination of them that is looked at.
        releases: The earlier releases, oldest first; each is read when it is its turn.
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
    own[is_now] = now.class_of[name] + 1
    classes = len(now.classes[name]) + 1
    is_alone = np.zeros(len(size), dtype=np.bool_)
    found = []
    for release in releases:
        then = np.zeros(len(size), dtype=np.int64)
        persons = np.ascontiguousarray(release.classes.persons).view("S16").ravel()
        then[np.searchsorted(every.persons, persons)] = release.classes.class_of[release.name] + 1
        # two releases show nothing of who is in neither of them
        is_seen = (then > 0) | is_now
        is_by = is_seen & (_sizes(then * classes + own) < k)
        is_alone |= is_by
        found.append(IsolatedBy(release_id=release.release_id, isolated=_counted(is_by, then > 0, is_now)))
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
