"""What is lost as information or distance, value by value.

Information loss in raw units: how far published records lie from their originals.

It is no group-by: each cell is compared with its original.

Non-uniform entropy: the bits that are needed to tell the originals from what is published of them.

Distortion measure: how high in their hierarchies the published cells stand.

Example:
    >>> from types import SimpleNamespace
    >>> from qidguard.sdk import Grouping
    >>> from qidguard_standard.utility.shared import three_jobs
    >>> view = SimpleNamespace(changes=three_jobs())
    >>> INFORMATION_LOSS.method.measure(view, Grouping(qids=("job",)), {})  # (1/2 + 0 + 1) / 2
    0.75
    >>> lost, kept = (metric.method for metric in NON_UNIFORM_ENTROPY_METRICS)
    >>> round(lost.measure(view, Grouping(qids=("job",)), {}), 3)  # log2(2/1) + 0 + log2(3/1)
    2.585
    >>> round(kept.measure(view, Grouping(qids=("job",)), {}), 3)  # of 3·log2(3)
    0.456
    >>> DISTORTION_MEASURE.method.measure(view, Grouping(qids=("job",)), {})
    0.5
"""

import math
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import (
    Arguments,
    Explanation,
    Grouping,
    Hierarchy,
    Metric,
    NotMeasurable,
    TableFunction,
    TableView,
    Unit,
)
from qidguard_standard.metrics.wording import scale
from qidguard_standard.utility.cells import cell_loss, mean_cell_loss
from qidguard_standard.utility.changed_columns import ChangedColumn, changed_columns
from qidguard_standard.utility.shared import (
    ALIGNED,
    BY_CELLS,
    CELLS,
    EMPTY,
    MIDDLE,
    NO_NUMBER,
    RATIO,
    SHARE,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray


def _information_loss(view: TableView, grouping: Grouping, _: Arguments) -> float:
    """Return (10)/(11); it compares cells with their originals, so it is no group-by."""
    lost = spread = 0.0
    for column in changed_columns(view, grouping):
        deviations = _own_deviations(column)
        spread += float(deviations @ column.original_records)
        lost += _information_loss_lost(column, deviations)
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
    numbers = column.numbers
    is_known = np.isfinite(numbers)
    mean = float(numbers[is_known] @ records[is_known]) / max(int(records[is_known].sum()), 1)
    return np.where(is_known, (numbers - mean) ** 2, 0.0)


def _information_loss_lost(column: ChangedColumn, deviations: "NDArray[np.float64]") -> float:
    """Return the summed deviation of the published cells, as in (10)."""
    pairs, read = column.pairs, column.coverage
    if column.is_numeric:
        cells = (read.centers[pairs.published] - column.numbers[pairs.original]) ** 2
        known = np.isfinite(column.numbers)
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


INFORMATION_LOSS = Metric(
    name="information_loss",
    title="information loss (MO-OBAM)",
    **RATIO,
    method=TableFunction(measure=_information_loss),
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


_FORMULA = (
    "Π = Σ over QID cells of −log₂(f(x)/f(x′)), f(x) the original's records with the cell's value x, f(x′) "
    "those with any value that the published x′ covers. A suppressed cell or record, and a value that does "
    "not hold its original (a centroid, noise), loses −log₂(f(x)/n) of n records. "
    f"{CELLS} {ALIGNED}"
)
_SOURCE = (
    "De Waal & Willenborg 1999, Information loss through global recoding and local suppression; Gionis & "
    "Tassa 2009, k-anonymization with minimal loss of information, IEEE TKDE; equation (4) of the QIR paper"
)


def _bits(view: TableView, grouping: Grouping) -> tuple[float, float]:
    """Return the bits that are lost, and those that suppressing everything would lose."""
    lost = most = 0.0
    for column in changed_columns(view, grouping):
        whole = _of_suppressed(column)
        lost += _non_uniform_entropy_lost(column, whole)
        most += float(whole @ column.original_records)
    return lost, most


def _of_suppressed(column: ChangedColumn) -> "NDArray[np.float64]":
    """Return for each original code the bits that it tells among all records."""
    return np.log2(column.before.records / np.maximum(column.original_records, 1))


def _non_uniform_entropy_lost(column: ChangedColumn, whole: "NDArray[np.float64]") -> float:
    read, pairs = column.coverage, column.pairs
    by_rank = np.concatenate([[0], np.cumsum(column.original_records[read.domain.order])])
    per_range = by_rank[read.ends] - by_rank[read.firsts]
    totals = np.concatenate([[0], np.cumsum(per_range)])
    held = (totals[read.starts[1:]] - totals[read.starts[:-1]])[pairs.published]
    own = column.original_records[pairs.original]
    is_held = read.covers(pairs.published, pairs.original)
    bits = np.where(is_held, np.log2(np.maximum(held, 1) / own), whole[pairs.original])
    bits = np.where(read.same[pairs.published] == pairs.original, 0.0, bits)
    return float(bits @ pairs.records) + float(whole @ column.suppressed_records)


def _measure_lost(view: TableView, grouping: Grouping, _: Arguments) -> float:
    """Return the bits lost; it compares cells with their originals, so it is no group-by."""
    return _bits(view, grouping)[0]


def _measure_kept(view: TableView, grouping: Grouping, _: Arguments) -> float:
    """Return the share of bits kept; it compares cells with their originals, so it is no group-by."""
    lost, most = _bits(view, grouping)
    return 1.0 - min(1.0, lost / most) if most else 1.0


NON_UNIFORM_ENTROPY_METRICS = (
    Metric(
        name="non_uniform_entropy",
        title="non-uniform entropy (bits lost)",
        **scale(Unit.BITS, 0.0, math.inf),
        method=TableFunction(measure=_measure_lost),
        needs_original=True,
        explanation=Explanation(
            meaning="The information lost over all records and quasi-identifiers, in bits: how much one "
            "would still have to be told to know the originals, when values are as frequent as in the "
            "original. Making rare values vague costs more than frequent ones.",
            formula=_FORMULA,
            source=_SOURCE,
            good_value="Lower keeps more. It grows with the table; non_uniform_entropy_kept is the share. "
            f"{NO_NUMBER}",
            **BY_CELLS,
            single_class="At most the number of records times the summed entropy of the columns.",
        ),
    ),
    Metric(
        name="non_uniform_entropy_kept",
        title="non-uniform entropy (share of information kept)",
        **SHARE,
        method=TableFunction(measure=_measure_kept),
        explanation=Explanation(
            meaning="The share of the quasi-identifiers' information that the published table keeps: 1 means "
            "that nothing is lost, 0 that as much is lost as by suppressing everything.",
            formula=f"1 − Π / (Π of the table with every cell suppressed). {_FORMULA} Where every column has "
            "one value there is nothing to lose, and it is 1.",
            source=_SOURCE,
            good_value=f"Higher keeps more. {NO_NUMBER}",
            **BY_CELLS,
            single_class="0 where the one combination covers everything.",
        ),
    ),
)
"""The bits lost, and the share kept."""


def _distortion_measure(view: TableView, grouping: Grouping, _: Arguments) -> float:
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
    **SHARE,
    method=TableFunction(measure=_distortion_measure),
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
        **BY_CELLS,
        single_class="1 where it is suppressed as a whole.",
    ),
)

METRICS: tuple[Metric, ...] = (INFORMATION_LOSS, *NON_UNIFORM_ENTROPY_METRICS, DISTORTION_MEASURE)
