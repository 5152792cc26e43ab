"""Information loss in raw units: how far published records lie from their originals.

It is no group-by: each cell is compared with its original.

Example:
    >>> from types import SimpleNamespace
    >>> from qidguard.sdk import Grouping
    >>> from qidguard_standard.utility.example import three_jobs
    >>> view = SimpleNamespace(changes=three_jobs())
    >>> INFORMATION_LOSS.method.measure(view, Grouping(qids=("job",)), {})  # (1/2 + 0 + 1) / 2
    0.75
"""

import math
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
from qidguard_standard.utility.changed_columns import ChangedColumn, changed_columns
from qidguard_standard.utility.wording import ALIGNED, CELLS, EMPTY, MIDDLE, NO_NUMBER

if TYPE_CHECKING:
    from numpy.typing import NDArray


def _measure(view: TableView, grouping: Grouping, _: Arguments) -> float:
    """Return (10)/(11); it compares cells with their originals, so it is no group-by."""
    lost = spread = 0.0
    for column in changed_columns(view, grouping):
        deviations = _own_deviations(column)
        spread += float(deviations @ column.original_records)
        lost += _lost(column, deviations)
    if not lost:
        return 0.0
    if not spread:
        raise NotMeasurable(
            "Every quasi-identifier of the original has a single value, so its spread is 0 and no loss can be"
            " taken by it; measure ncp."
        )
    return lost / spread


def _own_deviations(column: ChangedColumn) -> "NDArray[np.float64]":
    """Return for each original code its deviation from the column's mean or mode, as in (5) and (6)."""
    records = column.original_records
    if not column.is_numeric:
        deviations = np.ones(len(records))
        deviations[int(records.argmax())] = 0.0
        return deviations
    numbers = _numbers(column)
    is_known = np.isfinite(numbers)
    mean = float(numbers[is_known] @ records[is_known]) / max(int(records[is_known].sum()), 1)
    return np.where(is_known, (numbers - mean) ** 2, 0.0)


def _lost(column: ChangedColumn, deviations: "NDArray[np.float64]") -> float:
    """Return the summed deviation of the published cells, as in (10)."""
    pairs, read = column.pairs, column.coverage
    if column.is_numeric:
        cells = (read.centers[pairs.published] - _numbers(column)[pairs.original]) ** 2
        known = np.isfinite(_numbers(column))
        # where one side has no number the cell deviates as much as cells do in the mean
        variance = float(deviations @ column.original_records)
        variance /= max(int(column.original_records[known].sum()), 1)
        cells = np.where(np.isnan(cells), variance, cells)
    else:
        is_held = read.covers(pairs.published, pairs.original)
        cells = 1.0 - is_held / np.maximum(read.counts[pairs.published], 1)
    cells = np.where(read.is_mark[pairs.published], deviations[pairs.original], cells)
    cells = np.where(read.same[pairs.published] == pairs.original, 0.0, cells)
    return float(cells @ pairs.records) + float(deviations @ column.suppressed_records)


def _numbers(column: ChangedColumn) -> "NDArray[np.float64]":
    numbers = column.before.numbers
    if numbers is None:
        return np.full(len(column.before.texts), np.nan)
    return np.where(np.isfinite(numbers), numbers, np.nan)


INFORMATION_LOSS = Metric(
    name="information_loss",
    title="information loss (MO-OBAM)",
    unit=Unit.RATIO,
    minimum=0.0,
    maximum=math.inf,
    direction=Direction.NEITHER,
    method=TableFunction(measure=_measure),
    needs_original=True,
    explanation=Explanation(
        meaning="How far the published quasi-identifiers lie from the original ones, by how far the original "
        "ones lie from their mean or mode. 0 means nothing changed, 1 that as much is lost as if every "
        "record carried the mean or mode.",
        formula="IL = Σ over records of Σ (x − x′)² over numeric and δ(x ≠ x′) over other QIDs, by Σ (x − "
        f"mean)² and δ(x ≠ mode), in raw units without scaling, x′ as published. {MIDDLE} For text it counts "
        "1 − 1/(values covered), the chance to miss when drawing evenly. A suppressed cell or record counts "
        "as if mean and mode were published in its place; NULL beside a number as the column's variance. "
        f"Dates are in days. {CELLS} {ALIGNED}",
        source="Wei, Benson, Agor & Capan, Multi-objective optimization-based anonymization of structured "
        "data for machine learning (MO-OBAM), 2025, equations (10) and (11)",
        good_value="Lower keeps more. Raw units let the QID with the largest numbers decide, so compare it "
        f"between versions of one table only. {NO_NUMBER}",
        missing="NULL in text is a value like any other; a NULL that was kept deviates by 0.",
        empty=EMPTY,
        single_class="1 where mean and mode are published, or everything is suppressed.",
    ),
)
"""The deviation of published records by the deviation that the original has of itself."""
