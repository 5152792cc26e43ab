"""NCP, the normalized certainty penalty: how much of its column's domain a published cell may be.

It is no group-by: each cell is compared with its original.

Example:
    >>> from types import SimpleNamespace
    >>> from qidguard.sdk import Grouping
    >>> from qidguard_standard.utility.example import three_jobs
    >>> round(NCP.method.measure(SimpleNamespace(changes=three_jobs()), Grouping(qids=("job",)), {}), 3)
    0.5
"""

from qidguard.sdk import Arguments, Direction, Explanation, Grouping, Metric, TableFunction, TableView, Unit
from qidguard_standard.utility.cell_loss import cell_loss, mean_cell_loss, mean_published_loss
from qidguard_standard.utility.wording import CELLS, EMPTY, MISSING, NO_NUMBER


def _measure(view: TableView, grouping: Grouping, _: Arguments) -> float:
    """Return the mean loss; it compares cells with their originals, so it is no group-by."""
    is_aligned = view.changes is not None and view.changes.kept is not None
    mean = mean_cell_loss if is_aligned else mean_published_loss
    return mean(view, grouping, cell_loss)


NCP = Metric(
    name="ncp",
    title="normalized certainty penalty",
    unit=Unit.SHARE,
    minimum=0.0,
    maximum=1.0,
    direction=Direction.NEITHER,
    method=TableFunction(measure=_measure),
    needs_original=True,
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
"""The mean share of its domain that a published cell covers."""
