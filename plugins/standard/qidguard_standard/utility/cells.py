"""What single cells lose, by the values that each published cell covers.

Means over the quasi-identifiers' cells of the original table: NCP, GCP, granularity, originality.

NCP, the normalized certainty penalty: how much of its column's domain a published cell may be.

It is no group-by: each cell is compared with its original.

GCP, the global certainty penalty of Ghinita et al. 2007.

NCP by hierarchies: a published set costs the smallest group of its column's hierarchy that holds it.

Example:
    >>> from types import SimpleNamespace
    >>> from qidguard.sdk import Grouping
    >>> from qidguard_standard.utility.shared import three_jobs
    >>> round(NCP.method.measure(SimpleNamespace(changes=three_jobs()), Grouping(qids=("job",)), {}), 3)
    0.5
    >>> round(GCP.method.measure(SimpleNamespace(changes=three_jobs()), Grouping(qids=("job",)), {}), 3)
    0.556
    >>> view = SimpleNamespace(changes=three_jobs())
    >>> round(HIERARCHY_NCP.method.measure(view, Grouping(qids=("job",)), {}), 3)  # 1 for the set, 0, 1
    0.667
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import (
    Arguments,
    Explanation,
    Grouping,
    Metric,
    NotMeasurable,
    TableFunction,
    TableView,
)
from qidguard_standard.utility.changed_columns import ChangedColumn, changed_columns
from qidguard_standard.utility.shared import BY_CELLS, CELLS, EMPTY, MISSING, NO_NUMBER, SHARE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Losses = Callable[[ChangedColumn, "NDArray[np.int64]", "NDArray[np.int64]"], "NDArray[np.float64]"]
    from qidguard.sdk import Hierarchy


def mean_cell_loss(view: TableView, grouping: Grouping, losses: "Losses") -> float:
    """Return the mean loss of a cell over all quasi-identifiers and all records of the original.

    Example:
        >>> from types import SimpleNamespace
        >>> from qidguard_standard.utility.shared import three_jobs
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
    """Return the mean loss of a cell, also where nobody knows which record became which.

    There it is that of what the published cells cover alone: a published value that is no value of the
    original has no loss then.

    Example:
        >>> from types import SimpleNamespace
        >>> from qidguard_standard.utility.shared import three_jobs
        >>> one = lambda column, published, original: np.ones(len(published))
        >>> mean_published_loss(SimpleNamespace(changes=three_jobs()), Grouping(qids=("job",)), one)
        1.0
    """
    if view.changes is not None and view.changes.kept is not None:
        return mean_cell_loss(view, grouping, losses)
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


def _ncp(view: TableView, grouping: Grouping, _: Arguments) -> float:
    """Return the mean loss; it compares cells with their originals, so it is no group-by."""
    return mean_published_loss(view, grouping, cell_loss)


NCP = Metric(
    name="ncp",
    title="normalized certainty penalty",
    **SHARE,
    method=TableFunction(measure=_ncp),
    explanation=Explanation(
        meaning="How vague the published quasi-identifiers are, as a share: 0 means that every cell still "
        "holds its own value, 1 that every cell or record is suppressed.",
        formula="Mean over all QID cells of the original of (values covered − 1)/(values in the domain − 1); "
        "of numbers, dates and moments interval width / range. A suppressed cell or record loses 1; a column "
        "of one value loses 0 unless suppressed. A value that does not hold its original (a centroid, noise) "
        f"loses what the smallest interval or set with both would. {CELLS} Where nobody knows which record "
        "became which, the published cells alone are averaged.",
        source="Xu, Wang, Pei, Wang, Shi & Fu 2006, Utility-based anonymization using local recoding, KDD; "
        "with − 1 as in Iyengar 2002, Transforming data to satisfy privacy constraints, KDD",
        good_value=f"Lower keeps more. {NO_NUMBER}",
        missing=f"{MISSING} NULL beside numbers adds 1/(values in the domain − 1).",
        empty=EMPTY,
        single_class="1 where it is suppressed as a whole; else what the one published combination covers.",
    ),
)


def _penalty(
    column: "ChangedColumn", published: "NDArray[np.int64]", original: "NDArray[np.int64]"
) -> "NDArray[np.float64]":
    """Return card / |A| for categories, where (card − 1)/(|A| − 1) is the loss."""
    losses = cell_loss(column, published, original)
    if column.is_numeric:
        return losses
    size = column.coverage.domain.size
    return np.where(losses > 0, (losses * (size - 1) + 1) / size, 0.0)


def _gcp(view: TableView, grouping: Grouping, _: Arguments) -> float:
    """Return the mean penalty; it compares cells with their originals, so it is no group-by."""
    return mean_published_loss(view, grouping, _penalty)


GCP = Metric(
    name="gcp",
    title="global certainty penalty",
    **SHARE,
    method=TableFunction(measure=_gcp),
    explanation=Explanation(
        meaning="How vague the published quasi-identifiers are, as a share, in the form that studies of fast "
        "k-anonymity compare: 0 means exact values, 1 that everything is suppressed.",
        formula="Σ over classes |G|·Σ over QIDs NCP(G) / (QIDs · records of the original), NCP of a category "
        "0 for one value and else values covered / values in the domain, of a number interval width / range; "
        "each suppressed record counts with NCP 1 in every QID. A value that does not hold its original "
        f"counts as the smallest interval or set with both. {CELLS}",
        source="Ghinita, Karras, Kalnis & Mamoulis 2007, Fast data anonymization with low information loss, "
        "VLDB",
        good_value=f"Lower keeps more; it lies a little above ncp, which subtracts 1. {NO_NUMBER}",
        **BY_CELLS,
        single_class="1 where it is suppressed as a whole; else what the one published combination covers.",
    ),
)


def _hierarchy_ncp(view: TableView, grouping: Grouping, _: Arguments) -> float:
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

    return mean_published_loss(view, grouping, loss)


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
    **SHARE,
    method=TableFunction(measure=_hierarchy_ncp),
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
        **BY_CELLS,
        single_class="1 where it is suppressed as a whole; else what the one published combination covers.",
    ),
)

METRICS: tuple[Metric, ...] = (NCP, GCP, HIERARCHY_NCP)
