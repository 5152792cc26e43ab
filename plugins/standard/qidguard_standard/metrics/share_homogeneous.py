"""Homogeneity attack, as a share of the persons.

Example:
    >>> SHARE_HOMOGENEOUS.method.compute({"persons": 8, "homogeneous_memberships": 2}, {})
    0.25
"""

from qidguard.sdk import (
    DISTINCT_VALUES,
    Arguments,
    Direction,
    Explanation,
    GroupBy,
    Metric,
    StatisticValues,
    Unit,
    persons_of,
)
from qidguard_standard.metrics.persons_homogeneous import HOMOGENEITY_STATISTICS, homogeneous_persons
from qidguard_standard.metrics.wording import EMPTY, SENSITIVE_NULL


def _compute(values: StatisticValues, arguments: Arguments) -> float:
    return homogeneous_persons(values, arguments) / persons_of(values)


SHARE_HOMOGENEOUS = Metric(
    name="share_homogeneous",
    title="share of persons open to the homogeneity attack",
    unit=Unit.SHARE,
    minimum=0.0,
    maximum=1.0,
    direction=Direction.LOWER_IS_SAFER,
    method=GroupBy(statistics=HOMOGENEITY_STATISTICS, compute=_compute, distribution=DISTINCT_VALUES),
    is_sensitive=True,
    # a homogeneous class is made of homogeneous classes that hold no fewer persons together
    is_monotone=True,
    explanation=Explanation(
        meaning="Which part of the people is in a class in which everyone has the same sensitive value, "
        "so that whoever knows their QIDs knows the value.",
        formula="Σ size over classes with one distinct sensitive value / persons. With an entity column an "
        "entity counts in each such class, and the share stops at 1: an upper bound.",
        source="Machanavajjhala, Kifer, Gehrke & Venkitasubramaniam 2007, l-diversity: privacy beyond "
        "k-anonymity, section 2 (homogeneity attack)",
        good_value="0, which is the same as distinct l-diversity of at least 2.",
        missing=f"{SENSITIVE_NULL} So a class whose sensitive values are all NULL is homogeneous.",
        empty=EMPTY,
        single_class="0, or 1 where the sensitive attribute has a single value.",
    ),
)
"""The share of persons in classes with a single sensitive value."""
