"""Column count: the number of quasi-identifiers."""

import math

from qidguard.sdk import Arguments, Direction, Explanation, Grouping, Metric, TableFunction, TableView, Unit
from qidguard_qidlearning.metrics.wording import NO_LIMIT


def _measure(_view: TableView, grouping: Grouping, _arguments: Arguments) -> int:
    """Return the number of QIDs; it reads no record, so it is no group-by."""
    return len(grouping.qids)


COLUMN_COUNT = Metric(
    name="column_count",
    title="number of QIDs",
    unit=Unit.COLUMNS,
    minimum=1,
    maximum=math.inf,
    direction=Direction.NEITHER,
    is_whole=True,
    method=TableFunction(measure=_measure),
    is_of_size=True,
    explanation=Explanation(
        meaning="How many QIDs a set has. With a negative weight it is the price of a column in a search: a "
        "column comes in when it brings more than it costs. The attribute length penalty does not say that, "
        "for it falls until half of the columns are chosen.",
        formula="|x|",
        source="The number of parameters as a penalty: Akaike 1974, A new look at the statistical model "
        "identification",
        good_value=f"{NO_LIMIT} It is a term of a search's objective and says nothing about safety.",
        missing="NULL plays no part: the table's values are not read.",
        empty="The same figure: it depends on the columns only.",
        single_class="The same figure: it depends on the columns only.",
    ),
)
"""The number of QIDs."""
