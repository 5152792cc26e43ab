"""Average class size: how many persons share a combination of QIDs in the mean.

Example:
    >>> AVERAGE_CLASS_SIZE.method.compute({"memberships": 8, "classes": 5}, {})
    1.6
"""

import math

from qidguard.sdk import (
    CLASS_SIZE,
    CLASSES,
    MEMBERSHIPS,
    Arguments,
    Direction,
    Explanation,
    GroupBy,
    Metric,
    StatisticValues,
    Unit,
    value_of,
)
from qidguard_standard.metrics.wording import EMPTY, QID_NULL


def _compute(values: StatisticValues, _: Arguments) -> float:
    return value_of(values, MEMBERSHIPS.name) / value_of(values, CLASSES.name)


AVERAGE_CLASS_SIZE = Metric(
    name="average_class_size",
    title="average class size",
    unit=Unit.PERSONS,
    minimum=1,
    maximum=math.inf,
    direction=Direction.HIGHER_IS_SAFER,
    method=GroupBy(statistics=(MEMBERSHIPS, CLASSES), compute=_compute, distribution=CLASS_SIZE),
    # over records it is monotone, but two classes of the same entities can merge into one no larger
    is_monotone=False,
    explanation=Explanation(
        meaning="The mean number of persons in an equivalence class. It describes the table as a whole and "
        "hides its smallest classes, so it never stands in for k-anonymity. It is also read as a utility "
        "cost: larger classes carry less detail.",
        formula="Σ size / number of classes; over records this is records / classes. LeFevre's C_AVG is this "
        "figure divided by the required k. With an entity column an entity counts in each class it "
        "appears in.",
        source="LeFevre, DeWitt & Ramakrishnan 2006, Mondrian multidimensional k-anonymity",
        good_value="No source sets a number; it should be well above the k that is asked for.",
        missing=QID_NULL,
        empty=EMPTY,
        single_class="The number of persons in the table.",
    ),
)
"""The mean number of persons in an equivalence class."""
