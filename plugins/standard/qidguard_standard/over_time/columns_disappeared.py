"""Columns disappeared: how many columns of the latest earlier release are published no more.

Example:
    >>> COLUMNS_DISAPPEARED.unit.value, COLUMNS_DISAPPEARED.needs_history
    ('columns', True)
"""

import math

from qidguard.sdk import Arguments, Direction, Explanation, Grouping, Metric, TableFunction, TableView, Unit
from qidguard_standard.over_time.published import (
    ANY_VALUES,
    NO_CLASSES,
    NO_RECORDS,
    VALIDATION_SOURCE,
    columns_over_time,
)


def _disappeared(view: TableView, _grouping: Grouping, _arguments: Arguments) -> int:
    columns = columns_over_time(view)
    return 0 if columns.before is None else len(columns.before.keys() - columns.now.keys())


COLUMNS_DISAPPEARED = Metric(
    name="columns_disappeared",
    title="columns disappeared",
    unit=Unit.COLUMNS,
    minimum=0,
    maximum=math.inf,
    direction=Direction.LOWER_IS_SAFER,
    is_whole=True,
    method=TableFunction(measure=_disappeared),
    needs_history=True,
    # the columns published do not depend on the QIDs
    is_monotone=True,
    explanation=Explanation(
        meaning="How many columns of the latest earlier release this table would publish no more. A column "
        "that is gone exposes nobody, but a source that changed unannounced may have changed elsewhere as "
        "well.",
        formula="number of columns of the latest earlier release whose name is not among those to be "
        "published; 0 before the first release",
        source=VALIDATION_SOURCE,
        good_value="0, where each release is to look like the last.",
        missing=ANY_VALUES,
        empty=NO_RECORDS,
        single_class=NO_CLASSES,
    ),
)
"""The number of columns of the latest earlier release that are published no more."""
