"""Correlation shift: how far correlations between numeric quasi-identifiers moved.

It is no group-by: it compares two tables.

Example:
    >>> CORRELATION_SHIFT.maximum
    2.0
"""

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import (
    Arguments,
    Direction,
    Explanation,
    Grouping,
    Metric,
    NotMeasurable,
    TableFunction,
    TableView,
    Unit,
)
from qidguard_standard.utility.numbers_kept import numeric_columns
from qidguard_standard.utility.wording import CELLS, EMPTY, MIDDLE, NO_NUMBER

if TYPE_CHECKING:
    from numpy.typing import NDArray


def _measure(view: TableView, grouping: Grouping, _: Arguments) -> float:
    """Return the largest shift; it compares two tables, so it is no group-by."""
    columns = numeric_columns(view, grouping)
    if len(columns) == 1:
        raise NotMeasurable(
            f"Only the quasi-identifier {columns[0].name!r} holds numbers or dates, and a correlation takes"
            " two; name another."
        )
    before, after = [], []
    for column in columns:
        numbers = column.before.numbers
        if numbers is None:
            numbers = np.full(len(column.before.texts), np.nan)
        before.append(np.where(np.isfinite(numbers), numbers, np.nan)[column.before.codes])
        after.append(column.coverage.centers[column.after.codes])
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
    unit=Unit.RATIO,
    minimum=0.0,
    maximum=2.0,
    direction=Direction.NEITHER,
    method=TableFunction(measure=_measure),
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
"""The largest shift of a correlation."""
