"""Many subsets' figures, one row a subset."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qidguard.measure.masks import Masks


@dataclass(frozen=True, kw_only=True)
class SubsetTable:
    """Figures of many subsets of columns.

    Args:
        columns: The columns; bit i of a mask stands for ``columns[i]``.
        sets: One bit mask a subset, none twice: 64-bit numbers, or objects beyond 62 columns.
        values: Shape (subsets, figures); NaN where no number exists.
    """

    columns: tuple[str, ...]
    sets: Masks
    values: NDArray[np.float64]

    def names(self, row: int) -> tuple[str, ...]:
        """Return the columns of one subset in the table's order.

        Args:
            row: The subset's row, 0..subsets−1.

        Returns:
            Its column names.

        Units:
            None.

        Raises:
            IndexError: When there is no such row.

        Example:
            >>> masks = np.array([0b101])
            >>> SubsetTable(columns=("a", "b", "c"), sets=masks, values=np.zeros((1, 1))).names(0)
            ('a', 'c')
        """
        mask = int(self.sets[row])
        return tuple(name for i, name in enumerate(self.columns) if mask >> i & 1)
