"""Hash keys of rows at combinations of levels, made quickly for many combinations of the same rows."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from qidguard_standard.anonymisers.recoding.column_levels import ColumnLevels

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_BYTES = 2**28
"""Largest memory of remembered partial sums."""


class LevelKeys:
    """A 64-bit number for each row at a level vector; rows have equal numbers where their groups are equal.

    The number is a sum of random ones, one for each group of each column: two rows that differ share one with
    a chance of 2⁻⁶⁴. The numbers are fixed, so that they are no source of chance in what comes out.

    Args:
        columns: The levels of each column.
        codes: Shape (rows, columns), the code of each value.
    """

    def __init__(self, columns: Sequence[ColumnLevels], codes: "NDArray[np.int32]") -> None:
        draw = np.random.default_rng(len(columns))
        self._of_code: list[NDArray[np.uint64]] = []
        for one in columns:
            numbers = draw.integers(0, 2**64, size=(one.groups.shape[1],), dtype=np.uint64)
            self._of_code.append(numbers[one.groups])
        self._codes = codes
        self._half = (len(columns) + 1) // 2
        self._rows = np.arange(len(codes))
        self._partial: dict[tuple[int, tuple[int, ...]], NDArray[np.uint64]] = {}

    def keep(self, rows: "NDArray[np.int64]") -> None:
        """Go on with some of the rows that were given at first, at these positions."""
        self._rows = rows
        self._partial = {}

    def at(self, vector: tuple[int, ...]) -> "NDArray[np.uint64]":
        """Return the key of each row at a level vector, shape (rows,)."""
        key: NDArray[np.uint64] = self._sum(0, vector[: self._half]) + self._sum(
            self._half, vector[self._half :]
        )
        return key

    def _sum(self, first: int, levels: tuple[int, ...]) -> "NDArray[np.uint64]":
        known = self._partial.get((first, levels))
        if known is not None:
            return known
        total = np.zeros(len(self._rows), dtype=np.uint64)
        for column, level in enumerate(levels, start=first):
            total += self._of_code[column][level][self._codes[self._rows, column]]
        if (len(self._partial) + 1) * total.nbytes <= MOST_BYTES:
            self._partial[first, levels] = total
        return total


def shared_by(key: "NDArray[np.uint64]", weight: "NDArray[np.float64]", least: int) -> "NDArray[np.int64]":
    """Return the rows that may share their key with rows of some weight in all, and few others.

    Args:
        key: Shape (rows,), a hash of each row.
        weight: Shape (rows,), records of each row, ≥ 0.
        least: Records, ≥ 1.

    Returns:
        Positions, ascending; every row whose class has ``least`` records is among them.

    Units:
        None.

    Raises:
        Nothing.

    Example:
        >>> shared_by(np.array([2**63, 5, 2**63], dtype=np.uint64), np.ones(3), 2).tolist()
        [0, 2]
    """
    bits = max(8, len(key).bit_length() + 2)
    bucket = (key >> np.uint64(64 - bits)).view(np.int64)
    return np.flatnonzero((np.bincount(bucket, weights=weight) >= least)[bucket])
