"""Marketer risk: which part of the people an attacker expects to re-identify when trying all of them.

Example:
    >>> MARKETER_RISK.method.compute({"persons": 8, "memberships": 8, "classes": 4}, {})
    0.5
"""

from qidguard.sdk import CLASS_SIZE, Direction, Explanation, GroupBy, Metric, Unit
from qidguard_standard.metrics.prosecutor_risk_average import RISK_STATISTICS, mean_risk
from qidguard_standard.metrics.wording import EMPTY, QID_NULL

MARKETER_RISK = Metric(
    name="marketer_risk",
    title="marketer risk",
    unit=Unit.SHARE,
    minimum=0.0,
    maximum=1.0,
    direction=Direction.LOWER_IS_SAFER,
    method=GroupBy(statistics=RISK_STATISTICS, compute=mean_risk, distribution=CLASS_SIZE),
    # the smallest class of a person never shrinks when classes merge
    is_monotone=True,
    explanation=Explanation(
        meaning="Which part of all people an attacker expects to re-identify who matches the whole table "
        "against a list of everyone in it, picking at random within each class. It takes the table for "
        "the whole population, so it is an upper bound where the table is a sample.",
        formula="classes / records, which is the mean over records of 1/size and so the same figure as "
        "prosecutor_risk_average. With an entity column it is the mean over entities of 1/size of the "
        "smallest class that the entity appears in. Against a real population use "
        "journalist_risk_average.",
        source="Dankar & El Emam 2010, A method for evaluating marketer re-identification risk",
        good_value="No source sets a number of its own; averages of 0.05 to 0.1 are asked for in controlled "
        "sharing (IHE, after ISO/IEC 27559:2022).",
        missing=QID_NULL,
        empty=EMPTY,
        single_class="1 / number of persons.",
    ),
)
"""The expected share of persons re-identified when all are tried."""
