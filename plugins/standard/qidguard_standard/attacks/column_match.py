"""Which published values of one column an attacker takes for a person's value."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from qidguard import ColumnValues, Coverage
from qidguard_standard.attacks.source_column import SourceColumn


@dataclass(frozen=True, kw_only=True)
class ColumnMatch:
    """A published column against the original's values.

    It is *truthful* where every published cell covers the original value of its own record, as
    generalisation and suppression make it; noise, swapping and centroids do not. In a truthful column a
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
        found: NDArray[np.bool_] = is_covered[source.low] & is_covered[source.high]
        found[source.low < 0] = self._covers_all[published]
        return found

    def distances(self, value: int, source: SourceColumn) -> NDArray[np.float64]:
        """Return the distance of each published code from one of the source's, 0..1."""
        apart = np.where(self.covering(value, source), 0.0, 1.0)
        if source.numbers is None or not np.isfinite(source.numbers[value]) or not self._range:
            return apart
        away = np.abs(self.coverage.centres - source.numbers[value]) / self._range
        # NULL and what has no centre are as far as can be; a cell that covers the value is at no distance
        return np.where(apart > 0, np.minimum(np.where(np.isfinite(away), away, 1.0), 1.0), 0.0)

    @cached_property
    def median(self) -> float:
        """The median of the published cells' middles, NaN where none has one."""
        centres = self.coverage.centres[self.after.codes]
        centres = centres[np.isfinite(centres)]
        return float(np.median(centres)) if len(centres) else float("nan")

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
        found: NDArray[np.bool_] = self.coverage.covers(codes, low)
        return found if low == high else found & self.coverage.covers(codes, high)


_MOST_MASKS = 1000
"""Masks that are kept of one column: of a column of 100,000 numbers they take 100 MB."""
