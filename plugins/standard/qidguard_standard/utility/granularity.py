"""Granularity: the share of their columns' detail that published cells keep, counted in values.

It is no group-by: each cell is compared with its original.

Example:
    >>> from types import SimpleNamespace
    >>> from qidguard.sdk import Grouping
    >>> from qidguard_standard.utility.example import three_jobs
    >>> round(
    ...     GRANULARITY.method.measure(SimpleNamespace(changes=three_jobs()), Grouping(qids=("job",)), {}), 3
    ... )
    0.5
"""

from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import Arguments, Direction, Explanation, Grouping, Metric, TableFunction, TableView, Unit
from qidguard_standard.utility.cell_loss import mean_cell_loss
from qidguard_standard.utility.wording import ALIGNED, CELLS, EMPTY, MISSING, NO_NUMBER

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qidguard_standard.utility.changed_columns import ChangedColumn


def _loss(
    column: "ChangedColumn", published: "NDArray[np.int64]", original: "NDArray[np.int64]"
) -> "NDArray[np.float64]":
    """Return (values covered − 1)/(values in the domain − 1), numbers counted like any other values."""
    read = column.coverage
    is_wrong = ~read.covers(published, original)
    counts = np.where(is_wrong, np.maximum(read.counts[published], 1) + 1, read.counts[published])
    losses = np.clip((counts - 1) / max(read.domain.size - 1, 1), 0.0, 1.0)
    is_mark = read.is_suppressed[published] | (is_wrong & read.is_mark[published])
    losses = np.where(is_mark, 1.0, losses)
    return np.where(read.same[published] == original, 0.0, losses)


def _measure(view: TableView, grouping: Grouping, _: Arguments) -> float:
    """Return the share kept; it compares cells with their originals, so it is no group-by."""
    return 1.0 - mean_cell_loss(view, grouping, _loss)


GRANULARITY = Metric(
    name="granularity",
    title="granularity",
    unit=Unit.SHARE,
    minimum=0.0,
    maximum=1.0,
    direction=Direction.NEITHER,
    method=TableFunction(measure=_measure),
    needs_original=True,
    explanation=Explanation(
        meaning="How much of their columns' detail the published cells keep, counted in values: 1 means "
        "exact values, 0 that everything is suppressed. Unlike ncp it counts the numbers that an interval "
        "covers and not its width, so empty stretches between numbers cost nothing.",
        formula="1 − mean over all QID cells of the original of (values covered − 1)/(values in the domain − "
        f"1), numbers included; a suppressed cell or record loses 1. {CELLS} {ALIGNED}",
        source="Iyengar 2002, Transforming data to satisfy privacy constraints, KDD, loss metric LM, turned "
        "round so that it is what is kept, as ARX reports it",
        good_value=f"Higher keeps more. {NO_NUMBER}",
        missing=MISSING,
        empty=EMPTY,
        single_class="0 where it is suppressed as a whole; else what the one published combination covers.",
    ),
)
"""The share of detail that published cells keep."""
