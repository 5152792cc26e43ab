"""t-closeness per class by Kullback-Leibler divergence, in nats."""

import math

from qidguard.sdk import ClassValue, Direction, Explanation, Role, Unit, exact_sum
from qidguard_qidlearning.metrics.class_headline import MAXIMUM
from qidguard_qidlearning.metrics.class_metric import class_metric
from qidguard_qidlearning.metrics.wording import (
    ATTRIBUTE_NULL,
    EMPTY,
    ENTITY_SHARES,
    HEADLINE,
    NO_LIMIT,
    PAPER,
)

# values absent from the class add 0·ln 0 = 0, so cells suffice; never negative but for a sum's last digit
_DIVERGENCE = ClassValue(
    name="divergence_nats", sql=f"greatest(0, {exact_sum('share * ln(share / table_share)')})"
)

T_CLOSENESS_PER_CLASS = class_metric(
    name="t_closeness_per_class",
    title="t-closeness per class (Kullback-Leibler divergence)",
    value=_DIVERGENCE,
    statistic=MAXIMUM,
    unit=Unit.NATS,
    minimum=0.0,
    maximum=math.inf,
    direction=Direction.LOWER_IS_SAFER,
    attribute=Role.SENSITIVE,
    explanation=Explanation(
        meaning="How far the sensitive values of a class are from those of the whole table: 0 where the "
        "class mirrors the table, the more the more the class gives away.",
        formula="t_g = D_KL(P_g ‖ P) = Σ p·ln(p/q), natural logarithm, p a value's share in the class, q "
        "in the table; the headline is the maximum. It is the form of the paper's text: the reverse one of "
        f"its Table 1 is infinite wherever a class lacks a value. {HEADLINE} {ENTITY_SHARES}",
        source=f"Li, Li & Venkatasubramanian 2007, t-closeness; Kullback & Leibler 1951; {PAPER}, section "
        "4.1",
        good_value=f"{NO_LIMIT} Lower is safer; ln 2 = 0.693 nats are one bit.",
        missing=ATTRIBUTE_NULL,
        empty=EMPTY,
        single_class="0: the class is the table.",
    ),
)
"""Divergence of a class from the table."""
