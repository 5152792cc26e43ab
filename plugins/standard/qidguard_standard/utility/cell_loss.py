"""Means over the quasi-identifiers' cells of the original table: NCP, GCP, granularity, originality."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import Grouping, NotMeasurable, TableView
from qidguard_standard.utility.changed_columns import ChangedColumn, changed_columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Losses = Callable[[ChangedColumn, "NDArray[np.int64]", "NDArray[np.int64]"], "NDArray[np.float64]"]


def mean_cell_loss(view: TableView, grouping: Grouping, losses: "Losses") -> float:
    """Return the mean loss of a cell over all quasi-identifiers and all records of the original.

    Example:
        >>> from types import SimpleNamespace
        >>> from qidguard_standard.utility.example import three_jobs
        >>> one = lambda column, published, original: np.ones(len(published))
        >>> mean_cell_loss(SimpleNamespace(changes=three_jobs()), Grouping(qids=("job",)), one)
        1.0
    """
    columns = changed_columns(view, grouping)
    lost = 0.0
    for column in columns:
        pairs = column.pairs
        lost += float(losses(column, pairs.published, pairs.original) @ pairs.records) + column.suppressed
    return lost / (len(columns) * columns[0].before.records)


def mean_published_loss(view: TableView, grouping: Grouping, losses: "Losses") -> float:
    """Return the mean loss of a cell where nobody knows which record became which.

    As ``mean_cell_loss``, but from what the published cells cover alone: a published value that is no value
    of the original has no loss then.

    Example:
        >>> from types import SimpleNamespace
        >>> from qidguard_standard.utility.example import three_jobs
        >>> one = lambda column, published, original: np.ones(len(published))
        >>> mean_published_loss(SimpleNamespace(changes=three_jobs()), Grouping(qids=("job",)), one)
        1.0
    """
    columns = changed_columns(view, grouping)
    lost = 0.0
    for column in columns:
        points = int(column.coverage.is_point.sum())
        if points:
            raise NotMeasurable(
                f"{points:,} published numbers of column {column.name!r} do not occur in the original, and"
                " their loss is their distance from it, but nobody knows which record became which; give the"
                " original in the order of the published table."
            )
        published = np.flatnonzero(column.published_records)
        unknown = np.full(len(published), -1)
        lost += float(losses(column, published, unknown) @ column.published_records[published])
        lost += column.suppressed
    return lost / (len(columns) * columns[0].before.records)


def cell_loss(
    column: ChangedColumn, published: "NDArray[np.int64]", original: "NDArray[np.int64]"
) -> "NDArray[np.float64]":
    """Return the NCP loss of cells; of an unknown original (−1) what the published value alone says."""
    if len(original) and original[0] < 0:
        return column.coverage.loss[published]
    return column.coverage.loss_of(published, original)
