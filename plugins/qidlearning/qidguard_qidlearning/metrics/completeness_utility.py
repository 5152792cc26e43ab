"""Completeness utility: the share of a class whose target is not NULL."""

from qidguard.sdk import ClassValue, Explanation, Role, Unit
from qidguard_qidlearning.metrics.class_headline import WEIGHTED_MEAN
from qidguard_qidlearning.metrics.class_metric import class_metric
from qidguard_qidlearning.metrics.wording import EMPTY, ENTITY_SHARES, HEADLINE, PAPER, QID_NULL, UTILITY_GOOD

# the code 0 is NULL and no other value
_COMPLETENESS = ClassValue(name="completeness", sql="sum(CASE WHEN value > 0 THEN n ELSE 0 END) / sum(n)")

COMPLETENESS_UTILITY = class_metric(
    name="completeness_utility",
    title="completeness of the target",
    value=_COMPLETENESS,
    statistic=WEIGHTED_MEAN,
    unit=Unit.SHARE,
    minimum=0.0,
    maximum=1.0,
    attribute=Role.TARGET,
    explanation=Explanation(
        meaning="How much of the target is there: the share of a class whose target is not missing. A class "
        "with a low share is one whose people the target leaves out.",
        formula="C_g = persons of class g whose target is not NULL / persons of g; the headline is the mean "
        f"weighted by the persons. {HEADLINE} {ENTITY_SHARES}",
        source=f"{PAPER}, Table 1",
        good_value=UTILITY_GOOD,
        missing=f"{QID_NULL} NULL in the target is what it counts; a text such as ? that was not declared as "
        "missing is a value.",
        empty=EMPTY,
        single_class="The share of records whose target is not NULL.",
    ),
)
"""Share of a class whose target is there."""
