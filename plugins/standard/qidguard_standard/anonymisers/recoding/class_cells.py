"""The published cells of classes: for each column the lowest level at which all of a class are alike."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from qidguard_standard.anonymisers.recoding.column_levels import ColumnLevels

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
        losses = [one.loss[self.level[:, j], self.code[:, j]] for j, one in enumerate(columns)]
        return np.stack(losses, axis=1)

    def joined(self, columns: Sequence[ColumnLevels], codes: "NDArray[np.int32]") -> "NDArray[np.int64]":
        """Return the levels that each class would have with one more row; shape (classes, columns)."""
        return np.stack(
            [
                _common(one, self.level[:, j], self.code[:, j], codes[j : j + 1])
                for j, one in enumerate(columns)
            ],
            axis=1,
        )


def class_cells(
    columns: Sequence[ColumnLevels], codes: "NDArray[np.int32]", class_of: "NDArray[np.int64]", classes: int
) -> ClassCells:
    """Return the cells that cover all rows of each class.

    Args:
        columns: The levels of each column.
        codes: Shape (rows, columns), the code of each value.
        class_of: Shape (rows,), the class of each row, −1 for those that have none.
        classes: Number of classes, each of which has a row.

    Returns:
        The cells; two classes may publish the same.

    Units:
        None.

    Raises:
        Nothing.

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
    for j, one in enumerate(columns):
        mine, values = code[of, j], codes[placed, j]
        for groups in one.groups[:-1]:
            differs = groups[mine] != groups[values]
            level[:, j] += np.bincount(of[differs], minlength=classes) > 0
    return ClassCells(level=level, code=code)


def _common(
    one: ColumnLevels, level: "NDArray[np.int64]", code: "NDArray[np.int32]", other: "NDArray[np.int32]"
) -> "NDArray[np.int64]":
    """Return the lowest levels, from the given ones up, at which codes are in one group with another code."""
    lowest = np.zeros(len(code), dtype=np.int64)
    for groups in one.groups[:-1]:
        lowest += groups[code] != groups[other]
    return np.maximum(level, lowest)
