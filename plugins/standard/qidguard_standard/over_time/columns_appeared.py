"""Columns appeared: how many published columns the latest earlier release lacked.

Example:
    >>> COLUMNS_APPEARED.unit.value, COLUMNS_APPEARED.needs_history
    ('columns', True)
"""

import math

from qidguard.sdk import Arguments, Direction, Explanation, Grouping, Metric, TableFunction, TableView, Unit
from qidguard_standard.over_time.published import (
    ANY_VALUES,
    NEW_COLUMNS_SOURCE,
    NO_CLASSES,
    NO_RECORDS,
    VALIDATION_SOURCE,
    columns_over_time,
)


def _appeared(view: TableView, _grouping: Grouping, _arguments: Arguments) -> int:
    columns = columns_over_time(view)
    return 0 if columns.before is None else len(columns.now.keys() - columns.before.keys())


COLUMNS_APPEARED = Metric(
    name="columns_appeared",
    title="columns appeared",
    unit=Unit.COLUMNS,
    minimum=0,
    maximum=math.inf,
    direction=Direction.LOWER_IS_SAFER,
    is_whole=True,
    method=TableFunction(measure=_appeared),
    needs_history=True,
    # the columns published do not depend on the QIDs
    is_monotone=True,
    explanation=Explanation(
        meaning="How many columns this table would publish that the latest earlier release did not have. A "
        "new column tells something new of people who are out there already, and nobody may have looked at "
        "it.",
        formula="number of columns to be published whose name the latest earlier release lacks; 0 before "
        "the first release. A column that was renamed has appeared under one name and disappeared under "
        "the other",
        source=f"{NEW_COLUMNS_SOURCE}; {VALIDATION_SOURCE}",
        good_value="0, where each release is to look like the last; a wanted column is let in by raising "
        "the limit for one release.",
        missing=ANY_VALUES,
        empty=NO_RECORDS,
        single_class=NO_CLASSES,
    ),
)
"""The number of published columns that the latest earlier release lacked."""
