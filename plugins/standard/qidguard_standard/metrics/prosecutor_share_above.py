"""Prosecutor risk, share above a threshold: which part of the people is exposed more than τ.

Example:
    >>> PROSECUTOR_SHARE_ABOVE.method.compute({"persons": 40, "persons_below_20": 10}, {"threshold": 0.05})
    0.25
"""

from qidguard.sdk import (
    CLASS_SIZE,
    PERSONS,
    Arguments,
    Direction,
    Explanation,
    GroupBy,
    Metric,
    Statistic,
    StatisticValues,
    Unit,
    persons_below,
    persons_of,
    value_of,
)
from qidguard_standard.metrics.risk_threshold import THRESHOLD, smallest_size_at
from qidguard_standard.metrics.wording import EMPTY, QID_NULL


def _at_risk(arguments: Arguments) -> Statistic:
    return persons_below(smallest_size_at(arguments["threshold"]))


def _statistics(arguments: Arguments) -> tuple[Statistic, ...]:
    return PERSONS, _at_risk(arguments)


def _compute(values: StatisticValues, arguments: Arguments) -> float:
    everyone = persons_of(values)
    return value_of(values, _at_risk(arguments).name) / everyone


PROSECUTOR_SHARE_ABOVE = Metric(
    name="prosecutor_share_above",
    title="prosecutor risk (share above threshold)",
    unit=Unit.SHARE,
    minimum=0.0,
    maximum=1.0,
    direction=Direction.LOWER_IS_SAFER,
    method=GroupBy(statistics=_statistics, compute=_compute, distribution=CLASS_SIZE),
    parameters=(THRESHOLD,),
    # the smallest class of a person never shrinks when classes merge
    is_monotone=True,
    explanation=Explanation(
        meaning="Which part of the people has a chance above τ to be found by an attacker who knows "
        "that they are in the table, and their QIDs.",
        formula="persons with 1/size > τ, strictly, / persons; the comparison is made in whole numbers, "
        "size < ⌈1/τ⌉, so a class of 20 is not above 0.05. With an entity column size is that "
        "of the smallest class that the entity appears in.",
        source="El Emam & Dankar 2008, Protecting privacy using k-anonymity; IHE De-Identification Handbook, "
        "R_a",
        good_value="0 for public release at τ = 0.05 to 0.1. The default τ = 0.05 is the strictest of the "
        "thresholds in common use.",
        missing=QID_NULL,
        empty=EMPTY,
        single_class="0 where the table has at least 1/τ persons, else 1.",
    ),
)
"""The share of persons whose risk 1/size is above a threshold."""
