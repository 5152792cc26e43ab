"""How far means, quantiles and correlations of numbers are from the original.

The numbers of a quasi-identifier before and after, as weighted values.

Mean shift: how far the means of numeric quasi-identifiers moved.

It is no group-by: it compares two tables.

Quantile shift: how far the quantiles of numeric quasi-identifiers moved.

Correlation shift: how far correlations between numeric quasi-identifiers moved.

Example:
    >>> MEAN_SHIFT.minimum
    0.0
    >>> QUANTILE_SHIFT.parameters[0].default
    10
    >>> CORRELATION_SHIFT.maximum
    2.0
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import (
    Arguments,
    Explanation,
    Grouping,
    Metric,
    NotMeasurable,
    Parameter,
    TableFunction,
    TableView,
    Unit,
)
from qidguard_standard.metrics.wording import scale
from qidguard_standard.utility.changed_columns import ChangedColumn, changed_columns
from qidguard_standard.utility.shared import BY_NUMBERS, CELLS, EMPTY, MIDDLE, NO_NUMBER, RATIO

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
    return _weighted(column, column.numbers, column.original_records, "original")


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


def _largest_shift(
    view: TableView,
    grouping: Grouping,
    shift_of: Callable[[Weighted, Weighted], float],
    spread_of: tuple[str, Callable[[Weighted], float]],
) -> float:
    """Return the largest shift of a numeric column by its spread in the original."""
    largest, (words, spread) = 0.0, spread_of
    for column in numeric_columns(view, grouping):
        before, after = numbers_before(column), numbers_after(column)
        shift = shift_of(before, after)
        if not shift:
            continue
        if not spread(before):
            raise NotMeasurable(
                f"Column {column.name!r} has a single number in the original, so its {words} is 0 and no"
                " shift can be taken by it; leave it out."
            )
        largest = max(largest, shift / spread(before))
    return largest


def _mean_shift(view: TableView, grouping: Grouping, _: Arguments) -> float:
    """Return the largest shift; it compares two tables, so it is no group-by."""
    spread = ("standard deviation", lambda before: before.deviation)
    return _largest_shift(view, grouping, lambda before, after: abs(after.mean - before.mean), spread)


MEAN_SHIFT = Metric(
    name="mean_shift",
    title="shift of means",
    **RATIO,
    method=TableFunction(measure=_mean_shift),
    compares_tables=True,
    explanation=Explanation(
        meaning="How far the mean of a numeric quasi-identifier moved, in standard deviations of the "
        "original, where it moved most. 0 means that all means are kept.",
        formula="max over numeric QIDs of |mean after − mean before| / standard deviation before (of the "
        f"records as a population). {MIDDLE} {CELLS}",
        source="Domingo-Ferrer & Torra 2001, Disclosure control methods and information loss for microdata; "
        "the standardized mean difference of Cohen 1988",
        good_value=f"Lower keeps more; 0.1 is usually taken as negligible. {NO_NUMBER}",
        **BY_NUMBERS,
        single_class="0 where means are published.",
    ),
)


_PARTS = Parameter(
    name="parts",
    type=int,
    default=10,
    minimum=2,
    maximum=1000,
    meaning="number of equal parts that the quantiles divide the records into; 10 takes the deciles",
)


def _quantile_shift(view: TableView, grouping: Grouping, arguments: Arguments) -> float:
    """Return the largest shift; it compares two tables, so it is no group-by."""
    parts = int(arguments["parts"])
    shares = [part / parts for part in range(1, parts)]

    def shift(before: Weighted, after: Weighted) -> float:
        return max(abs(after.quantile(share) - before.quantile(share)) for share in shares)

    return _largest_shift(view, grouping, shift, ("range", lambda before: before.range))


QUANTILE_SHIFT = Metric(
    name="quantile_shift",
    title="shift of quantiles",
    **RATIO,
    method=TableFunction(measure=_quantile_shift),
    compares_tables=True,
    parameters=(_PARTS,),
    explanation=Explanation(
        meaning="How far a quantile of a numeric quasi-identifier moved, by the original's range, where it "
        "moved most. 0 means that all quantiles are kept.",
        formula="max over numeric QIDs and quantiles of |Q after − Q before| / range before, Q(p) the "
        "smallest number that at least the share p of the records does not exceed; above 1 only where "
        f"published numbers leave the original's range. {MIDDLE} {CELLS}",
        source="Woo, Reiter, Oganian & Karr 2009, Global measures of data utility for microdata masked for "
        "disclosure limitation, empirical distributions; definition 1 of Hyndman & Fan 1996",
        good_value=f"Lower keeps more. {NO_NUMBER}",
        **BY_NUMBERS,
        single_class="The distance from the published number to the farthest quantile.",
    ),
)


def _correlation_shift(view: TableView, grouping: Grouping, _: Arguments) -> float:
    """Return the largest shift; it compares two tables, so it is no group-by."""
    columns = numeric_columns(view, grouping)
    if len(columns) == 1:
        raise NotMeasurable(
            f"Only the quasi-identifier {columns[0].name!r} holds numbers or dates, and a correlation takes"
            " two; name another."
        )
    before = [column.numbers[column.before.codes] for column in columns]
    after = [column.coverage.centers[column.after.codes] for column in columns]
    shifts = []
    for first, second in combinations(range(len(columns)), 2):
        original = _correlation(before[first], before[second])
        if original is not None:
            # columns of which one is constant now have no linear relation any more
            shifts.append(abs((_correlation(after[first], after[second]) or 0.0) - original))
    if not shifts:
        raise NotMeasurable(
            "No two numeric quasi-identifiers of the original have a correlation, for each pair has a column"
            " with a single number; name others."
        )
    return min(2.0, max(shifts))


def _correlation(first: "NDArray[np.float64]", second: "NDArray[np.float64]") -> float | None:
    """Return Pearson's r over the records that have both numbers; None where one of them is constant."""
    is_there = np.isfinite(first) & np.isfinite(second)
    first, second = first[is_there], second[is_there]
    if not len(first) or first.min() == first.max() or second.min() == second.max():
        return None
    first, second = first - first.mean(), second - second.mean()
    return float(first @ second / np.sqrt(first @ first) / np.sqrt(second @ second))


CORRELATION_SHIFT = Metric(
    name="correlation_shift",
    title="shift of correlations",
    **scale(Unit.RATIO, 0.0, 2.0),
    method=TableFunction(measure=_correlation_shift),
    needs_original=True,
    compares_tables=True,
    explanation=Explanation(
        meaning="How far the correlation of two numeric quasi-identifiers moved, where it moved most: 0 "
        "means that all are kept, 2 that a perfect one turned round.",
        formula="max over pairs of numeric QIDs of |r after − r before|, Pearson's r over the records that "
        "have both numbers; r after is 0 where a column has become constant. Pairs without a correlation in "
        f"the original are left out. {MIDDLE} {CELLS}",
        source="Domingo-Ferrer & Torra 2001, Disclosure control methods and information loss for microdata, "
        "difference of correlation matrices; Pearson 1895",
        good_value=f"Lower keeps more. {NO_NUMBER}",
        missing="A record with NULL or a suppressed cell in one of the two is left out of their correlation.",
        empty=EMPTY,
        single_class="The largest |r| of the original.",
    ),
)

METRICS: tuple[Metric, ...] = (MEAN_SHIFT, QUANTILE_SHIFT, CORRELATION_SHIFT)
