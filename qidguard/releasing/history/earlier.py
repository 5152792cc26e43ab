"""Earlier releases: the history that metrics look at, read from keyed numbers one release at a time."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from qidguard.core.errors import InternalError, NotMeasurable
from qidguard.core.isolated import IsolatedOverTime
from qidguard.core.versions import JointClasses, LeftPersons, PublishedColumn
from qidguard.engines.base import KeyedClasses
from qidguard.releasing.history.followed import NOBODY, Followed, isolated_over_time, with_release
from qidguard.releasing.history.keyed_bytes import as_texts
from qidguard.releasing.history.same_counts import size_changes

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
        kept: The QID combinations whose classes were kept, where a release stands in the table's place; None
            for a table, whose classes are made over any columns.
    """

    def __init__(
        self,
        *,
        earlier: Sequence[EarlierRelease],
        now: Callable[[tuple[str, ...]], KeyedClasses],
        columns_now: Callable[[], tuple[PublishedColumn, ...]],
        is_by_content: bool = False,
        kept: tuple[tuple[str, ...], ...] | None = None,
    ) -> None:
        self.kept = kept
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
        classes = self._joint(qids, self._first(most_recent))
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
        changes = []
        for release, name in self._answering(qids, self._first(most_recent)):
            order = release.qids[name]
            if set(order) != set(qids):
                continue
            if self.kept is not None and order not in self.kept:
                raise NotMeasurable(
                    "The sizes of classes cannot be compared, since two releases were recorded with the"
                    f" quasi-identifiers {', '.join(order)} in another order."
                )
            changes.append(size_changes(release.load(), name, self._now(order), NOW))
        return tuple(changes)

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
        return isolated_over_time(
            self.shown(qids, most_recent=most_recent),
            self._every(qids, self._first(most_recent)),
            self._now(qids).class_of[NOW],
            self._classes(qids, self._first(most_recent)),
            qids=qids,
            k=k,
            most_recent=most_recent,
        )

    def shown(self, qids: tuple[str, ...], *, most_recent: int | None = None) -> Followed:
        """Return everybody of the earlier releases, with their joint classes: their trajectories."""
        first = self._first(most_recent)
        return self._past(first, tuple(name for _, name in self._answering(qids, first)))

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

    def _first(self, most_recent: int | None) -> int:
        return 0 if most_recent is None else max(0, self.releases - most_recent)

    def _answering(self, qids: tuple[str, ...], first: int) -> Iterator[tuple[EarlierRelease, str]]:
        """Yield the releases from one on, with the combination of each that answers for QIDs."""
        return ((release, release.combination_for(qids)) for release in self._earlier[first:])

    def _classes(
        self, qids: tuple[str, ...], first: int
    ) -> Iterator[tuple[str, NDArray[np.bytes_], NDArray[np.int64]]]:
        for release, name in self._answering(qids, first):
            classes = release.load()
            yield release.release_id, as_texts(classes.persons), classes.class_of[name]

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
        names = tuple(name for _, name in self._answering(qids, first))
        return with_release(self._past(first, names), self._now(qids), (NOW,), "the table")

    def _joined(self, first: int, names: tuple[str, ...]) -> Followed:
        followed = NOBODY
        for release, name in zip(self._earlier[first:], names, strict=True):
            whose = f"the release {release.release_id!r}"
            followed = with_release(followed, release.load(), (name,), whose)
        return followed


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
    persons = as_texts(last.persons)
    has_left = ~np.isin(persons, as_texts(now.persons))
    return LeftPersons(
        batch=shown.joint[np.searchsorted(shown.persons, persons[has_left])],
        value=last.class_of[name][has_left],
    )


def followed_over(releases: Iterable[EarlierRelease], combinations: Sequence[tuple[str, ...]]) -> Followed:
    """Return the persons followed over releases, one of which is held at a time, by all that answers.

    Args:
        releases: The releases, oldest first.
        combinations: The QID combinations that are judged; each release answers with its own for them.
    """
    followed = NOBODY
    for release in releases:
        names = dict.fromkeys(release.combination_for(qids) for qids in combinations)
        whose = f"the release {release.release_id!r}"
        followed = with_release(followed, release.load(), tuple(names), whose)
    return followed
