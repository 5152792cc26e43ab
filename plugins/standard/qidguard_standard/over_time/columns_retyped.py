"""Columns retyped: how many columns have another type than in the latest earlier release.

Example:
    >>> COLUMNS_RETYPED.unit.value, COLUMNS_RETYPED.needs_history
    ('columns', True)
"""

import math

from qidguard.sdk import Arguments, Direction, Explanation, Grouping, Metric, TableFunction, TableView, Unit
from qidguard_standard.over_time.published import (
    NO_CLASSES,
    NO_RECORDS,
    VALIDATION_SOURCE,
    columns_over_time,
)


def _retyped(view: TableView, _grouping: Grouping, _arguments: Arguments) -> int:
    return sum(was.value_type != is_now.value_type for was, is_now in columns_over_time(view).in_both)


COLUMNS_RETYPED = Metric(
    name="columns_retyped",
    title="columns retyped",
    unit=Unit.COLUMNS,
    minimum=0,
    maximum=math.inf,
    direction=Direction.LOWER_IS_SAFER,
    is_whole=True,
    method=TableFunction(measure=_retyped),
    needs_history=True,
    # the columns published do not depend on the QIDs
    is_monotone=True,
    explanation=Explanation(
        meaning="How many published columns have the name but not the type of a column of the latest "
        "earlier release. A year that became a date, or a band that became a number, tells more than the "
        "policy was written for.",
        formula="number of columns of the same name in both whose type differs; 0 before the first "
        "release. A text source such as CSV has no types, so nothing is retyped there",
        source=VALIDATION_SOURCE,
        good_value="0.",
        missing="NULL plays no part, but for a column of nothing else, where the source gives it a type of "
        "its own.",
        empty=NO_RECORDS,
        single_class=NO_CLASSES,
    ),
)
"""The number of columns whose type differs from that in the latest earlier release."""
