"""Mean shift: how far the means of numeric quasi-identifiers moved.

It is no group-by: it compares two tables.

Example:
    >>> MEAN_SHIFT.minimum
    0.0
"""

import math

from qidguard.sdk import (
    Arguments,
    Direction,
    Explanation,
    Grouping,
    Metric,
    NotMeasurable,
    TableFunction,
    TableView,
    Unit,
)
from qidguard_standard.utility.numbers_kept import numbers_after, numbers_before, numeric_columns
from qidguard_standard.utility.wording import CELLS, EMPTY, MIDDLE, NO_NUMBER, NUMBERS_MISSING


def _measure(view: TableView, grouping: Grouping, _: Arguments) -> float:
    """Return the largest shift; it compares two tables, so it is no group-by."""
    largest = 0.0
    for column in numeric_columns(view, grouping):
        before, after = numbers_before(column), numbers_after(column)
        shift = abs(after.mean - before.mean)
        if not shift:
            continue
        if not before.deviation:
            raise NotMeasurable(
                f"Column {column.name!r} has a single number in the original, so its standard deviation is 0"
                " and no shift can be taken by it; leave it out."
            )
        largest = max(largest, shift / before.deviation)
    return largest


MEAN_SHIFT = Metric(
    name="mean_shift",
    title="shift of means",
    unit=Unit.RATIO,
    minimum=0.0,
    maximum=math.inf,
    direction=Direction.NEITHER,
    method=TableFunction(measure=_measure),
    needs_original=True,
    compares_tables=True,
    explanation=Explanation(
        meaning="How far the mean of a numeric quasi-identifier moved, in standard deviations of the "
        "original, where it moved most. 0 means that all means are kept.",
        formula="max over numeric QIDs of |mean after − mean before| / standard deviation before (of the "
        f"records as a population). {MIDDLE} {CELLS}",
        source="Domingo-Ferrer & Torra 2001, Disclosure control methods and information loss for microdata; "
        "the standardized mean difference of Cohen 1988",
        good_value=f"Lower keeps more; 0.1 is usually taken as negligible. {NO_NUMBER}",
        missing=NUMBERS_MISSING,
        empty=EMPTY,
        single_class="0 where means are published.",
    ),
)
"""The largest shift of a mean, in standard deviations."""
