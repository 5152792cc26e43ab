"""Attribute length penalty: (1 − p)² + p² of the share p of columns that are chosen."""

from qidguard.sdk import Arguments, Direction, Explanation, Grouping, Metric, TableFunction, TableView, Unit
from qidguard_qidlearning.metrics.wording import NO_LIMIT, PAPER


def attribute_length_penalty(chosen: int, columns: int) -> float:
    """Return (1 − p)² + p², 0.5..1, for the share p = chosen / columns (Simões et al. 2025)."""
    if not 1 <= chosen <= columns:
        raise ValueError(f"QIDs are 1 to {columns} of the table's columns, not {chosen}")
    # whole numbers, so that k and n − k columns of n have the same penalty to the last digit
    return ((columns - chosen) ** 2 + chosen**2) / columns**2


def _measure(view: TableView, grouping: Grouping, _: Arguments) -> float:
    """Return the penalty; it takes no record's value, only the number of columns, so it is no group-by."""
    return attribute_length_penalty(len(grouping.qids), len(view.columns))


ATTRIBUTE_LENGTH_PENALTY = Metric(
    name="attribute_length_penalty",
    title="attribute length penalty",
    unit=Unit.SCORE,
    minimum=0.5,
    maximum=1.0,
    direction=Direction.NEITHER,
    method=TableFunction(measure=_measure),
    is_of_size=True,
    explanation=Explanation(
        meaning="What a set of QIDs pays for its length: nothing but the number of columns counts. It is "
        "smallest for half of the columns, and grows toward a single one and toward all of them.",
        formula="(1 − p)² + p² with p = QIDs / all columns of the table, the ones that may not be QIDs "
        "included",
        source=f"{PAPER}, Table 1",
        good_value=f"{NO_LIMIT} It is a term of a search's objective and says nothing about safety.",
        missing="NULL plays no part: the table's values are not read.",
        empty="The same figure: it depends on the columns only.",
        single_class="The same figure: it depends on the columns only.",
    ),
)
"""The penalty on the number of QIDs."""
