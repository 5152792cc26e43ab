"""The numbers of a quasi-identifier before and after, as weighted values."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import Grouping, NotMeasurable, TableView
from qidguard_standard.utility.changed_columns import ChangedColumn, changed_columns

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class Weighted:
    """Numbers with the records that have them.

    Args:
        numbers: Shape (values,), ascending.
        weights: Shape (values,), ≥ 0, their sum positive.
    """

    numbers: "NDArray[np.float64]"
    weights: "NDArray[np.float64]"

    @property
    def mean(self) -> float:
        """The mean."""
        return float(self.numbers @ self.weights) / float(self.weights.sum())

    @property
    def deviation(self) -> float:
        """The standard deviation, of the records as a population."""
        return float(np.sqrt((self.numbers - self.mean) ** 2 @ self.weights / self.weights.sum()))

    @property
    def range(self) -> float:
        """The largest number minus the smallest."""
        return float(self.numbers[-1] - self.numbers[0])

    def quantile(self, share: float) -> float:
        """Return the smallest number that at least this share of the records does not exceed."""
        reached = np.cumsum(self.weights)
        # a share such as 0.1 of 10 records is one record, though 10 · 0.1 may be written a little above
        at = np.searchsorted(reached, share * reached[-1] * (1 - 1e-12))
        return float(self.numbers[min(int(at), len(self.numbers) - 1)])


def numeric_columns(view: TableView, grouping: Grouping) -> list[ChangedColumn]:
    """Return the quasi-identifiers that hold numbers, dates or moments; NotMeasurable where none does."""
    numeric = [column for column in changed_columns(view, grouping) if column.is_numeric]
    if not numeric:
        raise NotMeasurable(
            "None of the quasi-identifiers holds numbers or dates, of which it is taken; name one that does."
        )
    return numeric


def numbers_before(column: ChangedColumn) -> Weighted:
    """Return the original numbers; NotMeasurable where there is none."""
    numbers = column.before.numbers
    if numbers is None:
        numbers = np.full(len(column.before.texts), np.nan)
    return _weighted(column, numbers, column.original_records, "original")


def numbers_after(column: ChangedColumn) -> Weighted:
    """Return the middles of the published cells; NotMeasurable where all are suppressed or NULL."""
    return _weighted(column, column.coverage.centers, column.published_records, "published")


def _weighted(
    column: ChangedColumn, numbers: "NDArray[np.float64]", records: "NDArray[np.int64]", words: str
) -> Weighted:
    is_there = np.isfinite(numbers) & (records > 0)
    if not is_there.any():
        raise NotMeasurable(
            f"Column {column.name!r} has no {words} number, so it has no mean or quantile; leave it out."
        )
    order = np.argsort(numbers[is_there], kind="stable")
    return Weighted(numbers=numbers[is_there][order], weights=records[is_there][order].astype(np.float64))
