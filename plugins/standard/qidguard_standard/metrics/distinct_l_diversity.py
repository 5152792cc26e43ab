"""Distinct l-diversity: the smallest number of sensitive values in a class.

Example:
    >>> DISTINCT_L_DIVERSITY.method.compute({"fewest_distinct_values": 2}, {})
    2
"""

import math

from qidguard.sdk import (
    DISTINCT_VALUES,
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
from qidguard_standard.metrics.wording import EMPTY, NO_LIMIT, SENSITIVE_NULL

_FEWEST = Statistic(name="fewest_distinct_values", sql="min(distinct_values)", values=(DISTINCT_VALUES,))


def _compute(values: StatisticValues, _: Arguments) -> int | float:
    return value_of(values, _FEWEST.name)


DISTINCT_L_DIVERSITY = Metric(
    name="distinct_l_diversity",
    title="distinct l-diversity",
    unit=Unit.VALUES,
    minimum=1,
    maximum=math.inf,
    direction=Direction.HIGHER_IS_SAFER,
    is_whole=True,
    method=GroupBy(statistics=(_FEWEST,), compute=_compute, distribution=DISTINCT_VALUES),
    is_sensitive=True,
    # merging classes unites their values
    is_monotone=True,
    explanation=Explanation(
        meaning="In every class at least l different values of the sensitive attribute occur. l = 1 "
        "means that in some class everyone has the same value, so that knowing the class is "
        "knowing the value. It does not see how lopsided the values are: 99 of 100 with one "
        "value still gives l = 2.",
        formula="l = min over classes of the number of distinct sensitive values in the class. With an "
        "entity column a value counts once however many entities or records have it, so one "
        "entity with two values makes l = 2 on its own: read it beside k_anonymity.",
        source="Machanavajjhala, Kifer, Gehrke & Venkitasubramaniam 2007, l-diversity: privacy beyond "
        "k-anonymity, section 4",
        good_value=f"{NO_LIMIT} At least 2 rules out the homogeneity attack; l cannot exceed the values in "
        "the table.",
        missing=SENSITIVE_NULL,
        empty=EMPTY,
        single_class="The number of distinct sensitive values in the table.",
    ),
)
"""The smallest number of distinct sensitive values in a class."""
