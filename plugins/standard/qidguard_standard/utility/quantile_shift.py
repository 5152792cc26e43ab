"""Quantile shift: how far the quantiles of numeric quasi-identifiers moved.

It is no group-by: it compares two tables.

Example:
    >>> QUANTILE_SHIFT.parameters[0].default
    10
"""

import math

from qidguard.sdk import (
    Arguments,
    Direction,
    Explanation,
    Grouping,
    Metric,
    NotMeasurable,
    Parameter,
    TableFunction,
    TableView,
    Unit,
)
from qidguard_standard.utility.numbers_kept import numbers_after, numbers_before, numeric_columns
from qidguard_standard.utility.wording import CELLS, EMPTY, MIDDLE, NO_NUMBER, NUMBERS_MISSING

_PARTS = Parameter(
    name="parts",
    type=int,
    default=10,
    minimum=2,
    maximum=1000,
    meaning="number of equal parts that the quantiles divide the records into; 10 takes the deciles",
)


def _measure(view: TableView, grouping: Grouping, arguments: Arguments) -> float:
    """Return the largest shift; it compares two tables, so it is no group-by."""
    largest, parts = 0.0, int(arguments["parts"])
    for column in numeric_columns(view, grouping):
        before, after = numbers_before(column), numbers_after(column)
        shares = [part / parts for part in range(1, parts)]
        shift = max(abs(after.quantile(share) - before.quantile(share)) for share in shares)
        if not shift:
            continue
        if not before.range:
            raise NotMeasurable(
                f"Column {column.name!r} has a single number in the original, so its range is 0 and no shift"
                " can be taken by it; leave it out."
            )
        largest = max(largest, shift / before.range)
    return largest


QUANTILE_SHIFT = Metric(
    name="quantile_shift",
    title="shift of quantiles",
    unit=Unit.RATIO,
    minimum=0.0,
    maximum=math.inf,
    direction=Direction.NEITHER,
    method=TableFunction(measure=_measure),
    needs_original=True,
    compares_tables=True,
    parameters=(_PARTS,),
    explanation=Explanation(
        meaning="How far a quantile of a numeric quasi-identifier moved, by the original's range, where it "
        "moved most. 0 means that all quantiles are kept.",
        formula="max over numeric QIDs and quantiles of |Q after − Q before| / range before, Q(p) the "
        "smallest number that at least the share p of the records does not exceed; above 1 only where "
        f"published numbers leave the original's range. {MIDDLE} {CELLS}",
        source="Woo, Reiter, Oganian & Karr 2009, Global measures of data utility for microdata masked for "
        "disclosure limitation, empirical distributions; definition 1 of Hyndman & Fan 1996",
        good_value=f"Lower keeps more. {NO_NUMBER}",
        missing=NUMBERS_MISSING,
        empty=EMPTY,
        single_class="The distance from the published number to the farthest quantile.",
    ),
)
"""The largest shift of a quantile, by the range."""
