"""The records of each class, one class after the other."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class Members:
    """Records sorted by class.

    Args:
        order: Shape (records,), the records, class after class, in their own order within one.
        sizes: Shape (classes,), records of each class, ≥ 1.
    """

    order: "NDArray[np.int64]" = field(repr=False)
    sizes: "NDArray[np.int64]" = field(repr=False)

    @property
    def count(self) -> int:
        """Number of classes."""
        return len(self.sizes)

    @property
    def starts(self) -> "NDArray[np.int64]":
        """Where each class begins."""
        starts: NDArray[np.int64] = np.cumsum(self.sizes) - self.sizes
        return starts

    @property
    def owner(self) -> "NDArray[np.int64]":
        """The class of each record of ``order``."""
        return np.repeat(np.arange(self.count), self.sizes)

    def by_record(self, of_class: "NDArray[np.integer]") -> "NDArray[np.int32]":
        """Return what holds for each record's class, in the order of records.

        Args:
            of_class: Shape (classes,).

        Returns:
            Shape (records,).

        Units:
            None.

        Raises:
            Nothing.

        Example:
            >>> members(np.array([7, 3, 7])).by_record(np.array([30, 70])).tolist()
            [70, 30, 70]
        """
        found = np.empty(len(self.order), dtype=np.int32)
        found[self.order] = np.repeat(of_class.astype(np.int32), self.sizes)
        return found


def members(classes: "NDArray[np.int64]") -> Members:
    """Return the records of each class that has any; ``classes`` are whole numbers ≥ 0, one a record."""
    # few bits sort by radix, in one pass for each sixteen
    order = np.argsort(classes.astype(np.min_scalar_type(int(classes.max(initial=0)))), kind="stable")
    sizes = np.bincount(classes)
    return Members(order=order, sizes=sizes[sizes > 0])
