"""A table some of whose cells carry the suppression mark, which is a value like any other."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import ColumnValues

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FIRST_BITS = 17


class MarkedCells:
    """The QID columns of a table with the cells that are suppressed.

    A class is what is alike in the published columns, marks included. It is found by the sum of random
    64-bit numbers, one for each value of each column; two classes share one with a chance of 2⁻⁶⁴.

    Args:
        columns: The QIDs.
        mark: The text that is published for a suppressed cell.
        entity: Shape (records,), the code of each record's person; None where each record is one.
    """

    def __init__(
        self, columns: Sequence[ColumnValues], mark: str, entity: "NDArray[np.int32] | None"
    ) -> None:
        records = columns[0].records
        draw = np.random.default_rng(len(columns))
        self.kept = np.ones(records, dtype=np.bool_)
        self.is_marked = np.zeros((records, len(columns)), dtype=np.bool_)
        self.changed = np.zeros(len(columns), dtype=np.int64)
        self._entity = entity
        self._clock = 0
        self._exact = np.empty((len(columns), records), dtype=np.uint64)
        self._now = np.empty((len(columns), records), dtype=np.uint64)
        self._mark = np.empty(len(columns), dtype=np.uint64)
        for j, column in enumerate(columns):
            numbers = draw.integers(0, 2**64, len(column.texts) + 1, dtype=np.uint64)
            # a value of the table that reads like the mark is one with it in the published column
            code = column.texts.index(mark) if mark in column.texts else len(column.texts)
            self._mark[j] = numbers[code]
            self._exact[j] = numbers[column.codes]
        self._now[:] = self._exact

    @property
    def clock(self) -> int:
        """How many times anything was changed."""
        return self._clock

    def keys(self, columns: Sequence[int], rows: "NDArray[np.int64]") -> "NDArray[np.uint64]":
        """Return the class of each row over some columns."""
        total = np.zeros(len(rows), dtype=np.uint64)
        for j in columns:
            total += self._now[j] if len(rows) == self._now.shape[1] else self._now[j][rows]
        return total

    def with_marks(
        self, keys: "NDArray[np.uint64]", columns: Sequence[int], rows: "NDArray[np.int64]"
    ) -> "NDArray[np.uint64]":
        """Return the class that each row would be in if its cells in some columns were suppressed."""
        total = keys.copy()
        for j in columns:
            total += self._mark[j] - self._now[j][rows]
        return total

    def without_mark(
        self, keys: "NDArray[np.uint64]", column: int, rows: "NDArray[np.int64]"
    ) -> "NDArray[np.uint64]":
        """Return the class that each row would be in if its cell in a column were published."""
        back: NDArray[np.uint64] = keys + self._exact[column][rows] - self._mark[column]
        return back

    def persons(self, keys: "NDArray[np.uint64]", rows: "NDArray[np.int64]") -> "NDArray[np.int64]":
        """Return for each row the persons of its class among these rows."""
        _, number = np.unique(keys, return_inverse=True)
        if self._entity is None:
            return np.bincount(number)[number]
        who = self._entity[rows].astype(np.int64)
        span = int(who.max(initial=0)) + 1
        pairs = np.unique(number * span + who)
        return np.bincount(pairs // span)[number]

    def small(self, keys: "NDArray[np.uint64]", rows: "NDArray[np.int64]", k: int) -> "NDArray[np.bool_]":
        """Return which rows are in classes of fewer than k persons."""
        if self._entity is not None:
            return self.persons(keys, rows) < k
        ordered = np.sort(keys)
        starts = (
            np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])) if len(keys) else np.zeros(0, int)
        )
        few = ordered[starts[np.diff(np.append(starts, len(keys))) < k]]
        if not len(few):
            return np.zeros(len(keys), dtype=np.bool_)
        return among(keys, few)

    def suppress(self, columns: Sequence[int], rows: "NDArray[np.int64]") -> None:
        """Suppress the cells of rows in some columns."""
        self._clock += 1
        for j in columns:
            self.is_marked[rows, j] = True
            self._now[j][rows] = self._mark[j]
            self.changed[j] = self._clock

    def publish(self, column: int, rows: "NDArray[np.int64]") -> None:
        """Take back the suppression of cells of rows in a column."""
        self._clock += 1
        self.is_marked[rows, column] = False
        self._now[column][rows] = self._exact[column][rows]
        self.changed[column] = self._clock

    def take_out(self, rows: "NDArray[np.int64]") -> None:
        """Suppress whole records."""
        self._clock += 1
        self.kept[rows] = False
        self.changed[:] = self._clock


def among(keys: "NDArray[np.uint64]", few: "NDArray[np.uint64]") -> "NDArray[np.bool_]":
    """Return which keys are among some few.

    Shape (rows,).

    Example:
        >>> among(np.array([3, 2**60, 3], dtype=np.uint64), np.array([2**60], dtype=np.uint64)).tolist()
        [False, True, False]
    """
    # a search costs a cache miss a step, so that most keys are told apart by their first bits
    bits = np.uint64(64 - _FIRST_BITS)
    table = np.zeros(1 << _FIRST_BITS, dtype=np.bool_)
    table[(few >> bits).view(np.int64)] = True
    value = table[(keys >> bits).view(np.int64)]
    maybe = np.flatnonzero(value)
    place = np.searchsorted(few, keys[maybe])
    place[place == len(few)] = 0
    value[maybe] = few[place] == keys[maybe]
    return value
