"""Marginal KS: how far the distributions of numeric quasi-identifiers moved.

It is no group-by: it compares two tables.

Example:
    >>> MARGINAL_KS.maximum
    1.0
"""

from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import Arguments, Direction, Explanation, Grouping, Metric, TableFunction, TableView, Unit
from qidguard_standard.utility.numbers_kept import numeric_columns
from qidguard_standard.utility.wording import CELLS, EMPTY, EVENLY, NO_NUMBER, NUMBERS_MISSING

if TYPE_CHECKING:
    from qidguard_standard.utility.changed_columns import ChangedColumn


def _measure(view: TableView, grouping: Grouping, _: Arguments) -> float:
    """Return the largest distance; it compares two tables, so it is no group-by."""
    return max(_distance(column) for column in numeric_columns(view, grouping))


def _distance(column: "ChangedColumn") -> float:
    read = column.coverage
    placed = read.domain.order[: len(read.domain.positions)]
    weights = np.where(read.is_suppressed, 0, column.published_records)
    points = np.flatnonzero(read.is_point & (weights > 0))
    numbers = np.concatenate([read.domain.positions, read.lows[points]])
    before = np.concatenate([column.original_records[placed], np.zeros(len(points))])
    after = np.concatenate([read.spread(weights)[placed], weights[points]])
    if not after.sum():
        return 1.0 if before.sum() else 0.0
    order = np.argsort(numbers, kind="stable")
    gaps = np.cumsum(before[order]) / before.sum() - np.cumsum(after[order]) / after.sum()
    # equal numbers are one step
    is_last = np.append(np.diff(numbers[order]) > 0, True)
    return float(np.abs(gaps[is_last]).max())


MARGINAL_KS = Metric(
    name="marginal_ks",
    title="Kolmogorov-Smirnov distance of marginals",
    unit=Unit.RATIO,
    minimum=0.0,
    maximum=1.0,
    direction=Direction.NEITHER,
    method=TableFunction(measure=_measure),
    needs_original=True,
    compares_tables=True,
    explanation=Explanation(
        meaning="How far the distribution of a numeric quasi-identifier moved, where it moved most: the "
        "largest difference between the shares of records up to some number. 0 means that all are kept.",
        formula="max over numeric QIDs of sup |F after − F before|, F the share of records up to a number. "
        f"{EVENLY} Where nothing is left of a column it is 1. {CELLS}",
        source="Kolmogorov 1933, Smirnov 1948; as a measure of utility Woo, Reiter, Oganian & Karr 2009",
        good_value=f"Lower keeps more. {NO_NUMBER}",
        missing=NUMBERS_MISSING,
        empty=EMPTY,
        single_class="For one interval over everything, the distance from an even distribution over the "
        "values that occur.",
    ),
)
"""The largest Kolmogorov-Smirnov distance of a marginal."""
