"""Simulate a series: an anonymizer makes one release after the other, in memory, and each is measured."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import NEVER_SHOWN, UNKNOWN, EarlierPersons, NotMeasurable
from qidguard_series.keeping import Keeping
from qidguard_series.plan import KeptSeries, ReleaseFigures
from qidguard_series.stream import Present, Stream

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qidguard.sdk import PolicyRehearsal, RehearsedTable


NOT_SHOWN = -1
"""The class of a person whom a release does not show."""


@dataclass(frozen=True, kw_only=True)
class Together:
    """What all releases so far tell together, in persons.

    Args:
        smallest: Persons in the smallest joint class, absence being a class.
        intersection: The smallest joint class of who is in the last release and in one before; all persons of
            the last release where there is nobody.
        differencing: The smallest joint class of who is missing in a release; all persons where there is
            nobody.
        isolated: Persons in joint classes below k.
    """

    smallest: int
    intersection: int
    differencing: int
    isolated: int


class SimulatedFollowed:
    """Joint classes of persons over the releases so far, as the history of a ledger has them.

    Args:
        persons: Number of persons over all releases to come.

    Example:
        >>> followed = SimulatedFollowed(3)
        >>> followed.publish(np.array([0, 0, 0]), 2).smallest
        3
        >>> followed.publish(np.array([0, 0, NOT_SHOWN]), 2)
        Together(smallest=1, intersection=2, differencing=1, isolated=1)
    """

    def __init__(self, persons: int) -> None:
        self.releases = 0
        self.joint = np.full(persons, NEVER_SHOWN, dtype=np.int64)
        self.is_in_last = np.zeros(persons, dtype=np.bool_)
        self.waited = np.zeros(persons, dtype=np.int64)
        self._is_absent = np.zeros(persons, dtype=np.bool_)

    @property
    def is_shown(self) -> "NDArray[np.bool_]":
        """Shape (persons,), whom any release showed."""
        shown: NDArray[np.bool_] = self.joint != NEVER_SHOWN
        return shown

    def given(self, now: Present) -> "NDArray[np.int64]":
        """Return the persons whose records the next release is made of: who is present, and last values.

        Last values are of persons whom the last release showed; whoever it left out is forgotten.
        """
        return np.flatnonzero(now.present | (self.is_in_last & (now.gone > 0) & ~now.erased))

    def earlier(
        self, now: Present, person: "NDArray[np.int64]", *, is_exit_known: bool = False
    ) -> EarlierPersons:
        """Return what is known of the person of each record."""
        has_record = np.zeros(len(self.joint), dtype=np.bool_)
        has_record[person] = True
        missing = np.flatnonzero(self.is_shown & ~has_record)
        exits = now.exit_wave[person] if is_exit_known else np.full(len(person), UNKNOWN, dtype=np.int64)
        return EarlierPersons(
            releases=self.releases,
            trajectory=self.joint[person],
            is_in_last=self.is_in_last[person],
            gone=now.gone[person],
            waited=np.where(self.is_shown, 0, self.waited)[person],
            exit_wave=exits,
            missing=self.joint[missing],
            is_missing_in_last=self.is_in_last[missing],
        )

    def wait(self, now: Present) -> None:
        """Count one more release for who is present and was not shown, and none for who is gone."""
        self.waited = np.where(now.present & ~self.is_shown, self.waited + 1, 0)

    def publish(self, shown: "NDArray[np.int64]", k: int) -> Together:
        """Add a release, which shows each person in a class, or ``NOT_SHOWN``."""
        is_now, was = shown != NOT_SHOWN, self.is_shown
        known = is_now | was
        pairs = (self.joint[known] + 1) * (int(shown.max(initial=0)) + 2) + shown[known] + 1
        joint, sizes = np.unique(pairs, return_inverse=True, return_counts=True)[1:]
        self._is_absent |= known & (~is_now | (~was & (self.releases > 0)))
        self.joint[known] = joint
        self.is_in_last = is_now
        self.releases += 1
        size = np.zeros(len(shown), dtype=np.int64)
        size[known] = sizes[joint]
        both, absent = is_now & was, self._is_absent & known
        return Together(
            smallest=int(size[known].min(initial=len(shown))),
            intersection=int(size[both].min()) if both.any() else int(is_now.sum()),
            differencing=int(size[absent].min()) if absent.any() else int(known.sum()),
            isolated=int((size[known] < k).sum()),
        )


def classes_of_persons(
    person: "NDArray[np.int64]", classes: "NDArray[np.int64]", persons: int
) -> "NDArray[np.int64]":
    """Return the class of each person, ``NOT_SHOWN`` for who has no record.

    A person with records in several classes is known by the set of them.

    Example:
        >>> classes_of_persons(np.array([0, 0, 1, 3]), np.array([4, 5, 4, 4]), 4).tolist()
        [6, 4, -1, 4]
    """
    shown = np.full(persons, NOT_SHOWN, dtype=np.int64)
    if len(person) == 0:
        return shown
    persons_of, classes_of = np.divmod(np.unique(person * (classes.max() + 1) + classes), classes.max() + 1)
    who, first, several = np.unique(persons_of, return_index=True, return_counts=True)
    numbers = classes_of[first].copy()
    sets: dict[tuple[int, ...], int] = {}
    for at in np.flatnonzero(several > 1).tolist():
        group = tuple(classes_of[first[at] : first[at] + several[at]].tolist())
        numbers[at] = classes.max() + 1 + sets.setdefault(group, len(sets))
    shown[who] = numbers
    return shown


LOSS = "ncp"
"""The metric by which ways are held beside one another."""


@dataclass(frozen=True, kw_only=True)
class Simulated:
    """A stream of persons, and what every release of it has to reach.

    Args:
        stream: The persons.
        rehearsal: What makes a release.
        k: Persons in the smallest joint class.
    """

    stream: Stream
    rehearsal: "PolicyRehearsal"
    k: int

    def kept(self, keeping: Keeping) -> KeptSeries:
        """Return what one way of keeping the series comes to, release by release.

        An anonymizer that cannot make a release ends the series with its reason.
        """
        followed = SimulatedFollowed(self.stream.persons)
        releases: list[ReleaseFigures] = []
        reason = ""
        for now in self._steps(keeping.label):
            try:
                releases.append(self._release(keeping, followed, now))
            except NotMeasurable as refused:
                reason = f"release {now.number + 1}: {refused}"
                break
        return KeptSeries(keeping=keeping, releases=tuple(releases), reason=reason)

    def alone(self, method: str) -> tuple[float, ...]:
        """Return the loss of each release where nobody looks at the others, 0..1.

        Raises:
            NotMeasurable: When the method cannot make one.
        """
        losses = []
        for now in self._steps("each release alone"):
            records, _ = now.records(np.flatnonzero(now.present))
            losses.append(_loss(self.rehearsal.make(records, method)))
        return tuple(losses)

    def _steps(self, what: str) -> Iterator[Present]:
        """Yield the persons at each release, and tell how far it is."""
        total, step = self.stream.releases, self.rehearsal.progress.step
        for now in self.stream.follow():
            step(f"planning: {what}", now.number, total)
            yield now
        step(f"planning: {what}", total, total)

    def _release(self, keeping: Keeping, followed: SimulatedFollowed, now: Present) -> ReleaseFigures:
        records, person = now.records(followed.given(now))
        earlier = followed.earlier(now, person, is_exit_known=keeping.is_exit_known)
        made = self.rehearsal.make(records, str(keeping.method), earlier)
        of_record = made.classes(self.rehearsal.task.quasi_identifiers)
        classes = classes_of_persons(person[made.kept], of_record, self.stream.persons)
        followed.wait(now)
        before, was_shown = followed.joint.copy(), followed.is_in_last.copy()
        together = followed.publish(classes, self.k)
        shown, present = classes != NOT_SHOWN, now.present
        stale, waiting = shown & ~present, present & ~followed.is_shown
        # who of the present is shown no more: of groups that go on, and of groups that do not
        out = was_shown & present & ~shown
        goes_on = np.isin(before, np.unique(before[was_shown & shown]))
        return ReleaseFigures(
            release=now.number + 1,
            present=int(present.sum()),
            published=int(shown.sum()),
            fresh=int((present & shown).sum()),
            stale=int(stale.sum()),
            oldest=int(now.gone[stale].max(initial=0)),
            waiting=int(waiting.sum()),
            longest=int(followed.waited[waiting].max(initial=0)),
            companions=int((out & goes_on).sum()),
            dissolved=int((out & ~goes_on).sum()),
            ncp=_loss(made),
            seconds=made.seconds,
            **vars(together),
        )


def _loss(made: "RehearsedTable") -> float:
    """Return the loss of what is published: a record that is not loses 1 in every cell, and counts for none.

    NotMeasurable where the metric says why it has no number.
    """
    (measured,) = made.measure(LOSS)
    if measured.value is None:
        raise NotMeasurable(measured.reason or f"{LOSS} has no number")
    records, kept = len(made.kept), int(made.kept.sum())
    return max(0.0, float((measured.value * records - (records - kept)) / kept))
