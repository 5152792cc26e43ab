"""What the other records of a group tell of a record: the majority of their values, and how certain it is."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from qidguard.undoing.cells import Cells, cells_of
from qidguard.undoing.gates import PRECISION
from qidguard.undoing.persons import dense
from qidguard.undoing.target import Target
from qidguard.undoing.told import Told, told_of
from qidguard.undoing.undoing import NOTED_TOLD

if TYPE_CHECKING:
    from numpy.typing import NDArray

SUPPORTS = (1, 2, 4, 9, 19, 49)
"""How many others a group must have at least: the best of these that chance cannot explain is taken."""

LEAST = 0.8 * NOTED_TOLD
"""What has to be told to be looked at: a little less than what is said, since a sample may tell less."""


@dataclass(frozen=True, kw_only=True)
class Tally:
    """What the others of each record's group say.

    Args:
        guess: Shape (records,), the most frequent value of the group.
        others: Shape (records,), how many other persons the group has, N − 1.
        certainty: Shape (records,), (m₁ − 1)/(N − 1) where the guess is the record's own value, else
            m₁/(N − 1); 0 in a group of one.
    """

    guess: "NDArray[np.int64]" = field(repr=False)
    others: "NDArray[np.int64]" = field(repr=False)
    certainty: "NDArray[np.float64]" = field(repr=False)


def tally_of(target: Target, groups: "NDArray[np.integer]") -> Tally:
    """Return what the others of each record's group say of the original value.

    Args:
        target: The quasi-identifier; a person counts once in each pair of group and value.
        groups: Shape (records,), the group of each record, ≥ 0.
    """
    group, _ = dense(groups)
    cell, cells = dense(group * target.kinds + target.values)
    group_of, value_of = np.empty(cells, dtype=np.int64), np.empty(cells, dtype=np.int64)
    group_of[cell], value_of[cell] = group, target.values
    counts = _persons_in(cell, cells, target.persons)
    starts = np.flatnonzero(np.diff(group_of, prepend=-1))
    sizes, largest = np.add.reduceat(counts, starts), np.maximum.reduceat(counts, starts)
    top = np.flatnonzero(counts == largest[group_of])[::-1]
    guess = np.empty(len(starts), dtype=np.int64)
    guess[group_of[top]] = value_of[top]
    is_own = guess[group_of] == value_of
    others = sizes[group_of] - 1
    certainty = (largest[group_of] - is_own) / np.maximum(others, 1)
    certainty[others == 0] = 0.0
    return Tally(guess=guess[group], others=others[cell], certainty=certainty[cell])


def _persons_in(
    cell: "NDArray[np.int64]", cells: int, persons: "NDArray[np.int64] | None"
) -> "NDArray[np.int64]":
    if persons is None:
        return np.bincount(cell, minlength=cells)
    everyone = int(persons.max(initial=0)) + 1
    both = np.sort(cell * everyone + persons)
    is_first = np.diff(both, prepend=-1) != 0
    return np.bincount(both[is_first] // everyone, minlength=cells)


BROAD = 50
"""Mean records of a published value from which groups within it tell no less than across all."""


@dataclass(frozen=True, kw_only=True)
class Groups:
    """Records of the same codes, alone and beside the published value; what is counted of them is kept.

    Args:
        target: The quasi-identifier.
        codes: Shape (records,), the group of each record, 0..size−1.
        size: One more than the largest group.
    """

    target: Target
    codes: "NDArray[np.int64]" = field(repr=False)
    size: int

    @cached_property
    def alone(self) -> Cells:
        """The records of each group, counted."""
        return cells_of(self.target, self.codes, self.size)

    @cached_property
    def beside(self) -> Cells:
        """The records of each group within each published value, counted."""
        return cells_of(self.target, self._within, self.size * self.target.classes)

    @property
    def _within(self) -> "NDArray[np.int64]":
        return self.target.published * self.size + self.codes

    def may_tell(self, floor: float) -> bool:
        """Return whether groups may tell so many hidden records, each record being another person.

        A published value mostly follows from the original one, so a group that tells within it is as large
        as the whole group; only where it hardly repeats are the groups looked at without it too.
        """
        if self.beside.most_told() >= floor:
            return True
        return is_looked_at_alone(self.target) and self.alone.most_told() >= floor

    def told(self) -> Told | None:
        """Return what the groups tell, alone or beside the published value; None is nothing."""
        found = []
        for is_beside in (False, True):
            if self.target.persons is None and not self._may_hold(is_beside=is_beside):
                continue
            tally = tally_of(self.target, self._within if is_beside else self.codes)
            is_sure = self.target.is_open & (tally.certainty >= PRECISION)
            found.append(_by_support(self.target, tally, np.flatnonzero(is_sure)))
        return max((told for told in found if told), key=lambda told: told.right, default=None)

    def _may_hold(self, *, is_beside: bool) -> bool:
        if not len(self.codes):
            return False
        cells = self.beside if is_beside else self.alone
        return cells.may_be_precise(SUPPORTS, LEAST * self.target.hidden)


def is_looked_at_alone(target: Target) -> bool:
    """Return whether groups are looked at without the published value, too."""
    return target.classes * BROAD > len(target.values)


def told_by_values(target: Target, codes: "NDArray[np.integer]") -> Told | None:
    """Return what records of the same codes tell, alone or beside the published value; None is nothing."""
    size = int(codes.max(initial=0)) + 1
    return Groups(target=target, codes=codes.astype(np.int64), size=size).told()


def _by_support(target: Target, tally: Tally, sure: "NDArray[np.int64]") -> Told | None:
    """Return what is told with the least support that chance cannot explain: with more of it less is told."""
    guesses = tally.guess[sure]
    known = sure[target.is_hidden[sure] & (guesses == target.values[sure])]
    if target.weights[known].sum() < LEAST * target.hidden:
        return None  # nothing is said of so little
    others = tally.others[sure]
    for support in SUPPORTS:
        if support > 1:
            is_enough = others >= support
            if is_enough.all():
                continue  # the same records were tried
            sure, guesses, others = sure[is_enough], guesses[is_enough], others[is_enough]
        if told := told_of(target, sure, guesses, "values"):
            return told
    return None


def tells_itself(target: Target) -> "NDArray[np.bool_]":
    """Return of which records the published value alone tells the original one."""
    tally = tally_of(target, target.published)
    is_told: NDArray[np.bool_] = (tally.certainty >= PRECISION) & (tally.guess == target.values)
    return is_told
