"""Predicates that single out: cells and extremes, and how many persons a group of them fits."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from qidguard_standard.attacks.attacked_table import Rows
from qidguard_standard.attacks.column_match import ColumnMatch, SourceColumn
from qidguard_standard.attacks.persons import Persons


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
        center = match.coverage.centers[self.published]
        if match.is_truthful or source.numbers is None or not np.isfinite(center):
            return match.covered(self.published, source)
        if center >= match.median:
            return np.asarray(source.numbers >= center)
        return np.asarray(source.numbers <= center)


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
    """Yield a predicate for each value that one published person has, and for both ends of each number."""
    for place, match in enumerate(columns):
        pairs = np.unique(np.stack([match.after.codes, persons]), axis=1)
        alone = np.flatnonzero(np.bincount(pairs[0], minlength=1) == 1)
        for code in alone.tolist():
            yield (Cell(column=place, published=code),)
        if match.before.is_numeric:
            yield (Extreme(column=place, is_highest=True),)
            yield (Extreme(column=place, is_highest=False),)


_MOST_MASKS = 2000
"""Conditions whose outcome is kept: on a column of 100,000 values they take 200 MB."""


@dataclass(frozen=True, kw_only=True)
class Group:
    """The people of the original, or those withheld.

    Args:
        persons: Whose record each one is.
        columns: How each column is matched.
        source: Each column of these people.
        rows: Their distinct combinations.
    """

    persons: Persons
    columns: tuple[ColumnMatch, ...]
    source: tuple[SourceColumn, ...]
    rows: Rows
    _masks: dict[Condition, NDArray[np.bool_]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls, source: tuple[SourceColumn, ...], columns: tuple[ColumnMatch, ...], persons: Persons
    ) -> "Group":
        """Return the group of some columns."""
        rows = Rows.of([column.codes for column in source], len(persons.of_record))
        return cls(persons=persons, columns=columns, source=source, rows=rows)

    def meeting(self, predicate: tuple[Condition, ...]) -> tuple[int, int]:
        """Return how many persons have a record that meets all conditions, and who is one of them, or −1."""
        rows = self.rows.where({cell.column: self._mask(cell) for cell in predicate})
        if not len(rows):
            return 0, -1
        somebody = int(self.persons.of_record[self.rows.order[self.rows.start[rows[0]]]])
        if not self.persons.has_entities:
            return int((self.rows.start[rows + 1] - self.rows.start[rows]).sum()), somebody
        is_there = np.zeros(self.persons.count, dtype=np.bool_)
        is_there[self.persons.of_record[self.rows.records_of(rows)]] = True
        return int(is_there.sum()), somebody

    def _mask(self, condition: Condition) -> NDArray[np.bool_]:
        if condition not in self._masks:
            if len(self._masks) >= _MOST_MASKS:
                self._masks.clear()
            self._masks[condition] = condition.holds(
                self.columns[condition.column], self.source[condition.column]
            )
        return self._masks[condition]


def chance_of_one(meeting: NDArray[np.int64], withheld: int, persons: int) -> NDArray[np.float64]:
    """Return the chance that exactly one of ``persons`` people drawn from those withheld meets a condition.

    Hypergeometric, drawn without replacement, where at least as many are withheld; else binomial.

    The chances; shape (conditions,).
    """
    from scipy import stats

    if withheld == persons:
        return np.where(meeting == 1, 1.0, 0.0)
    if withheld > persons:
        chance = stats.hypergeom.pmf(1, withheld, meeting, persons)
    else:
        chance = stats.binom.pmf(1, persons, meeting / withheld)
    return np.asarray(np.clip(chance, 0.0, 1.0), dtype=np.float64)
