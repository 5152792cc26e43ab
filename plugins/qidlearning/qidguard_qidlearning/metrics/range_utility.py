"""Range utility: how wide the target's numbers spread within a class."""

import math

from qidguard.sdk import ClassValue, Explanation, Role, Unit
from qidguard_qidlearning.metrics.class_headline import WEIGHTED_MEAN
from qidguard_qidlearning.metrics.class_metric import class_metric
from qidguard_qidlearning.metrics.target_number import NUMBER
from qidguard_qidlearning.metrics.wording import EMPTY, HEADLINE, NUMBER_NULL, PAPER, UTILITY_GOOD

_RANGE = ClassValue(name="number_range", sql=f"max({NUMBER}) - min({NUMBER})")

RANGE_UTILITY = class_metric(
    name="range_utility",
    title="range of the target",
    value=_RANGE,
    statistic=WEIGHTED_MEAN,
    unit=Unit.SCORE,
    minimum=0.0,
    maximum=math.inf,
    attribute=Role.TARGET,
    takes_numbers=True,
    explanation=Explanation(
        meaning="How far apart the lowest and the highest target of a class are, in the target's unit. 0 "
        "means that the QIDs determine the target; a single outlier widens it. Needs a column of numbers, "
        "dates (days) or Booleans (0 and 1).",
        formula="R_g = max(y) − min(y) over the persons of class g; the headline is the mean weighted by the "
        f"persons. {HEADLINE}",
        source=f"{PAPER}, Table 1",
        good_value=UTILITY_GOOD,
        missing=NUMBER_NULL,
        empty=EMPTY,
        single_class="The range of the target in the table.",
    ),
)
"""Range of the target in a class."""
