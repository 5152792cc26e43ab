"""Discernibility: each record is charged with the number of records that it cannot be told from.

Example:
    >>> DISCERNIBILITY.method.compute({"squared_sizes": 14}, {})
    14
"""

import math

from qidguard.sdk import (
    CLASS_SIZE,
    Arguments,
    Direction,
    Explanation,
    GroupBy,
    Metric,
    Statistic,
    StatisticValues,
    Unit,
    value_of,
)
from qidguard_standard.metrics.wording import EMPTY, QID_NULL

_SQUARED_SIZES = Statistic(name="squared_sizes", sql="sum(size * size)")


def _compute(values: StatisticValues, _: Arguments) -> int | float:
    return value_of(values, _SQUARED_SIZES.name)


DISCERNIBILITY = Metric(
    name="discernibility",
    title="discernibility",
    unit=Unit.SCORE,
    minimum=1,
    maximum=math.inf,
    # a cost in utility: large classes raise it while a unique may stay, so it says nothing of safety
    direction=Direction.NEITHER,
    method=GroupBy(statistics=(_SQUARED_SIZES,), compute=_compute, distribution=CLASS_SIZE),
    explanation=Explanation(
        meaning="What anonymization costs in detail: every record pays one point for each record in its "
        "class. Compare it between versions of one table; it is no measure of risk.",
        formula="Σ size² over equivalence classes. The original adds (number of records of the whole "
        "table) for each suppressed record; records that were suppressed before the table came "
        "here are unknown and are not charged, so add that penalty yourself. Records kept with "
        "a suppression mark in their QIDs form classes like any others.",
        source="Bayardo & Agrawal 2005, Data privacy through optimal k-anonymization, metric C_DM",
        good_value="Lower keeps more detail. It runs from n (all records differ) to n² (all alike), so it "
        "can only be compared between tables with equally many records.",
        missing=QID_NULL,
        empty=EMPTY,
        single_class="n², the largest possible.",
    ),
)
"""The sum of squared class sizes."""
