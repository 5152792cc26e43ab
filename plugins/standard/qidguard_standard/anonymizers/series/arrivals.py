"""Newcomers: who waits, and who enters in which new group."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import UNKNOWN, NotMeasurable, Progress
from qidguard_standard.anonymizers.clustering.mondrian import Cuts
from qidguard_standard.anonymizers.series.people import People, distances, nearest
from qidguard_standard.anonymizers.series.stay import Stay

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LOOK_AHEAD = 4
_TITLE = "kept_groups"
MOST_LOSS = 3.0
"""How many times the NCP of a first release a new group may have while its persons can wait."""


@dataclass(frozen=True, kw_only=True)
class ArrivalPartition:
    """How persons are put into groups: Mondrian.

    Args:
        people: All persons.
        progress: Hears of finished steps.
    """

    people: People = field(repr=False)
    progress: Progress = field(repr=False)

    def of(
        self, rows: "NDArray[np.int64]", least: float, within: "NDArray[np.int64] | None" = None
    ) -> "NDArray[np.int64]":
        """Return the group of each of some persons, from 0 on, of so many persons at least.

        What is ``within`` one number is divided by itself; a number of fewer persons stays as it is.
        """
        if not len(rows):
            return np.zeros(0, dtype=np.int64)
        cuts = Cuts(
            rule=self.people.rule.part(rows),
            axes=tuple(axis.at(rows) for axis in self.people.axes),
            look_ahead=_LOOK_AHEAD,
            least_half=max(self.people.k, int(np.ceil(round(least, 6)))),
        )
        return cuts.partition(self.progress, _TITLE, within)

    def first(self, rows: "NDArray[np.int64]", least: float) -> "NDArray[np.int64]":
        """Return the groups of a first release of some persons, each within a wave of exits and held values.

        Shape (persons of the table,), −1 for all others and where a wave is too small to be a group.
        """
        people = self.people
        group = np.full(people.count, -1)
        alike = np.stack([people.held[rows], _waves(people, rows)], axis=1)
        within = np.unique(alike, axis=0, return_inverse=True)[1].reshape(-1)
        found = self.of(rows, least, within)
        fine = people.rule.keeps(found, int(found.max(initial=-1)) + 1, rows)
        group[rows] = np.where(fine[found], found, -1)
        return group


def _waves(people: People, rows: "NDArray[np.int64]") -> "NDArray[np.int64]":
    """Return the number of each person's wave of exits; those whose exit is not known are one."""
    wave = people.earlier.exit_wave[rows]
    return np.unique(np.where(wave == UNKNOWN, np.iinfo(np.int64).max, wave), return_inverse=True)[1].reshape(
        -1
    )


@dataclass(frozen=True, kw_only=True)
class Arrivals:
    """What becomes of the newcomers.

    Args:
        group: Shape (persons,), the new group of each who enters, from 0 on; −1 of all others.
        unseen: Persons who were never shown and left.
    """

    group: "NDArray[np.int64]" = field(repr=False)
    unseen: int


def arrivals(partition: ArrivalPartition, stay: Stay, least: float, most_ncp: float) -> Arrivals:
    """Return who enters: in groups of ``least`` persons with an NCP up to ``most_ncp``, or as it is time.

    Whoever waited as long as the policy allows enters whatever it costs, with the others of the group; where
    that is none, in groups of those for whom it is time, in the nearest new group, or with the nearest who
    wait.
    """
    people = partition.people
    pool = np.flatnonzero(people.is_new & people.is_present)
    waited = people.earlier.waited
    if stay.newcomers and (waited[pool] == UNKNOWN).any():
        count = int(np.count_nonzero(waited[pool] == UNKNOWN))
        raise NotMeasurable(
            f"newcomers_wait: {stay.newcomers} needs to know for how many releases a newcomer has waited, and"
            f" of {count:,} persons nobody kept it; name the column of arrivals or a private state file, or"
            " set newcomers_wait to 0"
        )
    group = partition.first(pool, least)
    if np.isfinite(most_ncp):
        numbers = np.unique(group[group >= 0])
        is_dear = np.zeros(int(group.max(initial=-1)) + 2, dtype=np.bool_)
        is_dear[numbers[people.losses(group)[1] > most_ncp]] = True
        is_dear[group[pool[waited[pool] >= stay.newcomers]]] = False
        group[is_dear[group]] = -1
    due = pool[(group[pool] < 0) & (waited[pool] >= stay.newcomers)]
    for value in np.unique(people.held[due]).tolist():
        alike = people.held == value
        _enter(partition, group, pool[alike[pool]], due[alike[due]], least)
    unseen = int(np.count_nonzero(people.is_new & ~people.is_present))
    return Arrivals(group=group, unseen=unseen)


def _enter(
    partition: ArrivalPartition,
    group: "NDArray[np.int64]",
    pool: "NDArray[np.int64]",
    due: "NDArray[np.int64]",
    least: float,
) -> None:
    """Give those for whom it is time a group; where there is none, nobody enters.

    The same is held of all of them and of the ``pool``.
    """
    people, number = partition.people, int(group.max(initial=-1)) + 1
    waves = _lumped(_waves(people, due), people.k)
    found = partition.of(due, least, waves)
    fine = people.rule.keeps(found, int(found.max()) + 1, due)
    group[due] = np.where(fine[found], number + found, -1)
    late = due[group[due] < 0]
    if not len(late):
        return
    entered = np.flatnonzero((group >= 0) & (people.held == people.held[late[0]]))
    if len(entered):
        group[late] = group[entered[nearest(people, late, entered)]]
        return
    waiting = pool[group[pool] < 0]
    # with as few of the others as can be, the nearest first
    places = people.places(waiting)
    is_late = np.isin(waiting, late)
    apart = distances(people, places, np.median(places[:, is_late], axis=1))
    order = waiting[np.lexsort((*places, apart, ~is_late))]
    for size in range(max(people.k, len(late)), len(order) + 1):
        rows = order[:size]
        if people.rule.keeps(np.zeros(size, dtype=np.int64), 1, rows)[0]:
            group[rows] = number
            return
        if people.rule.wanted.is_k_alone:
            return


def _lumped(wave: "NDArray[np.int64]", k: int) -> "NDArray[np.int64]":
    """Return waves of exits, each too small one together with those that follow it.

    Example:
        >>> _lumped(np.array([0, 1, 1, 1, 2, 3, 3]), 3).tolist()
        [0, 0, 0, 0, 1, 1, 1]
    """
    sizes = np.bincount(wave)
    lump = np.zeros(len(sizes), dtype=np.int64)
    current = persons = 0
    for one, size in enumerate(sizes.tolist()):
        lump[one] = current
        persons += size
        if persons >= k:
            current, persons = current + 1, 0
    if 0 < persons < k and current:
        lump[lump == current] = current - 1
    return lump[wave]
