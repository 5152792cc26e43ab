"""Share of sample uniques.

Example:
    >>> SHARE_UNIQUE.method.compute({"persons": 8, "uniques": 2}, {})
    0.25
"""

from qidguard.sdk import (
    CLASS_SIZE,
    PERSONS,
    UNIQUES,
    Arguments,
    Direction,
    Explanation,
    GroupBy,
    Metric,
    StatisticValues,
    Unit,
    persons_of,
    value_of,
)
from qidguard_standard.metrics.wording import EMPTY, QID_NULL


def _compute(values: StatisticValues, _: Arguments) -> float:
    everyone = persons_of(values)
    return value_of(values, UNIQUES.name) / everyone


SHARE_UNIQUE = Metric(
    name="share_unique",
    title="share of sample uniques",
    unit=Unit.SHARE,
    minimum=0.0,
    maximum=1.0,
    direction=Direction.LOWER_IS_SAFER,
    method=GroupBy(statistics=(PERSONS, UNIQUES), compute=_compute, distribution=CLASS_SIZE),
    # the number of persons does not depend on the QIDs, and uniques never become more
    is_monotone=True,
    explanation=Explanation(
        meaning="Which part of the people is alone with their QIDs in the table, and so is found by whoever "
        "knows that they are in it.",
        formula="persons in a class of size 1 / persons; with an entity column an entity counts when "
        "any of its classes holds nobody else",
        source="Bethlehem, Keller & Pannekoek 1990, Disclosure control of microdata; Skinner & Elliot "
        "2002, A measure of disclosure risk for microdata",
        good_value="0; a large share means that the QIDs are too fine for the size of the table.",
        missing=QID_NULL,
        empty=EMPTY,
        single_class="0, or 1 in a table of one person.",
    ),
)
"""The share of persons who are alone in a class."""
