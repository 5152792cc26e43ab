"""NCP by hierarchies: a published set costs the smallest group of its column's hierarchy that holds it.

It is no group-by: each cell is compared with its original.

Example:
    >>> from types import SimpleNamespace
    >>> from qidguard.sdk import Grouping
    >>> from qidguard_standard.utility.example import three_jobs
    >>> view = SimpleNamespace(changes=three_jobs())
    >>> round(HIERARCHY_NCP.method.measure(view, Grouping(qids=("job",)), {}), 3)  # 1 for the set, 0, 1
    0.667
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import Arguments, Direction, Explanation, Grouping, Metric, TableFunction, TableView, Unit
from qidguard_standard.utility.cell_loss import cell_loss, mean_cell_loss, mean_published_loss
from qidguard_standard.utility.wording import CELLS, EMPTY, MISSING, NO_NUMBER

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qidguard.sdk import Hierarchy
    from qidguard_standard.utility.changed_columns import ChangedColumn


def _measure(view: TableView, grouping: Grouping, _: Arguments) -> float:
    """Return the mean loss; it compares cells with their originals, so it is no group-by."""
    hierarchies: Mapping[str, Hierarchy] = {} if view.changes is None else view.changes.hierarchies

    def loss(
        column: "ChangedColumn", published: "NDArray[np.int64]", original: "NDArray[np.int64]"
    ) -> "NDArray[np.float64]":
        losses = cell_loss(column, published, original)
        if column.is_numeric:
            return losses
        # what is wrong costs no less than what covers it
        return np.where(losses > 0, np.maximum(losses, _groups_lost(column, hierarchies)[published]), losses)

    is_aligned = view.changes is not None and view.changes.kept is not None
    return (mean_cell_loss if is_aligned else mean_published_loss)(view, grouping, loss)


def _groups_lost(column: "ChangedColumn", hierarchies: "Mapping[str, Hierarchy]") -> "NDArray[np.float64]":
    """Return for each published value the share of the domain in the smallest group that holds it."""
    read, tree = column.coverage, hierarchies.get(column.name)
    lost = np.zeros(len(read.counts))
    occurs = column.original_records > 0
    values = max(int(occurs.sum()) - 1, 1)
    for published in np.flatnonzero((read.counts > 1) & (column.published_records > 0)).tolist():
        covered, size = read.covered(published), values + 1
        for groups in () if tree is None else tree.groups[1:]:
            if len(groups) == len(occurs) and (groups[covered] == groups[covered[0]]).all():
                size = int((occurs & (groups == groups[covered[0]])).sum())
                break
        lost[published] = min(1.0, (size - 1) / values)
    return lost


HIERARCHY_NCP = Metric(
    name="hierarchy_ncp",
    title="normalized certainty penalty by hierarchies",
    unit=Unit.SHARE,
    minimum=0.0,
    maximum=1.0,
    direction=Direction.NEITHER,
    method=TableFunction(measure=_measure),
    needs_original=True,
    explanation=Explanation(
        meaning="How vague the published quasi-identifiers are for a reader who thinks in the groups of "
        "their hierarchies: a set such as {a, b, c} costs the smallest group that holds it. ncp counts its "
        "own three values, which rewards methods that publish sets; read both.",
        formula="As ncp, but of categories (values in the smallest group of the policy's hierarchy that "
        "holds what the cell covers − 1)/(values in the domain − 1), where the cell covers several; without "
        f"a hierarchy 1. Values that occur in the original count. {CELLS}",
        source="Xu, Wang, Pei, Wang, Shi & Fu 2006, Utility-based anonymization using local recoding, KDD: "
        "the size of the closest common ancestor in the taxonomy",
        good_value=f"Lower keeps more; it is never below ncp. {NO_NUMBER}",
        missing=MISSING,
        empty=EMPTY,
        single_class="1 where it is suppressed as a whole; else what the one published combination covers.",
    ),
)
"""The mean share of its domain that the group of a published cell has."""
