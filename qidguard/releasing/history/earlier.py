"""Earlier releases: the history that metrics look at, read from keyed numbers one release at a time."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from qidguard.core.errors import InternalError
from qidguard.core.versions import JointClasses, PublishedColumn
from qidguard.engines.base import KeyedClasses
from qidguard.releasing.history.keyed_bytes import (
    classes_bytes,
    classes_from,
    columns_bytes,
    columns_from,
    fault_of,
)

__all__ = [
    "EarlierRelease",
    "KeyedHistory",
    "classes_bytes",
    "classes_from",
    "columns_bytes",
    "columns_from",
]

DEFAULT = "default"
"""The name of a release's main combination."""
NOW = "now"
"""The name of the one combination that the table's own classes have."""


@dataclass(frozen=True, kw_only=True)
class EarlierRelease:
    """One release that was published before.

    Args:
        release_id: Its name, for errors.
        load: Reads its keyed classes; called when they are needed and not kept.
        qids: Combination's name → its QIDs; ``default`` is among them.
        columns: Its published columns.
    """

    release_id: str
    load: Callable[[], KeyedClasses]
    qids: Mapping[str, tuple[str, ...]]
    columns: tuple[PublishedColumn, ...]

    def combination_for(self, qids: tuple[str, ...]) -> str:
        """Return the combination whose classes answer for ``qids``.

        It is the one with the same QIDs; else one that has them all, the main one first, since its classes
        are at least as fine; else the main one, which is what this release revealed of the columns it had.

        Args:
            qids: Column names, in any order.

        Returns:
            The combination's name.

        Raises:
            InternalError: When the release has no main combination.

        Example:
            >>> one = EarlierRelease(release_id="r1", load=dict, qids={"default": ("age", "sex")}, columns=())
            >>> one.combination_for(("sex",))
            'default'
        """
        if DEFAULT not in self.qids:
            raise InternalError(f"The release {self.release_id!r} was kept without its main combination.")
        asked = set(qids)
        names = [DEFAULT, *self.qids]
        same = [name for name in names if set(self.qids[name]) == asked]
        finer = [name for name in names if set(self.qids[name]) > asked]
        return [*same, *finer, DEFAULT][0]


class KeyedHistory:
    """The earlier releases of a data set, and the table that is to be the next: a ``core.history.History``.

    Only the persons' hashes and the joint classes so far are held, and one release beside them. What the
    earlier releases come to is kept between questions that the same combinations answer, so that many subsets
    of QIDs cost one pass over the past.

    Args:
        earlier: The earlier releases, oldest first.
        now: QIDs → the table's keyed classes, with one combination named ``now``.
        columns_now: Returns the columns that are to be published; asked once, when a metric wants them.
    """

    def __init__(
        self,
        *,
        earlier: Sequence[EarlierRelease],
        now: Callable[[tuple[str, ...]], KeyedClasses],
        columns_now: Callable[[], tuple[PublishedColumn, ...]],
    ) -> None:
        self._earlier = tuple(earlier)
        self._columns_now = lru_cache(maxsize=1)(columns_now)
        # few are kept, for each holds every person; all is asked about one set of QIDs, then about the next
        self._now = lru_cache(maxsize=1)(now)
        self._past = lru_cache(maxsize=2)(self._joined)
        self._joint = lru_cache(maxsize=2)(self._joint_of)
        self._is_joined = False

    @property
    def releases(self) -> int:
        """Number of earlier releases, ≥ 0."""
        return len(self._earlier)

    @property
    def is_joined(self) -> bool:
        """Whether anybody has looked at joint classes, without which nobody knows what releases add up to."""
        return self._is_joined

    def joint_classes(self, qids: tuple[str, ...], *, most_recent: int | None = None) -> JointClasses:
        """Return the joint classes over the table and its earlier releases.

        Args:
            qids: The QIDs that make the table's classes; earlier ones as ``combination_for`` says.
            most_recent: How many of the latest earlier releases are looked at, ≥ 1; None looks at all.

        Returns:
            The joint classes of every person of those releases and the table; its arrays are read-only.

        Raises:
            ValueError: When ``most_recent`` is below 1.
            InternalError: When the classes of a release, or of the table, are not what they should be.
            DataError: When what was kept of a release is damaged.

        Example:
            >>> persons = np.arange(32, dtype=np.uint8).reshape(2, 16)
            >>> same = np.array([0, 0])
            >>> table = KeyedClasses(persons=persons, classes={"now": persons[:1]}, class_of={"now": same})
            >>> history = KeyedHistory(earlier=[], now=lambda qids: table, columns_now=tuple)
            >>> history.joint_classes(("age",)).joint.tolist()
            [0, 0]
        """
        if most_recent is not None and most_recent < 1:
            raise ValueError(f"most_recent must be at least 1, not {most_recent}")
        first = 0 if most_recent is None else max(0, self.releases - most_recent)
        classes = self._joint(qids, first)
        self._is_joined = True
        return classes

    def columns(self) -> tuple[tuple[PublishedColumn, ...], ...]:
        """Return the published columns of each release, oldest first, those of the table itself last.

        Returns:
            One tuple of columns a release.

        Example:
            >>> KeyedHistory(earlier=[], now=dict, columns_now=tuple).columns()
            ((),)
        """
        return (*(release.columns for release in self._earlier), self._columns_now())

    def _joint_of(self, qids: tuple[str, ...], first: int) -> JointClasses:
        names = tuple(release.combination_for(qids) for release in self._earlier[first:])
        past = self._past(first, names)
        merged = _merged(past, self._now(qids), NOW, "the table")
        classes = JointClasses(
            joint=merged.joint,
            is_now=merged.is_in_last,
            is_before=merged.is_in_first,
            is_absent=merged.is_absent,
        )
        for array in (classes.joint, classes.is_now, classes.is_before, classes.is_absent):
            array.flags.writeable = False  # it is given out more than once
        return classes

    def _joined(self, first: int, names: tuple[str, ...]) -> "_Followed":
        followed = _NOBODY
        for release, name in zip(self._earlier[first:], names, strict=True):
            followed = _merged(followed, release.load(), name, f"the release {release.release_id!r}")
        return followed


@dataclass(frozen=True, kw_only=True)
class _Followed:
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
_NOBODY = _Followed(
    releases=0,
    persons=np.zeros(0, dtype="S16"),
    joint=np.zeros(0, dtype=np.int64),
    is_absent=_NO,
    is_in_first=_NO,
    is_in_last=_NO,
)


def _merged(past: _Followed, classes: KeyedClasses, name: str, whose: str) -> _Followed:
    """Return the persons followed over one more release."""
    if fault := fault_of(classes):
        raise InternalError(f"The keyed classes of {whose} are wrong: {fault}.")
    if name not in classes.classes:
        raise InternalError(f"The keyed classes of {whose} lack the combination {name!r}.")
    # S16 compares texts without their trailing zero bytes; of two that differ in 16 bytes it says the same
    added = np.ascontiguousarray(classes.persons).view("S16").ravel()
    persons, was, is_now = _union(past.persons, added)
    before, after = np.full(len(persons), -1), np.full(len(persons), -1)
    before[was], after[is_now] = past.joint, classes.class_of[name]
    # who shares both numbers shares the joint class; −1, which is absence, is a class like any other
    pairs = (before + 1) * (len(classes.classes[name]) + 1) + after + 1
    is_absent = (after < 0) | ((before < 0) & (past.releases > 0))
    is_absent[was] |= past.is_absent
    return _Followed(
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


class OfRelease(KeyedHistory):
    """All other releases beside one that stands where a table to be released would.

    Args:
        mine: The release that is looked at.
        others: The other releases, oldest first.
        now: QIDs → the release's keyed classes, with one combination named ``now``.
        columns_now: Returns its published columns.
    """

    def __init__(
        self,
        *,
        mine: EarlierRelease,
        others: Sequence[EarlierRelease],
        now: Callable[[tuple[str, ...]], KeyedClasses],
        columns_now: Callable[[], tuple[PublishedColumn, ...]],
    ) -> None:
        super().__init__(earlier=others, now=now, columns_now=columns_now)
        self.qids = tuple(mine.qids.values())
        """The QID combinations whose classes were kept."""
