"""The levels of a column's hierarchy, each with what its groups lose."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import ColumnValues, Hierarchy

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class ColumnLevels:
    """Those levels of a hierarchy that differ on the values of a column, from exact to coarsest.

    Args:
        hierarchy: The hierarchy.
        numbers: The hierarchy's own number of each level, ascending.
        loss: Shape (levels, codes), the loss of a cell that is published on that level, 0..1 (NCP).
        mean_loss: Shape (levels,), the loss of a level over all records, ascending.
    """

    hierarchy: Hierarchy
    numbers: tuple[int, ...]
    loss: "NDArray[np.float64]" = field(repr=False)
    mean_loss: "NDArray[np.float64]" = field(repr=False)

    @property
    def groups(self) -> "NDArray[np.int32]":
        """The group of each code on each of these levels, shape (levels, codes)."""
        return self.hierarchy.groups[list(self.numbers)]

    def without(self, level: int) -> "ColumnLevels":
        """Return the same without one level, counted among these."""
        left = [place for place in range(len(self.numbers)) if place != level]
        return replace(
            self,
            numbers=tuple(self.numbers[place] for place in left),
            loss=self.loss[left],
            mean_loss=self.mean_loss[left],
        )


def column_levels(values: ColumnValues, hierarchy: Hierarchy) -> ColumnLevels:
    """Return the levels of a hierarchy that differ on a column.

    The loss of a cell is the normalized certainty penalty (Xu et al. 2006): (values covered − 1)/(values in
    the domain − 1), NULL being one of the values where it occurs; of numbers and dates the width between the
    lowest and the highest value covered, by that of the domain. A group of NULL and others loses 1, and so
    does one whose label is the top's.
    """
    counts = np.bincount(values.codes, minlength=len(values.texts))
    occurs = counts > 0
    numbers, losses = [0], [np.zeros(len(values.texts))]
    for level in range(1, hierarchy.levels):
        groups = hierarchy.groups[level]
        if len(np.unique(groups[occurs])) < len(np.unique(hierarchy.groups[numbers[-1]][occurs])):
            numbers.append(level)
            is_top = np.array([label == hierarchy.labels[-1][0] for label in hierarchy.labels[level]])
            losses.append(np.where(is_top[groups], 1.0, _losses(values, groups, occurs)))
    loss = np.stack(losses)
    return ColumnLevels(
        hierarchy=hierarchy,
        numbers=tuple(numbers),
        loss=loss,
        mean_loss=loss @ counts / max(1, len(values.codes)),
    )


def _losses(
    values: ColumnValues, groups: "NDArray[np.int32]", occurs: "NDArray[np.bool_]"
) -> "NDArray[np.float64]":
    """Return the loss of each code's group; not asked where the column has a single value."""
    covered = np.bincount(groups[occurs], minlength=int(groups.max()) + 1)
    share: NDArray[np.float64] = np.maximum(covered - 1, 0) / (occurs.sum() - 1)
    if values.numbers is not None and values.is_numeric:
        known = occurs & np.isfinite(values.numbers)
        low, high = np.full(len(covered), np.inf), np.full(len(covered), -np.inf)
        np.minimum.at(low, groups[known], values.numbers[known])
        np.maximum.at(high, groups[known], values.numbers[known])
        width = high.max(initial=-np.inf) - low.min(initial=np.inf)
        span = (high - low) / width if width > 0 else np.zeros(len(covered))
        is_mixed = np.bincount(groups[occurs & ~known], minlength=len(covered)) > 0
        share = np.where(covered <= 1, 0.0, np.where(is_mixed, 1.0, span))
    return share[groups]


def thinned(columns: Sequence[ColumnLevels], most: int) -> tuple[ColumnLevels, ...]:
    """Leave levels out until the columns have at most so many combinations of levels.

    The level goes whose records lose least by taking the next coarser one. The exact and the coarsest level
    of each column stay.
    """
    left = list(columns)
    while prod(len(column.numbers) for column in left) > most:
        costs = [
            (column.mean_loss[level + 1] - column.mean_loss[level], place, level)
            for place, column in enumerate(left)
            for level in range(1, len(column.numbers) - 1)
        ]
        if not costs:
            break
        _, place, level = min(costs)
        left[place] = left[place].without(level)
    return tuple(left)
