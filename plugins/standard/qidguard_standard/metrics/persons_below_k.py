"""Persons in classes below k: how many would have to be protected to reach k-anonymity.

Example:
    >>> PERSONS_BELOW_K.method.compute({"persons": 8, "persons_below_5": 3}, {"k": 5})
    3
"""

import math

from qidguard.sdk import (
    CLASS_SIZE,
    PERSONS,
    Arguments,
    Direction,
    Explanation,
    GroupBy,
    Metric,
    Parameter,
    Statistic,
    StatisticValues,
    Unit,
    persons_below,
    persons_of,
    value_of,
)
from qidguard_standard.metrics.wording import EMPTY, QID_NULL

CLASS_MINIMUM = Parameter(
    name="k", type=int, default=5, minimum=2, meaning="smallest class size that counts as protected, persons"
)
"""The parameter k of the two metrics that count below it."""


def below_k(arguments: Arguments) -> tuple[Statistic, ...]:
    """Return the statistics behind the persons below k.

    Example:
        >>> [statistic.name for statistic in below_k({"k": 3})]
        ['persons', 'persons_below_3']
    """
    return PERSONS, persons_below(arguments["k"])


def _compute(values: StatisticValues, arguments: Arguments) -> int | float:
    persons_of(values)
    return value_of(values, persons_below(arguments["k"]).name)


PERSONS_BELOW_K = Metric(
    name="persons_below_k",
    title="persons in classes below k",
    unit=Unit.PERSONS,
    minimum=0,
    maximum=math.inf,
    direction=Direction.LOWER_IS_SAFER,
    is_whole=True,
    method=GroupBy(statistics=below_k, compute=_compute, distribution=CLASS_SIZE),
    parameters=(CLASS_MINIMUM,),
    # merging classes never makes the smallest class of a person smaller
    is_monotone=True,
    explanation=Explanation(
        meaning="How many people are in a class of fewer than k. k-anonymity tells only that somebody "
        "is; this tells how many, which is what suppression or generalization would have to "
        "reach.",
        formula="number of persons whose class has fewer than k persons; with an entity column an "
        "entity counts once, by the smallest class that it appears in",
        source="Sweeney 2002, k-anonymity: a model for protecting privacy (the records that violate it)",
        good_value="0 means that the table is k-anonymous for this k.",
        missing=QID_NULL,
        empty=EMPTY,
        single_class="0 where the table has at least k persons, else all of them.",
    ),
)
"""The number of persons in classes of fewer than k."""
