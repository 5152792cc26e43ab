"""l-diversity: the distinct sensitive values of each class, and a figure over the classes."""

import math

from qidguard.sdk import DISTINCT_VALUES, Direction, Explanation, Role, Unit
from qidguard_qidlearning.metrics.class_headline import MINIMUM
from qidguard_qidlearning.metrics.class_metric import class_metric
from qidguard_qidlearning.metrics.wording import ATTRIBUTE_NULL, EMPTY, HEADLINE, NO_LIMIT, PAPER

L_DIVERSITY = class_metric(
    name="l_diversity",
    title="l-diversity per class",
    value=DISTINCT_VALUES,
    statistic=MINIMUM,
    unit=Unit.VALUES,
    minimum=1,
    maximum=math.inf,
    direction=Direction.HIGHER_IS_SAFER,
    attribute=Role.SENSITIVE,
    explanation=Explanation(
        meaning="How many different sensitive values occur in a class. Where it is 1, to know someone's "
        "class is to know their value. It does not see how lopsided the values are.",
        formula=f"l_g = distinct sensitive values in class g; the headline is the minimum. {HEADLINE}",
        source=f"Machanavajjhala, Gehrke, Kifer & Venkitasubramaniam 2006, l-diversity; {PAPER}, Table 1",
        good_value=f"{NO_LIMIT} At least 2 rules out that a class gives the value away.",
        missing=ATTRIBUTE_NULL,
        empty=EMPTY,
        single_class="The number of distinct sensitive values in the table.",
    ),
)
"""Distinct sensitive values of a class."""
