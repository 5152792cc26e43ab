"""A column of the source and its published form, and which values of the two match."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from qidguard.sdk import ColumnValues, Coverage


@dataclass(frozen=True, kw_only=True)
class SourceColumn:
    """A column of the original or of withheld records.

    A withheld person may have a value that the original lacks. A number between two of the original's is
    covered where both are, for what covers it reaches from one to the other. Any other new value is
    *foreign*: nothing covers it but what covers every value.

    Args:
        codes: Shape (records,), the code of each record's value.
        low: Shape (codes,), the original's code of each value, or of the next lower one; −1 for a foreign
            value.
        high: Shape (codes,), the original's code of each value, or of the next higher one; −1 likewise.
        numbers: Shape (codes,), the values as numbers, NaN for NULL; None where they are none.
    """

    codes: NDArray[np.int32] = field(repr=False)
    low: NDArray[np.int64] = field(repr=False)
    high: NDArray[np.int64] = field(repr=False)
    numbers: NDArray[np.float64] | None = field(repr=False)

    @classmethod
    def original(cls, column: ColumnValues) -> "SourceColumn":
        """Return a column of the original itself."""
        same = np.arange(len(column.texts))
        numbers = column.numbers if column.is_numeric else None
        return cls(codes=column.codes, low=same, high=same, numbers=numbers)

    @classmethod
    def withheld(cls, column: ColumnValues, original: ColumnValues) -> "SourceColumn":
        """Return a column of withheld records in terms of the original's column of the same name."""
        numbers = column.numbers if column.is_numeric and original.is_numeric else None
        low = same_values(column, original)
        high = low.copy()
        if numbers is not None and original.numbers is not None:
            is_there = np.isfinite(original.numbers)
            codes = np.flatnonzero(is_there)
            is_new = (low < 0) & np.isfinite(numbers)
            place = np.searchsorted(original.numbers[codes], numbers[is_new])
            is_between = (place > 0) & (place < len(codes))
            new = np.flatnonzero(is_new)[is_between]
            low[new], high[new] = codes[place[is_between] - 1], codes[place[is_between]]
        return cls(codes=column.codes, low=low, high=high, numbers=numbers)


def same_values(column: ColumnValues, original: ColumnValues) -> NDArray[np.int64]:
    """Return for each code of a column the original's code of the same value, −1 where it has none.

    Numbers are compared as numbers where both columns hold them, so that 5 and 5.0 are one; else texts.
    """
    if column.is_numeric and original.is_numeric and column.numbers is not None:
        known = {} if original.numbers is None else _places(original.numbers)
        codes = [known.get(number, -1) for number in column.numbers.tolist()]
        codes[0] = 0
    else:
        texts = {text: code for code, text in enumerate(original.texts)}
        codes = [texts.get(text, -1) for text in column.texts]
    return np.array(codes, dtype=np.int64)


def _places(numbers: NDArray[np.float64]) -> dict[float, int]:
    # NaN, of NULL and of the suppression mark, equals nothing and is found by nobody
    return {number: code for code, number in enumerate(numbers.tolist()) if number == number}  # noqa: PLR0124


@dataclass(frozen=True, kw_only=True)
class ColumnMatch:
    """A published column against the original's values.

    It is *truthful* where every published cell covers the original value of its own record, as
    generalization and suppression make it; noise, swapping and centroids do not. In a truthful column a
    person's value agrees with the cells that cover it. In any other it has a distance from each cell: of
    numbers, by the range of the original, 0..1; else 0 where the cell covers it and 1 where it does not.

    Args:
        before: The original column.
        after: The published column.
        coverage: What the published values stand for.
        is_truthful: Whether every cell covers its own record's value.
    """

    before: ColumnValues
    after: ColumnValues
    coverage: Coverage
    is_truthful: bool
    _masks: dict[tuple[int, int], NDArray[np.bool_]] = field(default_factory=dict, repr=False)

    def covering(self, value: int, source: SourceColumn) -> NDArray[np.bool_]:
        """Return which published codes cover one of the source's codes; shape (published codes,)."""
        low, high = int(source.low[value]), int(source.high[value])
        if (low, high) not in self._masks:
            if len(self._masks) >= _MOST_MASKS:
                self._masks.clear()
            self._masks[low, high] = self._covering(low, high)
        return self._masks[low, high]

    def covered(self, published: int, source: SourceColumn) -> NDArray[np.bool_]:
        """Return which of the source's codes one published code covers; shape (codes of the source,)."""
        is_covered = self.coverage.covers(published, np.arange(len(self.before.texts)))
        is_match: NDArray[np.bool_] = is_covered[source.low] & is_covered[source.high]
        is_match[source.low < 0] = self._covers_all[published]
        return is_match

    def distances(self, value: int, source: SourceColumn) -> NDArray[np.float64]:
        """Return the distance of each published code from one of the source's, 0..1."""
        apart = np.where(self.covering(value, source), 0.0, 1.0)
        if source.numbers is None or not np.isfinite(source.numbers[value]) or not self._range:
            return apart
        away = np.abs(self.coverage.centers - source.numbers[value]) / self._range
        # NULL and what has no center are as far as can be; a cell that covers the value is at no distance
        return np.where(apart > 0, np.minimum(np.where(np.isfinite(away), away, 1.0), 1.0), 0.0)

    @cached_property
    def median(self) -> float:
        """The median of the published cells' middles, NaN where none has one."""
        centers = self.coverage.centers[self.after.codes]
        centers = centers[np.isfinite(centers)]
        return float(np.median(centers)) if len(centers) else float("nan")

    @cached_property
    def _covers_all(self) -> NDArray[np.bool_]:
        # NULL apart, of which a new value is none; a single value stands for no other, even where it is all
        known = self.coverage.counts - self.coverage.covers(np.arange(len(self.after.texts)), 0)
        everything: NDArray[np.bool_] = self.coverage.is_suppressed | (known >= max(2, self.before.distinct))
        return everything

    @cached_property
    def _range(self) -> float:
        numbers = self.before.numbers
        known = np.zeros(0) if numbers is None else numbers[np.isfinite(numbers)]
        return float(np.ptp(known)) if len(known) else 0.0

    def _covering(self, low: int, high: int) -> NDArray[np.bool_]:
        codes = np.arange(len(self.after.texts))
        if low < 0:
            return self._covers_all
        is_match: NDArray[np.bool_] = self.coverage.covers(codes, low)
        return is_match if low == high else is_match & self.coverage.covers(codes, high)


_MOST_MASKS = 1000
"""Masks that are kept of one column: of a column of 100,000 numbers they take 100 MB."""
