"""Predicates: conditions read from the published table, which may hold for exactly one person."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qidguard_standard.attacks.column_match import ColumnMatch
from qidguard_standard.attacks.source_column import SourceColumn


@dataclass(frozen=True, kw_only=True)
class Cell:
    """The condition that a value agrees with a published cell.

    In a truthful column it is that the cell covers the value. A number that was changed is worth no more than
    its side: at least as high where it stands in the upper half of the published ones, else at most as high
    (Giomi et al. 2023). Any other changed value has to be the same.

    Args:
        column: The column's place.
        published: The published code.
    """

    column: int
    published: int

    def holds(self, match: ColumnMatch, source: SourceColumn) -> NDArray[np.bool_]:
        """Return for which of the source's codes it holds; shape (codes,)."""
        centre = match.coverage.centres[self.published]
        if match.is_truthful or source.numbers is None or not np.isfinite(centre):
            return match.covered(self.published, source)
        if centre >= match.median:
            return np.asarray(source.numbers >= centre)
        return np.asarray(source.numbers <= centre)


@dataclass(frozen=True, kw_only=True)
class Extreme:
    """The condition that a number reaches into the highest, or the lowest, published cell, or beyond.

    Args:
        column: The column's place.
        is_highest: Which end.
    """

    column: int
    is_highest: bool

    def holds(self, match: ColumnMatch, source: SourceColumn) -> NDArray[np.bool_]:
        """Return for which of the source's codes it holds; shape (codes,)."""
        ends = match.coverage.lows if self.is_highest else match.coverage.highs
        ends = ends[~match.coverage.is_suppressed & np.isfinite(ends)]
        if source.numbers is None or not len(ends):
            return np.zeros(len(source.low), dtype=np.bool_)
        if self.is_highest:
            return np.asarray(source.numbers >= ends.max())
        return np.asarray(source.numbers <= ends.min())


Condition = Cell | Extreme


def univariate(
    columns: tuple[ColumnMatch, ...], persons: NDArray[np.int64]
) -> Iterator[tuple[Condition, ...]]:
    """Yield a predicate for each value that one published person has, and for both ends of each number.

    Args:
        columns: The columns.
        persons: The person of each published record.
    """
    for place, match in enumerate(columns):
        pairs = np.unique(np.stack([match.after.codes, persons]), axis=1)
        alone = np.flatnonzero(np.bincount(pairs[0], minlength=1) == 1)
        for code in alone.tolist():
            yield (Cell(column=place, published=code),)
        if match.before.is_numeric:
            yield (Extreme(column=place, is_highest=True),)
            yield (Extreme(column=place, is_highest=False),)
