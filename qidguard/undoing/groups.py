"""What the other records of a group tell of a record: the majority of their values, and how certain it is."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

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


def told_by_values(target: Target, codes: "NDArray[np.integer]") -> Told | None:
    """Return what records of the same codes tell, alone or beside the published value; None is nothing."""
    found: list[Told] = []
    for groups in (codes, target.published * (int(codes.max(initial=0)) + 1) + codes):
        tally = tally_of(target, groups)
        is_sure = target.is_open & (tally.certainty >= PRECISION)
        found += _by_support(target, tally, np.flatnonzero(is_sure))
    return max(found, key=lambda told: told.right, default=None)


def _by_support(target: Target, tally: Tally, sure: "NDArray[np.int64]") -> Iterable[Told]:
    known = sure[target.is_hidden[sure] & (tally.guess[sure] == target.values[sure])]
    if target.weights[known].sum() < LEAST * target.hidden:
        return  # nothing is said of so little
    for support in SUPPORTS:
        at = sure[tally.others[sure] >= support]
        if told := told_of(target, at, tally.guess[at], "values"):
            yield told


def tells_itself(target: Target) -> "NDArray[np.bool_]":
    """Return of which records the published value alone tells the original one."""
    tally = tally_of(target, target.published)
    is_told: NDArray[np.bool_] = (tally.certainty >= PRECISION) & (tally.guess == target.values)
    return is_told
