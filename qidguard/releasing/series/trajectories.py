"""Trajectories: the joint classes of persons over all earlier releases, absence being a class."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from qidguard.anonymizing.protocol import NEVER_SHOWN

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qidguard.engines.base import KeyedClasses
    from qidguard.releasing.history.earlier import EarlierRelease


def as_texts(hashes: "NDArray[np.uint8]") -> "NDArray[np.bytes_]":
    """Return hashes of 16 bytes as comparable texts, shape (rows,)."""
    return np.ascontiguousarray(hashes).view("S16").ravel()


@dataclass(frozen=True, kw_only=True)
class Trajectories:
    """Everybody whom an earlier release showed.

    Args:
        persons: Keyed hashes, ascending, none twice.
        joint: Shape (persons,), the trajectory of each, 0..trajectories−1.
        is_in_last: Shape (persons,), whether the last release showed the person.
    """

    persons: "NDArray[np.bytes_]"
    joint: "NDArray[np.int64]"
    is_in_last: "NDArray[np.bool_]"

    @classmethod
    def over(
        cls, releases: "Sequence[EarlierRelease]", combinations: Iterable[tuple[str, ...]]
    ) -> "Trajectories":
        """Return the trajectories over releases, one of which is held at a time.

        Args:
            releases: The earlier releases, oldest first.
            combinations: The QID combinations that are judged; each release answers with its own for them.
        """
        asked = tuple(combinations)
        found = cls(
            persons=np.zeros(0, dtype="S16"), joint=np.zeros(0, np.int64), is_in_last=np.zeros(0, np.bool_)
        )
        for release in releases:
            names = dict.fromkeys(release.combination_for(qids) for qids in asked)
            found = found._with(release.load(), tuple(names))
        return found

    def place_of(self, persons: "NDArray[np.bytes_]") -> "NDArray[np.int64]":
        """Return the row of each person here; −1 where no release showed the person."""
        if not len(self.persons):
            return np.full(len(persons), NEVER_SHOWN)
        place = np.minimum(np.searchsorted(self.persons, persons), len(self.persons) - 1)
        return np.where(self.persons[place] == persons, place, NEVER_SHOWN)

    def _with(self, classes: "KeyedClasses", names: tuple[str, ...]) -> "Trajectories":
        theirs = as_texts(classes.persons)
        own = classes.class_of[names[0]]
        if len(names) > 1:
            rows = np.stack([classes.class_of[name] for name in names], axis=1)
            own = np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1)
        persons = np.union1d(self.persons, theirs)
        before, now = np.full(len(persons), -1), np.full(len(persons), -1)
        before[np.searchsorted(persons, self.persons)] = self.joint
        now[np.searchsorted(persons, theirs)] = own
        pairs = (before + 1) * (int(own.max(initial=0)) + 2) + now + 1
        return Trajectories(
            persons=persons,
            joint=np.unique(pairs, return_inverse=True)[1].reshape(-1).astype(np.int64),
            is_in_last=now >= 0,
        )
