"""Accuracy: how often the most frequent target value of a class is right."""

from qidguard.sdk import ClassValue, Explanation, Role, Unit
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

_MODE_SHARE = ClassValue(name="mode_share", sql="max(share)")

ACCURACY = class_metric(
    name="accuracy",
    title="accuracy of the class mode",
    value=_MODE_SHARE,
    statistic=WEIGHTED_MEAN,
    unit=Unit.SHARE,
    minimum=0.0,
    maximum=1.0,
    attribute=Role.TARGET,
    explanation=Explanation(
        meaning="How often the target is guessed right by the most frequent value of someone's class. 1 "
        "means that the QIDs determine the target. It is measured on the table itself, so many small "
        "classes raise it without any pattern behind them.",
        formula="Acc_g = persons with the mode of the target in class g / persons of g; the headline is "
        f"the mean weighted by the persons. {HEADLINE} {ENTITY_SHARES}",
        source=f"Hastie, Tibshirani & Friedman 2009, The elements of statistical learning; {PAPER}, Table 1",
        good_value=UTILITY_GOOD,
        missing=ATTRIBUTE_NULL,
        empty=EMPTY,
        single_class="The share of the target's most frequent value in the table.",
    ),
)
"""Share of the target's mode in a class."""
