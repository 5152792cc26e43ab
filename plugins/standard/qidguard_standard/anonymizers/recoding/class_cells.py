"""What a class publishes in each column, and the rows that are left to join one."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import Progress
from qidguard_standard.anonymizers.recoding.column_levels import ColumnLevels
from qidguard_standard.anonymizers.recoding.row_rule import RowRule

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
    rule: RowRule,
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
        while not _keeps(rule, class_of == number):
            cheapest = _cheapest(columns, codes, rule.weight, class_of, number)
            if cheapest is None:
                return None
            class_of[class_of == cheapest] = number
        occurring = np.unique(class_of[class_of >= 0])
        class_of[class_of >= 0] = np.searchsorted(occurring, class_of[class_of >= 0])
    if starts:
        progress.step(TITLE, len(starts), len(starts))
    return class_of


def _keeps(rule: RowRule, members: "NDArray[np.bool_]") -> bool:
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
