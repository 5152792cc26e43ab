"""Marginal total variation: how far the frequencies of values moved.

It is no group-by: it compares two tables.

Example:
    >>> from types import SimpleNamespace
    >>> from qidguard.sdk import Grouping
    >>> from qidguard_standard.utility.example import three_jobs
    >>> view = SimpleNamespace(changes=three_jobs())
    >>> measure = MARGINAL_TOTAL_VARIATION.method.measure
    >>> round(measure(view, Grouping(qids=("job",)), {}), 3)  # 1/4, 3/4, 0 for three times 1/3
    0.417
"""

from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import Arguments, Direction, Explanation, Grouping, Metric, TableFunction, TableView, Unit
from qidguard_standard.utility.changed_columns import changed_columns
from qidguard_standard.utility.wording import CELLS, EMPTY, EVENLY, NO_NUMBER

if TYPE_CHECKING:
    from qidguard_standard.utility.changed_columns import ChangedColumn


def _measure(view: TableView, grouping: Grouping, _: Arguments) -> float:
    """Return the largest distance; it compares two tables, so it is no group-by."""
    return max(_distance(column) for column in changed_columns(view, grouping))


def _distance(column: "ChangedColumn") -> float:
    read = column.coverage
    weights = np.where(read.is_suppressed, 0, column.published_records)
    before, after = column.original_records / column.before.records, read.spread(weights)
    elsewhere = float(weights[read.counts == 0].sum())  # numbers that do not occur in the original
    total = float(after.sum()) + elsewhere
    if not total:
        return 1.0
    return min(1.0, (float(np.abs(after / total - before).sum()) + elsewhere / total) / 2)


MARGINAL_TOTAL_VARIATION = Metric(
    name="marginal_total_variation",
    title="total variation of marginals",
    unit=Unit.RATIO,
    minimum=0.0,
    maximum=1.0,
    direction=Direction.NEITHER,
    method=TableFunction(measure=_measure),
    needs_original=True,
    compares_tables=True,
    explanation=Explanation(
        meaning="How far the frequencies of a quasi-identifier's values moved, where they moved most: the "
        "share of records that would have to change their value to have the old frequencies again.",
        formula="max over QIDs of ½ Σ |p after − p before| over values, p the share of records. "
        f"{EVENLY} Suppressed cells are left out; a published number that does not occur in the original "
        f"differs wholly. Where nothing is left of a column it is 1. {CELLS}",
        source="Total variation distance; as a measure of marginals kept Karr, Kohnen, Oganian, Reiter & "
        "Sanil 2006, A framework for evaluating the utility of data altered to protect confidentiality",
        good_value=f"Lower keeps more. {NO_NUMBER}",
        missing="NULL is a value like any other; where it suppresses a cell the cell is left out.",
        empty=EMPTY,
        single_class="For one set of everything, the distance from even frequencies.",
    ),
)
"""The largest total variation distance of a marginal."""
