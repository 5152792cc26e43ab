"""GCP, the global certainty penalty of Ghinita et al. 2007.

It is no group-by: each cell is compared with its original.

Example:
    >>> from types import SimpleNamespace
    >>> from qidguard.sdk import Grouping
    >>> from qidguard_standard.utility.example import three_jobs
    >>> round(GCP.method.measure(SimpleNamespace(changes=three_jobs()), Grouping(qids=("job",)), {}), 3)
    0.556
"""

from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import Arguments, Direction, Explanation, Grouping, Metric, TableFunction, TableView, Unit
from qidguard_standard.utility.cell_loss import cell_loss, mean_cell_loss, mean_published_loss
from qidguard_standard.utility.wording import CELLS, EMPTY, MISSING, NO_NUMBER

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qidguard_standard.utility.changed_columns import ChangedColumn


def _penalty(
    column: "ChangedColumn", published: "NDArray[np.int64]", original: "NDArray[np.int64]"
) -> "NDArray[np.float64]":
    """Return card / |A| for categories, where (card − 1)/(|A| − 1) is the loss."""
    losses = cell_loss(column, published, original)
    if column.is_numeric:
        return losses
    size = column.coverage.domain.size
    return np.where(losses > 0, (losses * (size - 1) + 1) / size, 0.0)


def _measure(view: TableView, grouping: Grouping, _: Arguments) -> float:
    """Return the mean penalty; it compares cells with their originals, so it is no group-by."""
    is_aligned = view.changes is not None and view.changes.kept is not None
    mean = mean_cell_loss if is_aligned else mean_published_loss
    return mean(view, grouping, _penalty)


GCP = Metric(
    name="gcp",
    title="global certainty penalty",
    unit=Unit.SHARE,
    minimum=0.0,
    maximum=1.0,
    direction=Direction.NEITHER,
    method=TableFunction(measure=_measure),
    needs_original=True,
    explanation=Explanation(
        meaning="How vague the published quasi-identifiers are, as a share, in the form that studies of "
        "fast k-anonymity compare: 0 means exact values, 1 that everything is suppressed.",
        formula="Σ over classes |G|·Σ over QIDs NCP(G) / (QIDs · records of the original), NCP of a category "
        "0 for one value and else values covered / values in the domain, of a number interval width / "
        "range; each suppressed record counts with NCP 1 in every QID. A value that does not hold its "
        f"original counts as the smallest interval or set with both. {CELLS}",
        source="Ghinita, Karras, Kalnis & Mamoulis 2007, Fast data anonymization with low information loss, "
        "VLDB",
        good_value=f"Lower keeps more; it lies a little above ncp, which subtracts 1. {NO_NUMBER}",
        missing=MISSING,
        empty=EMPTY,
        single_class="1 where it is suppressed as a whole; else what the one published combination covers.",
    ),
)
"""The mean penalty of a published cell, values covered by values in the domain."""
