"""Rows: the distinct combinations of values among records, and which of them agree with what is asked."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class Rows:
    """Distinct combinations of codes, each with the records that have it.

    Args:
        codes: Shape (columns, rows), the codes of each distinct combination.
        order: Shape (records,), the records, those of row 0 first.
        start: Shape (rows + 1,), where each row's records begin in ``order``.
    """

    codes: NDArray[np.int32]
    order: NDArray[np.int64]
    start: NDArray[np.int64]

    @classmethod
    def of(cls, columns: list[NDArray[np.int32]], records: int) -> "Rows":
        """Return the rows of columns of codes; one row where there is no column."""
        number = np.zeros(records, dtype=np.int64)
        for codes in columns:
            # numbered anew after each column, so that a key never outgrows 64 bits
            key = number * (int(codes.max(initial=0)) + 1) + codes
            number = np.unique(key, return_inverse=True)[1].astype(np.int64)
        order = np.argsort(number, kind="stable")
        sizes = np.bincount(number, minlength=1 if not records else 0)
        start = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])
        first = order[start[:-1]] if records else np.zeros(0, dtype=np.int64)
        codes_of = np.array([codes[first] for codes in columns], dtype=np.int32)
        return cls(codes=codes_of.reshape(len(columns), len(first)), order=order, start=start)

    def where(self, masks: Mapping[int, NDArray[np.bool_]]) -> NDArray[np.int64]:
        """Return the rows whose code is in the mask of each asked column, ascending."""
        rows: NDArray[np.int64] | None = None
        # the mask of the fewest codes first: it leaves the least to look at
        for column in sorted(masks, key=lambda c: int(masks[c].sum())):
            codes = self.codes[column] if rows is None else self.codes[column, rows]
            is_in = masks[column][codes]
            rows = np.flatnonzero(is_in) if rows is None else rows[is_in]
        return np.arange(self.codes.shape[1]) if rows is None else rows

    def records_of(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the records of some rows, row after row."""
        begin, sizes = self.start[rows], self.start[rows + 1] - self.start[rows]
        ends = np.cumsum(sizes)
        total = int(ends[-1]) if len(ends) else 0
        within = np.arange(total) - np.repeat(ends - sizes, sizes)
        records: NDArray[np.int64] = self.order[np.repeat(begin, sizes) + within]
        return records
