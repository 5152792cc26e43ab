"""Mean squared error: how far the target's numbers lie from the mean of their class."""

import math

from qidguard.sdk import ClassValue, Explanation, Role, Unit, exact_sum
from qidguard_qidlearning.metrics.class_headline import WEIGHTED_MEAN
from qidguard_qidlearning.metrics.class_metric import class_metric
from qidguard_qidlearning.metrics.target_number import NUMBER
from qidguard_qidlearning.metrics.wording import (
    EMPTY,
    ENTITY_SHARES,
    HEADLINE,
    NUMBER_NULL,
    PAPER,
    UTILITY_GOOD,
)

# a missing number is not above 0 nor anything else, so its share is not known either
_KNOWN = exact_sum("CASE WHEN abs(number) >= 0 THEN share ELSE 0 END")
_MEAN = f"({exact_sum(f'share * ({NUMBER})')} / {_KNOWN})"
_MEAN_SQUARE = f"({exact_sum(f'share * ({NUMBER}) * ({NUMBER})')} / {_KNOWN})"

# a constant target has no error at all, not even the last digit of a difference; without a number it is NULL
_ERROR = ClassValue(
    name="squared_error",
    sql="CASE WHEN min(number) = max(number) THEN 0.0 "
    f"WHEN min(number) < max(number) THEN greatest(0, {_MEAN_SQUARE} - {_MEAN} * {_MEAN}) END",
)

MEAN_SQUARED_ERROR = class_metric(
    name="mean_squared_error",
    title="mean squared error of the class mean",
    value=_ERROR,
    statistic=WEIGHTED_MEAN,
    unit=Unit.SCORE,
    minimum=0.0,
    maximum=math.inf,
    attribute=Role.TARGET,
    takes_numbers=True,
    explanation=Explanation(
        meaning="How wrong the guess is that everyone's target is the mean of their class, in the square "
        "of the target's unit. 0 means that the QIDs determine the target. Needs a column of numbers, "
        "dates (days) or Booleans (0 and 1).",
        formula="MSE_g = mean over the persons of class g of (y − ȳ_g)², ȳ_g their mean; the headline is "
        f"the mean weighted by the persons. {HEADLINE} {ENTITY_SHARES} It is taken as the mean of the "
        "squares minus the square of the mean, so its relative error is about 10⁻¹⁵·(ȳ/deviation)².",
        source=f"Hastie, Tibshirani & Friedman 2009, The elements of statistical learning; {PAPER}, Table 1",
        good_value=UTILITY_GOOD,
        missing=NUMBER_NULL,
        empty=EMPTY,
        single_class="The variance of the target in the table, divided by n.",
    ),
)
"""Mean squared error of the target in a class."""
