"""The levels of columns' hierarchies, each with what its groups lose, and what a class publishes on them."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import ColumnValues, Hierarchy, Progress
from qidguard_standard.anonymizers.clustering.classes import ClassRule
from qidguard_standard.anonymizers.recoding.rows import EqualRows

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


@dataclass(frozen=True, kw_only=True)
class ClassCells:
    """What each class publishes.

    Args:
        level: Shape (classes, columns), the level of each cell, counted among the column's.
        code: Shape (classes, columns), the code of one of the values that each cell covers.
    """

    level: "NDArray[np.int64]" = field(repr=False)
    code: "NDArray[np.int32]" = field(repr=False)

    def loss(self, columns: Sequence[ColumnLevels]) -> "NDArray[np.float64]":
        """Return the loss of each cell, 0..1, shape (classes, columns)."""
        losses = [column.loss[self.level[:, j], self.code[:, j]] for j, column in enumerate(columns)]
        return np.stack(losses, axis=1)

    def joined(self, columns: Sequence[ColumnLevels], codes: "NDArray[np.int32]") -> "NDArray[np.int64]":
        """Return the levels that each class would have with one more row; shape (classes, columns)."""
        return np.stack(
            [
                _common(column, self.level[:, j], self.code[:, j], codes[j : j + 1])
                for j, column in enumerate(columns)
            ],
            axis=1,
        )


def class_cells(
    columns: Sequence[ColumnLevels], codes: "NDArray[np.int32]", class_of: "NDArray[np.int64]", classes: int
) -> ClassCells:
    """Return the cells that cover all rows of each class.

    Example:
        >>> class_cells((), np.zeros((1, 0), dtype=np.int32), np.array([0]), 1).level.shape
        (1, 0)
    """
    placed = np.flatnonzero(class_of >= 0)
    of = class_of[placed]
    one_row = np.zeros(classes, dtype=np.int64)
    one_row[of] = placed
    code = codes[one_row]
    level = np.zeros(code.shape, dtype=np.int64)
    for j, column in enumerate(columns):
        mine, values = code[of, j], codes[placed, j]
        for groups in column.groups[:-1]:
            differs = groups[mine] != groups[values]
            level[:, j] += np.bincount(of[differs], minlength=classes) > 0
    return ClassCells(level=level, code=code)


def _common(
    column: ColumnLevels, level: "NDArray[np.int64]", code: "NDArray[np.int32]", other: "NDArray[np.int32]"
) -> "NDArray[np.int64]":
    """Return the lowest levels, from the given ones up, at which codes are in one group with another code."""
    lowest = np.zeros(len(code), dtype=np.int64)
    for groups in column.groups[:-1]:
        lowest += groups[code] != groups[other]
    return np.maximum(level, lowest)


MOST_ALONE = 500
"""Leftover rows that each look for the cheapest class; beyond, they start as one class together."""
TITLE = "local recoding: records left over"


def join_leftover(
    columns: Sequence[ColumnLevels],
    codes: "NDArray[np.int32]",
    class_of: "NDArray[np.int64]",
    rows: EqualRows,
    progress: Progress,
) -> "NDArray[np.int64] | None":
    """Return classes in which every row has one, all keeping the rule.

    A row joins the class whose records and itself lose least by it; where the two do not keep the rule
    together, they join the next one, and so on. In the end that is the class of all records.
    """
    class_of = class_of.copy()
    left = np.flatnonzero(class_of < 0)
    starts = [left] if len(left) > MOST_ALONE else [left[i : i + 1] for i in range(len(left))]
    for done, start in enumerate(starts):
        progress.step(TITLE, done, len(starts))
        if class_of[start[0]] >= 0:
            continue  # it went with another row that was left over
        number = int(class_of.max(initial=-1)) + 1
        class_of[start] = number
        while not _keeps(rows.rule, class_of == number):
            cheapest = _cheapest(columns, codes, rows.weight, class_of, number)
            if cheapest is None:
                return None
            class_of[class_of == cheapest] = number
        occurring = np.unique(class_of[class_of >= 0])
        class_of[class_of >= 0] = np.searchsorted(occurring, class_of[class_of >= 0])
    if starts:
        progress.step(TITLE, len(starts), len(starts))
    return class_of


def _keeps(rule: ClassRule, members: "NDArray[np.bool_]") -> bool:
    rows = np.flatnonzero(members)
    return bool(rule.keeps(np.zeros(len(rows), dtype=np.int64), 1, rows)[0])


def _cheapest(
    columns: Sequence[ColumnLevels],
    codes: "NDArray[np.int32]",
    weight: "NDArray[np.int64]",
    class_of: "NDArray[np.int64]",
    number: int,
) -> int | None:
    """Return the class that it costs least to put together with class ``number``; None when it is alone."""
    others = np.unique(class_of[(class_of >= 0) & (class_of != number)])
    waiting = class_of < 0
    if not len(others):
        # only rows that are left over themselves remain: they are one class with it
        return -1 if waiting.any() else None
    classes = int(class_of.max()) + 1
    size = np.bincount(class_of[~waiting], weights=weight[~waiting], minlength=classes)
    # a class that was emptied has no cells; it is no candidate either
    there = np.append(others, number)
    place = np.searchsorted(there, class_of)
    cells = class_cells(columns, codes, np.where(waiting, -1, place), len(there))
    level = np.maximum(cells.joined(columns, cells.code[-1]), cells.level[-1])
    joined = [column.loss[level[:, j], cells.code[:, j]] for j, column in enumerate(columns)]
    own = cells.loss(columns).sum(axis=1)
    lost = np.sum(joined, axis=0) if joined else np.zeros(len(there))
    cost = size[there] * (lost - own) + size[number] * (lost - own[-1])
    return int(others[np.argmin(cost[:-1])])
