"""k-anonymity per class: the sizes of the classes, and a figure over them."""

import math

from qidguard.sdk import CLASS_SIZE, Direction, Explanation, Unit
from qidguard_qidlearning.metrics.class_headline import MINIMUM
from qidguard_qidlearning.metrics.class_metric import class_metric
from qidguard_qidlearning.metrics.wording import EMPTY, HEADLINE, PAPER, QID_NULL

K_ANONYMITY_PER_CLASS = class_metric(
    name="k_anonymity_per_class",
    title="k-anonymity per class",
    value=CLASS_SIZE,
    statistic=MINIMUM,
    unit=Unit.PERSONS,
    minimum=1,
    maximum=math.inf,
    direction=Direction.HIGHER_IS_SAFER,
    explanation=Explanation(
        meaning="How many persons share a combination of the QIDs, class by class. The smallest class is "
        "the k of k-anonymity; the mean over the classes is what the paper's examples call k.",
        formula=f"k_g = |g|, the persons of class g; the headline is the minimum. {HEADLINE} With an entity "
        "column the persons of a class are its distinct entities.",
        source=f"Sweeney 2002, k-anonymity: a model for protecting privacy; {PAPER}, Table 1",
        good_value="At least 2, so that nobody is alone; 3, 5 and 11 are in use. Higher is safer.",
        missing=QID_NULL,
        empty=EMPTY,
        single_class="The number of persons in the table.",
    ),
)
"""Persons of a class."""
