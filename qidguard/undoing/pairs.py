"""Pairs of columns that tell together what neither tells alone."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from qidguard.undoing.cells import most_told_of_each
from qidguard.undoing.groups import Groups, is_looked_at_alone
from qidguard.undoing.persons import dense
from qidguard.undoing.target import Target
from qidguard.undoing.undoing import NOTED_TOLD, UNDONE_TOLD

if TYPE_CHECKING:
    from numpy.typing import NDArray

SLACK = 0.7
"""The share of what a pair must tell that it must tell in a small sample, where groups are met as often."""

GAIN = 0.1
"""What a pair must tell beyond its better column alone, and beyond a shuffled partner."""

MOST_COLUMNS = 60
"""Columns of which pairs are tried, those of the most values that repeat first; others are said."""


@dataclass(frozen=True, kw_only=True)
class Partner:
    """A column that may tell together with another.

    Args:
        at: Its place among the published columns.
        codes: Shape (records,), codes 0, 1, … of its values.
        size: How many there are.
        told: T of the column alone.
    """

    at: int
    codes: "NDArray[np.int64]" = field(repr=False)
    size: int
    told: float


def partners_of(
    target: Target, codes: "Sequence[NDArray[np.integer]]", told: Sequence[float]
) -> list[Partner]:
    """Return the columns of which pairs are worth trying, over the records of a target."""
    found = []
    for at, column in enumerate(codes):
        coded, size = dense(column)
        if 1 < size <= len(coded) / 2 and told[at] < UNDONE_TOLD:
            found.append(Partner(at=at, codes=coded, size=size, told=_told(target, coded, size)))
    found = [partner for partner in found if partner.told < UNDONE_TOLD]
    return sorted(found, key=lambda partner: -partner.size)


def pairs_that_tell(
    target: Target, small: Target, partners: Sequence[Partner], generator: np.random.Generator
) -> Iterator[tuple[float, Partner, Partner]]:
    """Yield T and pairs of columns that tell more than either alone, or beside a shuffled partner."""
    for first, second in _promising(target, small, partners):
        better = max(first.told, second.told)
        floor = max(NOTED_TOLD, better + GAIN) * target.hidden
        joint, size = first.codes * second.size + second.codes, first.size * second.size
        told = _told(target, joint, size, floor)
        if told < better + GAIN or told < NOTED_TOLD or dense(joint)[1] > len(joint) / 2:
            continue
        shuffled = max(
            _told(target, first.codes * second.size + generator.permutation(second.codes), size),
            _told(target, generator.permutation(first.codes) * second.size + second.codes, size),
        )
        if told >= shuffled + GAIN:
            yield told, first, second


def _promising(
    target: Target, small: Target, partners: Sequence[Partner]
) -> Iterator[tuple[Partner, Partner]]:
    """Yield the pairs that may tell enough in a small sample; all where it is the whole."""
    few, many = len(small.values), len(target.values)
    if few == many:
        yield from combinations(partners, 2)
        return
    for place, first in enumerate(partners[:-1]):
        others = partners[place + 1 :]
        sizes = np.array([first.size * second.size for second in others])
        better = np.array([max(first.told, second.told) for second in others])
        shares = SLACK * np.array([_met(few, many, size) for size in sizes.tolist()])
        floors = np.maximum(NOTED_TOLD, better + GAIN) * shares * small.hidden
        joint = np.stack([first.codes[:few] * second.size + second.codes[:few] for second in others])
        most = most_told_of_each(small, small.published * sizes[:, None] + joint)
        if is_looked_at_alone(small):
            most = np.maximum(most, most_told_of_each(small, joint))
        for at in np.flatnonzero(most >= floors).tolist():
            yield first, others[at]


def _told(target: Target, codes: "NDArray[np.int64]", size: int, floor: float | None = None) -> float:
    """Return T of groups; 0 where they cannot tell so many records as the floor, a tenth if nobody says."""
    groups = Groups(target=target, codes=codes, size=size)
    if not groups.may_tell(NOTED_TOLD * target.hidden if floor is None else floor):
        return 0.0
    told = groups.told()
    return told.right / target.hidden if told else 0.0


def _met(few: int, many: int, size: int) -> float:
    """Return how much rarer a record of a small sample meets another one of its group than in a large one."""
    groups = max(1.0, min(size, many / 2))
    return math.expm1(-few / groups) / math.expm1(-many / groups)
