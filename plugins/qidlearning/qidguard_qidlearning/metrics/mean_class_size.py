"""Mean class size, the reciprocal of the distinction."""

import math

from qidguard.sdk import CLASS_SIZE, Arguments, Direction, Explanation, GroupBy, Metric, StatisticValues, Unit
from qidguard_qidlearning.metrics.distinction import NEEDS, distinction
from qidguard_qidlearning.metrics.wording import EMPTY, PAPER, QID_NULL, SMALLEST_CLASS


def _compute(values: StatisticValues, _: Arguments) -> float:
    return 1 / distinction(values)


MEAN_CLASS_SIZE = Metric(
    name="mean_class_size",
    title="mean class size, K(x) = 1/distinction",
    unit=Unit.PERSONS,
    minimum=1.0,
    maximum=math.inf,
    direction=Direction.HIGHER_IS_SAFER,
    method=GroupBy(statistics=NEEDS, compute=_compute, distribution=CLASS_SIZE),
    # the reciprocal of a figure that never falls when a QID is added
    is_monotone=True,
    explanation=Explanation(
        meaning="How many persons share a combination of the QIDs in the mean over the classes. The paper "
        "calls it k-anonymity in its examples, but it hides the smallest classes: for k-anonymity itself "
        "ask for the smallest class.",
        formula="K = records / classes = 1 / distinction, over persons the harmonic mean of their class "
        f"sizes. {SMALLEST_CLASS}",
        source=f"{PAPER}, sections 5.1 and 5.2, Tables 4 and 6",
        good_value="No source sets a number; it should be well above the k that is asked for.",
        missing=QID_NULL,
        empty=EMPTY,
        single_class="The number of persons in the table.",
    ),
)
"""Persons of a class in the mean."""
