"""Group entropy: how uncertain the target is within a class, in bits."""

import math

from qidguard.sdk import ClassValue, Explanation, Role, Unit, exact_sum
from qidguard_qidlearning.metrics.class_headline import WEIGHTED_MEAN
from qidguard_qidlearning.metrics.class_metric import class_metric
from qidguard_qidlearning.metrics.wording import (
    ATTRIBUTE_NULL,
    EMPTY,
    ENTITY_SHARES,
    HEADLINE,
    PAPER,
    UTILITY_GOOD,
)

_ENTROPY = ClassValue(name="entropy_bits", sql=f"greatest(0, -{exact_sum('share * ln(share)')} / ln(2))")

GROUP_ENTROPY = class_metric(
    name="group_entropy",
    title="group entropy of the target",
    value=_ENTROPY,
    statistic=WEIGHTED_MEAN,
    unit=Unit.BITS,
    minimum=0.0,
    maximum=math.inf,
    attribute=Role.TARGET,
    explanation=Explanation(
        meaning="How many bits are still unknown of the target once someone's class is known. 0 means that "
        "the QIDs determine the target; over records one more QID never raises the weighted mean.",
        formula="H_g = −Σ p·log₂ p, p the share of a target value in class g; the headline is Σ p(g)·H_g, "
        f"p(g) the class's share of the persons. {HEADLINE} {ENTITY_SHARES}",
        source=f"Shannon 1948, A mathematical theory of communication; {PAPER}, section 4.1",
        good_value=UTILITY_GOOD,
        missing=ATTRIBUTE_NULL,
        empty=EMPTY,
        single_class="The entropy of the target in the table.",
    ),
)
"""Entropy of the target in a class."""
