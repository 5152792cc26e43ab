"""Homogeneity attack: persons in classes where everyone has the same sensitive value.

Example:
    >>> PERSONS_HOMOGENEOUS.method.compute({"persons": 8, "homogeneous_memberships": 3}, {})
    3
"""

import math

from qidguard.sdk import (
    DISTINCT_VALUES,
    PERSONS,
    Arguments,
    Direction,
    Explanation,
    GroupBy,
    Metric,
    Statistic,
    StatisticValues,
    Unit,
    persons_of,
    value_of,
)
from qidguard_standard.metrics.wording import EMPTY, SENSITIVE_NULL

_HOMOGENEOUS = Statistic(
    name="homogeneous_memberships",
    sql="sum(CASE WHEN distinct_values = 1 THEN size ELSE 0 END)",
    values=(DISTINCT_VALUES,),
)

HOMOGENEITY_STATISTICS = (PERSONS, _HOMOGENEOUS)
"""What ``homogeneous_persons`` looks at."""


def homogeneous_persons(values: StatisticValues, _: Arguments) -> int | float:
    """Compute the number of persons in classes with a single sensitive value.

    Example:
        >>> homogeneous_persons({"persons": 4, "homogeneous_memberships": 5}, {})
        4
    """
    return min(persons_of(values), value_of(values, _HOMOGENEOUS.name))


PERSONS_HOMOGENEOUS = Metric(
    name="persons_homogeneous",
    title="persons open to the homogeneity attack",
    unit=Unit.PERSONS,
    minimum=0,
    maximum=math.inf,
    direction=Direction.LOWER_IS_SAFER,
    is_whole=True,
    method=GroupBy(
        statistics=HOMOGENEITY_STATISTICS, compute=homogeneous_persons, distribution=DISTINCT_VALUES
    ),
    is_sensitive=True,
    # a homogeneous class is made of homogeneous classes that hold no fewer persons together
    is_monotone=True,
    explanation=Explanation(
        meaning="How many people are in a class in which everyone has the same sensitive value: whoever "
        "knows their QIDs knows the value, without finding the record. A class of one is always "
        "such a class.",
        formula="Σ size over classes with one distinct sensitive value. With an entity column an entity "
        "counts in each such class, and the sum stops at the number of entities: an upper bound.",
        source="Machanavajjhala, Kifer, Gehrke & Venkitasubramaniam 2007, l-diversity: privacy beyond "
        "k-anonymity, section 2 (homogeneity attack)",
        good_value="0, which is the same as distinct l-diversity of at least 2.",
        missing=f"{SENSITIVE_NULL} So a class whose sensitive values are all NULL is homogeneous.",
        empty=EMPTY,
        single_class="0, or all persons where the sensitive attribute has a single value.",
    ),
)
"""The number of persons in classes with a single sensitive value."""
