"""Distortion measure: how high in their hierarchies the published cells stand.

It is no group-by: each cell is compared with its original.

Example:
    >>> from types import SimpleNamespace
    >>> from qidguard.sdk import Grouping
    >>> from qidguard_standard.utility.example import three_jobs
    >>> view = SimpleNamespace(changes=three_jobs())
    >>> DISTORTION_MEASURE.method.measure(view, Grouping(qids=("job",)), {})
    0.5
"""

from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import (
    Arguments,
    Direction,
    Explanation,
    Grouping,
    Hierarchy,
    Metric,
    TableFunction,
    TableView,
    Unit,
)
from qidguard_standard.utility.cell_loss import cell_loss, mean_cell_loss
from qidguard_standard.utility.wording import ALIGNED, CELLS, EMPTY, MISSING, NO_NUMBER

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qidguard_standard.utility.changed_columns import ChangedColumn


def _measure(view: TableView, grouping: Grouping, _: Arguments) -> float:
    """Return the mean level; it compares cells with their originals, so it is no group-by."""
    hierarchies = {} if view.changes is None else view.changes.hierarchies

    def distortion(
        column: "ChangedColumn", published: "NDArray[np.int64]", original: "NDArray[np.int64]"
    ) -> "NDArray[np.float64]":
        losses = cell_loss(column, published, original)
        hierarchy = hierarchies.get(column.name)
        if hierarchy is None:
            return losses
        levels = _levels(column, hierarchy)[published]
        is_level = np.isfinite(levels) & (column.coverage.same[published] != original)
        return np.where(is_level & column.coverage.covers(published, original), levels, losses)

    return mean_cell_loss(view, grouping, distortion)


def _levels(column: "ChangedColumn", hierarchy: Hierarchy) -> "NDArray[np.float64]":
    """Return for each published code its level by the highest one, NaN where it is no label of a group."""
    highest = hierarchy.levels - 1
    level_of = {text: level for level in range(1, hierarchy.levels) for text in hierarchy.labels[level]}
    losses = [
        np.nan if text is None or text not in level_of else level_of[text] / highest
        for text in column.after.texts
    ]
    return np.where(column.coverage.is_suppressed, 1.0, np.array(losses, dtype=np.float64))


DISTORTION_MEASURE = Metric(
    name="distortion_measure",
    title="distortion measure",
    unit=Unit.SHARE,
    minimum=0.0,
    maximum=1.0,
    direction=Direction.NEITHER,
    method=TableFunction(measure=_measure),
    needs_original=True,
    explanation=Explanation(
        meaning="How high in their hierarchies the published cells stand, as a share: 0 means exact values, "
        "1 that every cell is at the top or suppressed. It does not look at how many values a level joins.",
        formula="Mean over all QID cells of the original of l / l′, l the level of the published cell and l′ "
        "the highest level, all QIDs weighted alike; times records and QIDs it is the sum of the paper. A "
        "label of several levels is taken as the highest. A cell that is no label of its column's hierarchy, "
        f"or whose column has none, counts its NCP loss; a suppressed cell or record 1. {CELLS} {ALIGNED}",
        source="Majeed & Hwang 2023, Differential privacy and k-anonymity-based privacy preserving data "
        "publishing scheme with minimal loss of statistical information, IEEE TCSS, equation (4)",
        good_value=f"Lower keeps more. {NO_NUMBER}",
        missing=MISSING,
        empty=EMPTY,
        single_class="1 where it is suppressed as a whole.",
    ),
)
"""The mean level of generalization of a published cell."""
