"""The open classes of one level of Mondrian, their rows one class after the other."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from qidguard_standard.anonymisers.clustering.axis import Axis

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class Level:
    """Classes side by side.

    Args:
        rows: Shape (rows,), the rows' places in the table, one class after the other.
        ranks: Shape (columns, rows), their ranks.
        weights: Shape (rows,), how many records each row stands for, ≥ 1.
        sizes: Shape (classes,), rows of each class, ≥ 1.
    """

    rows: "NDArray[np.int64]" = field(repr=False)
    weights: "NDArray[np.int64]" = field(repr=False)
    ranks: "NDArray[np.integer]" = field(repr=False)
    sizes: "NDArray[np.int64]" = field(repr=False)

    @property
    def starts(self) -> "NDArray[np.int64]":
        """Where each class begins."""
        starts: NDArray[np.int64] = np.cumsum(self.sizes) - self.sizes
        return starts

    @property
    def owner(self) -> "NDArray[np.int64]":
        """The class of each row."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    @property
    def records(self) -> "NDArray[np.int64]":
        """Records of each class."""
        counted: NDArray[np.int64] = np.add.reduceat(self.weights, self.starts)
        return counted

    def widths(self, axes: tuple[Axis, ...]) -> "NDArray[np.float64]":
        """Return what a cell of each class loses, shape (columns, classes)."""
        starts = self.starts
        return np.stack([axis.widths(ranks, starts) for axis, ranks in zip(axes, self.ranks, strict=True)])

    def only(self, classes: "NDArray[np.bool_]") -> "Level":
        """Return some of the classes."""
        if classes.all():
            return self
        at = np.flatnonzero(np.repeat(classes, self.sizes))
        return self._taken(at, self.sizes[classes])

    def halves(self, is_left: "NDArray[np.bool_]") -> "Level":
        """Return the left and the right half of each class, both of which have rows, in the order of rows.

        Args:
            is_left: Shape (rows,), which rows go to the left half.

        Returns:
            Twice as many classes: the halves of class c are 2c and 2c + 1.

        Units:
            None.

        Raises:
            Nothing.

        Example:
            >>> rows, ranks, weights = np.array([4, 5, 6]), np.array([[0, 1, 2]]), np.array([1, 1, 1])
            >>> one = Level(rows=rows, ranks=ranks, weights=weights, sizes=np.array([3]))
            >>> two = one.halves(np.array([False, True, False]))
            >>> two.rows.tolist(), two.sizes.tolist()
            ([5, 4, 6], [1, 2])
        """
        starts = self.starts
        before: NDArray[np.int64] = (
            np.cumsum(is_left) - is_left
        )  # rows of the left before each row, over all classes
        in_class: NDArray[np.int64] = before[starts]
        left = np.append(in_class[1:], int(is_left.sum())) - in_class
        at = np.arange(len(is_left))
        lefts_before: NDArray[np.int64] = before - np.repeat(in_class, self.sizes)
        place = np.where(
            is_left,
            np.repeat(starts, self.sizes) + lefts_before,
            at - lefts_before + np.repeat(left, self.sizes),
        )
        order = np.empty(len(is_left), dtype=np.int64)
        order[place] = at
        sizes = np.stack([left, self.sizes - left], axis=1).reshape(-1)
        return self._taken(order, sizes)

    def _taken(self, at: "NDArray[np.int64]", sizes: "NDArray[np.int64]") -> "Level":
        ranks = np.take(self.ranks, at, axis=1)
        return Level(rows=self.rows[at], ranks=ranks, weights=self.weights[at], sizes=sizes)
