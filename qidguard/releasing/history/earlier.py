"""Earlier releases: the history that metrics look at, read from keyed numbers one release at a time."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from qidguard.core.errors import InternalError, NotMeasurable
from qidguard.core.isolated import Isolated, IsolatedBy, IsolatedOverTime
from qidguard.core.versions import JointClasses, LeftPersons, PublishedColumn
from qidguard.engines.base import KeyedClasses
from qidguard.releasing.history.keyed_bytes import (
    classes_bytes,
    classes_from,
    columns_bytes,
    columns_from,
    fault_of,
)
from qidguard.releasing.history.same_counts import size_changes


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


def with_release(past: Followed, classes: KeyedClasses, name: str, whose: str) -> Followed:
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


DEFAULT = "default"
"""The name of a release's main combination."""


@dataclass(frozen=True, kw_only=True)
class EarlierRelease:
    """One release that was published before.

    Args:
        release_id: Its name, for errors.
        load: Reads its keyed classes; called when they are needed and not kept.
        qids: Combination's name → its QIDs; ``default`` is among them.
        columns: Its published columns.
        is_other: Whether it is of another series, and counts since the same persons are in it.
    """

    release_id: str
    load: Callable[[], KeyedClasses]
    qids: Mapping[str, tuple[str, ...]]
    columns: tuple[PublishedColumn, ...]
    is_other: bool = False

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


__all__ = [
    "EarlierRelease",
    "KeyedHistory",
    "classes_bytes",
    "classes_from",
    "columns_bytes",
    "columns_from",
]

NOW = "now"
"""The name of the one combination that the table's own classes have."""


class KeyedHistory:
    """The earlier releases of a data set, and the table that is to be the next: a ``core.history.History``.

    Only the persons' hashes and the joint classes so far are held, and one release beside them. What the
    earlier releases come to is kept between questions that the same combinations answer, so that many subsets
    of QIDs cost one pass over the past.

    Args:
        earlier: The earlier releases, oldest first.
        now: QIDs → the table's keyed classes, with one combination named ``now``.
        columns_now: Returns the columns that are to be published; asked once, when a metric wants them.
        is_by_content: Whether records are followed by their content, so that sizes of classes tell more.
    """

    def __init__(
        self,
        *,
        earlier: Sequence[EarlierRelease],
        now: Callable[[tuple[str, ...]], KeyedClasses],
        columns_now: Callable[[], tuple[PublishedColumn, ...]],
        is_by_content: bool = False,
    ) -> None:
        self._earlier = tuple(earlier)
        self._is_by_content = is_by_content
        self._columns_now = lru_cache(maxsize=1)(columns_now)
        # few are kept, for each holds every person; all is asked about one set of QIDs, then about the next
        self._now = lru_cache(maxsize=1)(now)
        self._past = lru_cache(maxsize=2)(self._joined)
        self._every = lru_cache(maxsize=1)(self._with_now)
        self._joint = lru_cache(maxsize=2)(self._joint_of)
        self._is_joined = False

    def beside(
        self,
        *,
        now: Callable[[tuple[str, ...]], KeyedClasses],
        columns_now: Callable[[], tuple[PublishedColumn, ...]],
    ) -> "KeyedHistory":
        """Return the same earlier releases beside another table; what they come to is read once for both."""
        other = KeyedHistory(
            earlier=self._earlier, now=now, columns_now=columns_now, is_by_content=self._is_by_content
        )
        other._past = self._past
        return other

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

    def size_changes(
        self, qids: tuple[str, ...], *, most_recent: int | None = None
    ) -> tuple[NDArray[np.int64], ...]:
        """Return by how many persons classes of the table are larger or smaller than in earlier releases.

        Args:
            qids: The QIDs of the classes, as for ``joint_classes``.
            most_recent: How many of the latest earlier releases are looked at, ≥ 1; None looks at all.

        Returns:
            For each release that kept classes of the same QIDs the differences that are not 0, ≥ 1; a class
            that one of the two lacks has size 0. None of them where persons are followed by an entity, which
            tells who came and who left.

        Raises:
            NotMeasurable: When the classes of either were kept over another order of the QIDs.
            DataError: When what was kept of a release is damaged.

        Example:
            >>> KeyedHistory(earlier=[], now=dict, columns_now=tuple).size_changes(("age",))
            ()
        """
        if not self._is_by_content:
            return ()
        first = 0 if most_recent is None else max(0, self.releases - most_recent)
        changes = []
        for release in self._earlier[first:]:
            name = release.combination_for(qids)
            order = release.qids[name]
            if set(order) == set(qids):
                changes.append(size_changes(release.load(), name, self._now_over(order), NOW))
        return tuple(changes)

    def _now_over(self, order: tuple[str, ...]) -> KeyedClasses:
        return self._now(order)

    def isolated(
        self, qids: tuple[str, ...], *, k: int, most_recent: int | None = None
    ) -> IsolatedOverTime | None:
        """Return whom the table isolates together with its earlier releases, and with which.

        Args:
            qids: The QIDs that make the table's classes; earlier ones as ``combination_for`` says.
            k: Persons that a joint class needs, ≥ 2.
            most_recent: How many of the latest earlier releases are looked at, ≥ 1; None looks at all.

        Returns:
            The counts; None where there is no earlier release.

        Raises:
            InternalError: When the classes of a release, or of the table, are not what they should be.
            DataError: When what was kept of a release is damaged.

        Example:
            >>> KeyedHistory(earlier=[], now=dict, columns_now=tuple).isolated(("age",), k=5) is None
            True
        """
        if not self.releases:
            return None
        first = 0 if most_recent is None else max(0, self.releases - most_recent)
        names = tuple(release.combination_for(qids) for release in self._earlier[first:])
        releases = zip(self._earlier[first:], names, strict=True)
        return isolated_over_time(
            self._past(first, names),
            self._every(qids, first),
            self._now(qids),
            NOW,
            (OneRelease(release_id=one.release_id, classes=one.load(), name=name) for one, name in releases),
            qids=qids,
            k=k,
            most_recent=most_recent,
        )

    def shown(self, qids: tuple[str, ...], *, most_recent: int | None = None) -> Followed:
        """Return everybody of the earlier releases, with their joint classes: their trajectories."""
        first = 0 if most_recent is None else max(0, self.releases - most_recent)
        return self._past(first, tuple(one.combination_for(qids) for one in self._earlier[first:]))

    def left(self, qids: tuple[str, ...], sensitive: str, *, most_recent: int | None = None) -> LeftPersons:
        """Return who left since the latest release of the series, with the sensitive value that it shows.

        Args:
            qids: The QIDs of the classes, as for ``joint_classes``.
            sensitive: The attribute.
            most_recent: How many of the latest earlier releases are looked at, ≥ 1; None looks at all.

        Returns:
            Nobody before the first release.

        Raises:
            NotMeasurable: When that release was recorded without the values of the attribute.
            InternalError: When the classes of a release, or of the table, are not what they should be.
            DataError: When what was kept of a release is damaged.

        Example:
            >>> KeyedHistory(earlier=[], now=dict, columns_now=tuple).left(("age",), "ill").batch.tolist()
            []
        """
        if not self.releases:
            nobody = np.zeros(0, dtype=np.int64)
            return LeftPersons(batch=nobody, value=nobody)
        last, shown = self._series[-1], self.shown(qids, most_recent=most_recent)
        return left_persons(last.load(), last.release_id, shown, self._now(qids), sensitive)

    def columns(self) -> tuple[tuple[PublishedColumn, ...], ...]:
        """Return the published columns of each release of the series, oldest first, those of the table last.

        Returns:
            One tuple of columns a release.

        Example:
            >>> KeyedHistory(earlier=[], now=dict, columns_now=tuple).columns()
            ((),)
        """
        return (*(release.columns for release in self._series), self._columns_now())

    @property
    def _series(self) -> tuple[EarlierRelease, ...]:
        """The earlier releases of the table's own series; all, where a renamed one begins with it."""
        return tuple(one for one in self._earlier if not one.is_other) or self._earlier

    def _joint_of(self, qids: tuple[str, ...], first: int) -> JointClasses:
        merged = self._every(qids, first)
        classes = JointClasses(
            joint=merged.joint,
            is_now=merged.is_in_last,
            is_before=merged.is_in_first,
            is_absent=merged.is_absent,
        )
        for array in (classes.joint, classes.is_now, classes.is_before, classes.is_absent):
            array.flags.writeable = False  # it is given out more than once
        return classes

    def _with_now(self, qids: tuple[str, ...], first: int) -> Followed:
        names = tuple(release.combination_for(qids) for release in self._earlier[first:])
        return with_release(self._past(first, names), self._now(qids), NOW, "the table")

    def _joined(self, first: int, names: tuple[str, ...]) -> Followed:
        followed = NOBODY
        for release, name in zip(self._earlier[first:], names, strict=True):
            followed = with_release(followed, release.load(), name, f"the release {release.release_id!r}")
        return followed


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


def values_name(sensitive: str) -> str:
    r"""Return under which name the values of a sensitive attribute are kept beside the classes.

    No combination of a policy has that name, since none has a control character in it.

    Example:
        >>> values_name("illness")
        '\x00sensitive:illness'
    """
    return f"\0sensitive:{sensitive}"


def left_persons(
    last: "KeyedClasses", release_id: str, shown: "Followed", now: "KeyedClasses", sensitive: str
) -> LeftPersons:
    """Return the persons of the latest release who are not in the table; ``shown`` are those of all releases.

    NotMeasurable where the release was recorded without the values of the attribute.
    """
    name = values_name(sensitive)
    if name not in last.classes:
        raise NotMeasurable(
            f"the release {release_id!r} was recorded without the values of {sensitive!r}, so nobody knows"
            " with which of them people left; publish one release without this threshold, which records them"
        )
    persons = np.ascontiguousarray(last.persons).view("S16").ravel()
    has_left = ~np.isin(persons, np.ascontiguousarray(now.persons).view("S16").ravel())
    return LeftPersons(
        batch=shown.joint[np.searchsorted(shown.persons, persons[has_left])],
        value=last.class_of[name][has_left],
    )


class OfRelease(KeyedHistory):
    """All other releases beside one that stands where a table to be released would.

    Args:
        mine: The release that is looked at.
        others: The other releases, oldest first.
        now: QIDs → the release's keyed classes, with one combination named ``now``.
        columns_now: Returns its published columns.
        is_by_content: As for the history.
    """

    def __init__(
        self,
        *,
        mine: EarlierRelease,
        others: Sequence[EarlierRelease],
        now: Callable[[tuple[str, ...]], KeyedClasses],
        columns_now: Callable[[], tuple[PublishedColumn, ...]],
        is_by_content: bool,
    ) -> None:
        super().__init__(earlier=others, now=now, columns_now=columns_now, is_by_content=is_by_content)
        self.qids = tuple(mine.qids.values())
        """The QID combinations whose classes were kept."""

    def _now_over(self, order: tuple[str, ...]) -> KeyedClasses:
        if order not in self.qids:
            raise NotMeasurable(
                "The sizes of classes cannot be compared, since two releases were recorded with the"
                f" quasi-identifiers {', '.join(order)} in another order."
            )
        return super()._now_over(order)
