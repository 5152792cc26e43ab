"""The risk of someone who is known to be in the table: 1/size, and what is made of it.

The threshold τ of a risk 1/size, turned into a whole number of persons without rounding.

Prosecutor risk, maximum: the chance to pick the right record for the most exposed person.

Prosecutor risk, average: the chance to pick the right record, in the mean over all persons.

Prosecutor risk, share above a threshold: which part of the people is exposed more than τ.

Marketer risk: which part of the people an attacker expects to re-identify when trying all of them.

Example:
    >>> PROSECUTOR_RISK_MAX.method.compute({"smallest_class": 4}, {})
    0.25
    >>> PROSECUTOR_RISK_AVERAGE.method.compute({"persons": 8, "memberships": 8, "classes": 4}, {})
    0.5
    >>> PROSECUTOR_SHARE_ABOVE.method.compute({"persons": 40, "persons_below_20": 10}, {"threshold": 0.05})
    0.25
    >>> MARKETER_RISK.method.compute({"persons": 8, "memberships": 8, "classes": 4}, {})
    0.5
"""

from fractions import Fraction
from math import ceil

from qidguard.sdk import (
    CLASS_SIZE,
    CLASSES,
    MEMBERSHIPS,
    PERSONS,
    SMALLEST_CLASS,
    SUMMED_RISK,
    Arguments,
    Explanation,
    GroupBy,
    Metric,
    Parameter,
    Statistic,
    StatisticValues,
    persons_below,
    persons_of,
    value_of,
)
from qidguard_standard.metrics.wording import BY_CLASSES, SHARE_LOWER

LARGEST_SIZE = 2**63 - 1
"""No class has this many persons; stands for a threshold that every class exceeds."""

THRESHOLD = Parameter(
    name="threshold",
    type=float,
    default=0.05,
    minimum=0.0,
    maximum=1.0,
    meaning="risk τ that 1/size must exceed, strictly, to count; a share 0..1",
)


def smallest_size_at(threshold: float) -> int:
    """Compute the smallest class size whose risk 1/size is not above τ.

    1/size > τ holds exactly for size < ⌈1/τ⌉. τ is read as the decimal number a person wrote, so 0.05 is
    1/20 and not the binary number next to it; no floating-point division takes part.
    """
    exact = Fraction(repr(float(threshold)))
    if exact <= 0:
        return LARGEST_SIZE
    return min(ceil(1 / exact), LARGEST_SIZE)


def _prosecutor_risk_max(values: StatisticValues, _: Arguments) -> float:
    return 1 / value_of(values, SMALLEST_CLASS.name)


PROSECUTOR_RISK_MAX = Metric(
    name="prosecutor_risk_max",
    title="prosecutor risk (maximum)",
    **SHARE_LOWER,
    method=GroupBy(statistics=(SMALLEST_CLASS,), compute=_prosecutor_risk_max, distribution=CLASS_SIZE),
    # 1/k, and k never falls when classes merge
    is_monotone=True,
    explanation=Explanation(
        meaning="The chance that an attacker who knows someone is in the table, and knows their QIDs, picks "
        "the right record: for the most exposed person. It is 1/k.",
        formula="max over persons of 1/size = 1 / size of the smallest class",
        source="El Emam & Dankar 2008, Protecting privacy using k-anonymity",
        good_value="At most 0.1, 0.075 or 0.05 for public release by low, medium or high impact (IHE, after "
        "ISO/IEC 27559:2022); 0.09 for clinical reports (EMA 2016), which is nominally k = 11 though 1/11 is "
        "slightly above 0.09.",
        **BY_CLASSES,
        single_class="1 / number of persons.",
    ),
)


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
    **SHARE_LOWER,
    method=GroupBy(statistics=RISK_STATISTICS, compute=mean_risk, distribution=CLASS_SIZE),
    # the smallest class of a person never shrinks when classes merge
    is_monotone=True,
    explanation=Explanation(
        meaning="The chance that an attacker who knows someone is in the table, and knows their QIDs, picks "
        "the right record: in the mean over all people. It hides the most exposed, so it suits controlled "
        "sharing and not public release.",
        formula="(1/persons) · Σ over persons of 1/size; over records this is classes / records. With an "
        "entity column size is that of the smallest class that the entity appears in.",
        source="El Emam & Dankar 2008, Protecting privacy using k-anonymity; IHE De-Identification Handbook, "
        "R_c",
        good_value="At most 0.1, 0.075 or 0.05 for controlled sharing by low, medium or high impact, with "
        "safeguards for outliers (IHE, after ISO/IEC 27559:2022).",
        **BY_CLASSES,
        single_class="1 / number of persons.",
    ),
)


def _at_risk(arguments: Arguments) -> Statistic:
    return persons_below(smallest_size_at(arguments["threshold"]))


def _statistics(arguments: Arguments) -> tuple[Statistic, ...]:
    return PERSONS, _at_risk(arguments)


def _prosecutor_share_above(values: StatisticValues, arguments: Arguments) -> float:
    everyone = persons_of(values)
    return value_of(values, _at_risk(arguments).name) / everyone


PROSECUTOR_SHARE_ABOVE = Metric(
    name="prosecutor_share_above",
    title="prosecutor risk (share above threshold)",
    **SHARE_LOWER,
    method=GroupBy(statistics=_statistics, compute=_prosecutor_share_above, distribution=CLASS_SIZE),
    parameters=(THRESHOLD,),
    # the smallest class of a person never shrinks when classes merge
    is_monotone=True,
    explanation=Explanation(
        meaning="Which part of the people has a chance above τ to be found by an attacker who knows that "
        "they are in the table, and their QIDs.",
        formula="persons with 1/size > τ, strictly, / persons; the comparison is made in whole numbers, size "
        "< ⌈1/τ⌉, so a class of 20 is not above 0.05. With an entity column size is that of the smallest "
        "class that the entity appears in.",
        source="El Emam & Dankar 2008, Protecting privacy using k-anonymity; IHE De-Identification Handbook, "
        "R_a",
        good_value="0 for public release at τ = 0.05 to 0.1. The default τ = 0.05 is the strictest of the "
        "thresholds in common use.",
        **BY_CLASSES,
        single_class="0 where the table has at least 1/τ persons, else 1.",
    ),
)


MARKETER_RISK = Metric(
    name="marketer_risk",
    title="marketer risk",
    **SHARE_LOWER,
    method=GroupBy(statistics=RISK_STATISTICS, compute=mean_risk, distribution=CLASS_SIZE),
    # the smallest class of a person never shrinks when classes merge
    is_monotone=True,
    explanation=Explanation(
        meaning="Which part of all people an attacker expects to re-identify who matches the whole table "
        "against a list of everyone in it, picking at random within each class. It takes the table for the "
        "whole population, so it is an upper bound where the table is a sample.",
        formula="classes / records, which is the mean over records of 1/size and so the same figure as "
        "prosecutor_risk_average. With an entity column it is the mean over entities of 1/size of the "
        "smallest class that the entity appears in. Against a real population use journalist_risk_average.",
        source="Dankar & El Emam 2010, A method for evaluating marketer re-identification risk",
        good_value="No source sets a number of its own; averages of 0.05 to 0.1 are asked for in controlled "
        "sharing (IHE, after ISO/IEC 27559:2022).",
        **BY_CLASSES,
        single_class="1 / number of persons.",
    ),
)

METRICS: tuple[Metric, ...] = (
    PROSECUTOR_RISK_MAX,
    PROSECUTOR_RISK_AVERAGE,
    PROSECUTOR_SHARE_ABOVE,
    MARKETER_RISK,
)
