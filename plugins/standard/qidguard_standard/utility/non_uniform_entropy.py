"""Non-uniform entropy: the bits that are needed to tell the originals from what is published of them.

It is no group-by: each cell is compared with its original.

Example:
    >>> from types import SimpleNamespace
    >>> from qidguard.sdk import Grouping
    >>> from qidguard_standard.utility.example import three_jobs
    >>> view = SimpleNamespace(changes=three_jobs())
    >>> lost, kept = (metric.method for metric in NON_UNIFORM_ENTROPY_METRICS)
    >>> round(lost.measure(view, Grouping(qids=("job",)), {}), 3)  # log2(2/1) + 0 + log2(3/1)
    2.585
    >>> round(kept.measure(view, Grouping(qids=("job",)), {}), 3)  # of 3·log2(3)
    0.456
"""

import math

import numpy as np

from qidguard.sdk import Arguments, Direction, Explanation, Grouping, Metric, TableFunction, TableView, Unit
from qidguard_standard.utility.changed_columns import ChangedColumn, changed_columns
from qidguard_standard.utility.wording import ALIGNED, CELLS, EMPTY, MISSING, NO_NUMBER

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
        lost += _lost(column, whole)
        most += float(whole @ column.original_records)
    return lost, most


def _of_suppressed(column: ChangedColumn) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """Return for each original code the bits that it tells among all records."""
    return np.log2(column.before.records / np.maximum(column.original_records, 1))


def _lost(column: ChangedColumn, whole: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> float:
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
        unit=Unit.BITS,
        minimum=0.0,
        maximum=math.inf,
        direction=Direction.NEITHER,
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
            missing=MISSING,
            empty=EMPTY,
            single_class="At most the number of records times the summed entropy of the columns.",
        ),
    ),
    Metric(
        name="non_uniform_entropy_kept",
        title="non-uniform entropy (share of information kept)",
        unit=Unit.SHARE,
        minimum=0.0,
        maximum=1.0,
        direction=Direction.NEITHER,
        method=TableFunction(measure=_measure_kept),
        needs_original=True,
        explanation=Explanation(
            meaning="The share of the quasi-identifiers' information that the published table keeps: 1 means "
            "that nothing is lost, 0 that as much is lost as by suppressing everything.",
            formula=f"1 − Π / (Π of the table with every cell suppressed). {_FORMULA} Where every column has "
            "one value there is nothing to lose, and it is 1.",
            source=_SOURCE,
            good_value=f"Higher keeps more. {NO_NUMBER}",
            missing=MISSING,
            empty=EMPTY,
            single_class="0 where the one combination covers everything.",
        ),
    ),
)
"""The bits lost, and the share kept."""
