"""Information gain: how many bits the QIDs tell about the target."""

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

_GAIN = ClassValue(
    name="divergence_bits", sql=f"greatest(0, {exact_sum('share * ln(share / table_share)')} / ln(2))"
)

INFORMATION_GAIN = class_metric(
    name="information_gain",
    title="information gain about the target",
    value=_GAIN,
    statistic=WEIGHTED_MEAN,
    unit=Unit.BITS,
    minimum=0.0,
    maximum=math.inf,
    attribute=Role.TARGET,
    explanation=Explanation(
        meaning="How many bits someone's class tells about their target, in the mean over the persons. 0 "
        "means that the QIDs say nothing of it, the target's whole entropy that they determine it. It is "
        "measured on the table itself, so many small classes raise it without any pattern behind them.",
        formula="IG = H(Y) − Σ p(g)·H(Y|g). Each class's part is D_KL(P_g ‖ P) = Σ p·log₂(p/q), p a target "
        "value's share in the class, q in the table: over records their weighted mean is this difference to "
        f"the last digit, and it is never negative. {HEADLINE} {ENTITY_SHARES}",
        source=f"Quinlan 1986, Induction of decision trees; {PAPER}, section 4.1",
        good_value=UTILITY_GOOD,
        missing=ATTRIBUTE_NULL,
        empty=EMPTY,
        single_class="0: the class is the table.",
    ),
)
"""What a class tells about the target."""
