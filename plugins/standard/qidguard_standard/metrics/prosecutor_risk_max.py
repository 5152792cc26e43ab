"""Prosecutor risk, maximum: the chance to pick the right record for the most exposed person.

Example:
    >>> PROSECUTOR_RISK_MAX.method.compute({"smallest_class": 4}, {})
    0.25
"""

from qidguard.sdk import (
    CLASS_SIZE,
    SMALLEST_CLASS,
    Arguments,
    Direction,
    Explanation,
    GroupBy,
    Metric,
    StatisticValues,
    Unit,
    value_of,
)
from qidguard_standard.metrics.wording import EMPTY, QID_NULL


def _compute(values: StatisticValues, _: Arguments) -> float:
    return 1 / value_of(values, SMALLEST_CLASS.name)


PROSECUTOR_RISK_MAX = Metric(
    name="prosecutor_risk_max",
    title="prosecutor risk (maximum)",
    unit=Unit.SHARE,
    minimum=0.0,
    maximum=1.0,
    direction=Direction.LOWER_IS_SAFER,
    method=GroupBy(statistics=(SMALLEST_CLASS,), compute=_compute, distribution=CLASS_SIZE),
    # 1/k, and k never falls when classes merge
    is_monotone=True,
    explanation=Explanation(
        meaning="The chance that an attacker who knows someone is in the table, and knows their QIDs, "
        "picks the right record: for the most exposed person. It is 1/k.",
        formula="max over persons of 1/size = 1 / size of the smallest class",
        source="El Emam & Dankar 2008, Protecting privacy using k-anonymity",
        good_value="At most 0.1, 0.075 or 0.05 for public release by low, medium or high impact (IHE, after "
        "ISO/IEC 27559:2022); 0.09 for clinical reports (EMA 2016), which is nominally k = 11 though 1/11 is "
        "slightly above 0.09.",
        missing=QID_NULL,
        empty=EMPTY,
        single_class="1 / number of persons.",
    ),
)
"""One divided by the size of the smallest class."""
