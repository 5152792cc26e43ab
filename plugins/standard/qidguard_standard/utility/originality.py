"""Originality: the share of quasi-identifier cells that are published as they were.

It is no group-by: each cell is compared with its original.

Example:
    >>> from types import SimpleNamespace
    >>> from qidguard.sdk import Grouping
    >>> from qidguard_standard.utility.example import three_jobs
    >>> round(
    ...     ORIGINALITY.method.measure(SimpleNamespace(changes=three_jobs()), Grouping(qids=("job",)), {}), 3
    ... )
    0.333
"""

from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import Arguments, Direction, Explanation, Grouping, Metric, TableFunction, TableView, Unit
from qidguard_standard.utility.cell_loss import mean_cell_loss
from qidguard_standard.utility.wording import ALIGNED, EMPTY, NO_NUMBER

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qidguard_standard.utility.changed_columns import ChangedColumn


def _is_changed(
    column: "ChangedColumn", published: "NDArray[np.int64]", original: "NDArray[np.int64]"
) -> "NDArray[np.float64]":
    return np.where(column.coverage.same[published] == original, 0.0, 1.0)


def _measure(view: TableView, grouping: Grouping, _: Arguments) -> float:
    """Return the share; it compares cells with their originals, so it is no group-by."""
    return 1.0 - mean_cell_loss(view, grouping, _is_changed)


ORIGINALITY = Metric(
    name="originality",
    title="originality",
    unit=Unit.SHARE,
    minimum=0.0,
    maximum=1.0,
    direction=Direction.NEITHER,
    method=TableFunction(measure=_measure),
    needs_original=True,
    explanation=Explanation(
        meaning="The share of the original's quasi-identifier cells that are published with their own value. "
        "It says nothing of how far the others moved: ncp and information_loss do.",
        formula="cells published with the original's value / (QIDs · records of the original); a number "
        f"written otherwise is the same value, a cell of a suppressed record is not published. {ALIGNED}",
        source="Majeed & Hwang 2023, Differential privacy and k-anonymity-based privacy preserving data "
        "publishing scheme with minimal loss of statistical information, IEEE TCSS, section IV, Table III",
        good_value=f"Higher keeps more. {NO_NUMBER}",
        missing="A NULL that is published as NULL is its own value.",
        empty=EMPTY,
        single_class="The share of records that have the published values themselves.",
    ),
)
"""The share of cells that are published unchanged."""
