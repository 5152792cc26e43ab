"""Generalization ratio: the summed difference between the sensitive values of a class and of the table."""

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

# a value that the class lacks adds its share q of the table, and all q add up to 1: Σ|p−q| over every value
# is Σ(|p−q| − q) over those of the class, plus 1
_DIFFERENCE = ClassValue(
    name="summed_difference",
    sql=f"greatest(0, 1 + {exact_sum('abs(share - table_share) - table_share')})",
)

GENERALIZATION_RATIO = class_metric(
    name="generalization_ratio",
    title="generalization ratio",
    value=_DIFFERENCE,
    statistic=MAXIMUM,
    unit=Unit.RATIO,
    minimum=0.0,
    maximum=2.0,
    direction=Direction.LOWER_IS_SAFER,
    attribute=Role.SENSITIVE,
    explanation=Explanation(
        meaning="How much of a class's sensitive values would have to be exchanged, twice over, to mirror "
        "the table: 0 where it mirrors the table already, near 2 where it holds values that are rare "
        "elsewhere.",
        formula="GR_g = Σ over all values of |p − q|, p a value's share in the class, q in the table, values "
        f"that the class lacks included; the headline is the maximum. {HEADLINE} {ENTITY_SHARES} The paper "
        "prints one formula for this and for delta_presence; the sum and the largest term keep them apart.",
        source=f"LeFevre, DeWitt & Ramakrishnan 2006, named by {PAPER}, Table 1",
        good_value=f"{NO_LIMIT} Lower is safer.",
        missing=ATTRIBUTE_NULL,
        empty=EMPTY,
        single_class="0: the class is the table.",
    ),
)
"""Summed difference of a class from the table."""
