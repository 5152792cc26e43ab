"""Prosecutor risk, average: the chance to pick the right record, in the mean over all persons.

Example:
    >>> PROSECUTOR_RISK_AVERAGE.method.compute({"persons": 8, "memberships": 8, "classes": 4}, {})
    0.5
"""

from qidguard.sdk import (
    CLASS_SIZE,
    CLASSES,
    MEMBERSHIPS,
    PERSONS,
    SUMMED_RISK,
    Arguments,
    Direction,
    Explanation,
    GroupBy,
    Metric,
    StatisticValues,
    Unit,
    persons_of,
    value_of,
)
from qidguard_standard.metrics.wording import EMPTY, QID_NULL

RISK_STATISTICS = (PERSONS, MEMBERSHIPS, CLASSES, SUMMED_RISK)
"""What ``mean_risk`` looks at."""


def mean_risk(values: StatisticValues, _: Arguments) -> float:
    """Compute the mean over persons of 1/size, size being the person's smallest class.

    Where every person is in one class only (always so for records) the mean is classes / persons, which is
    computed from whole numbers and so does not depend on the order of a floating-point sum.

    Example:
        >>> mean_risk({"persons": 4, "memberships": 5, "classes": 3, "summed_risk": 3.0}, {})
        0.75
    """
    everyone = persons_of(values)
    if value_of(values, MEMBERSHIPS.name) == everyone:
        return value_of(values, CLASSES.name) / everyone
    return value_of(values, SUMMED_RISK.name) / everyone


PROSECUTOR_RISK_AVERAGE = Metric(
    name="prosecutor_risk_average",
    title="prosecutor risk (average)",
    unit=Unit.SHARE,
    minimum=0.0,
    maximum=1.0,
    direction=Direction.LOWER_IS_SAFER,
    method=GroupBy(statistics=RISK_STATISTICS, compute=mean_risk, distribution=CLASS_SIZE),
    # the smallest class of a person never shrinks when classes merge
    is_monotone=True,
    explanation=Explanation(
        meaning="The chance that an attacker who knows someone is in the table, and knows their QIDs, "
        "picks the right record: in the mean over all people. It hides the most exposed, so it "
        "suits controlled sharing and not public release.",
        formula="(1/persons) · Σ over persons of 1/size; over records this is classes / records. With "
        "an entity column size is that of the smallest class that the entity appears in.",
        source="El Emam & Dankar 2008, Protecting privacy using k-anonymity; IHE De-Identification Handbook, "
        "R_c",
        good_value="At most 0.1, 0.075 or 0.05 for controlled sharing by low, medium or high impact, with "
        "safeguards for outliers (IHE, after ISO/IEC 27559:2022).",
        missing=QID_NULL,
        empty=EMPTY,
        single_class="1 / number of persons.",
    ),
)
"""The mean over persons of one divided by the class size."""
