"""Distinct values utility: how many target values occur in a class."""

import math

from qidguard.sdk import DISTINCT_VALUES, Explanation, Role, Unit
from qidguard_qidlearning.metrics.class_headline import WEIGHTED_MEAN
from qidguard_qidlearning.metrics.class_metric import class_metric
from qidguard_qidlearning.metrics.wording import ATTRIBUTE_NULL, EMPTY, HEADLINE, PAPER, UTILITY_GOOD

DISTINCT_VALUES_UTILITY = class_metric(
    name="distinct_values_utility",
    title="distinct target values",
    value=DISTINCT_VALUES,
    statistic=WEIGHTED_MEAN,
    unit=Unit.VALUES,
    minimum=1,
    maximum=math.inf,
    attribute=Role.TARGET,
    explanation=Explanation(
        meaning="How many different values the target has among the persons of a class. Few mean that the "
        "QIDs narrow the target down; it does not see how lopsided the values are.",
        formula="D_g = distinct target values in class g; the headline is the mean weighted by the persons. "
        f"{HEADLINE}",
        source=f"{PAPER}, Table 1",
        good_value=UTILITY_GOOD,
        missing=ATTRIBUTE_NULL,
        empty=EMPTY,
        single_class="The number of distinct target values in the table.",
    ),
)
"""Distinct target values of a class."""
