"""Sample uniques: persons who share their QIDs with nobody in the table.

Example:
    >>> SAMPLE_UNIQUES.method.compute({"persons": 8, "uniques": 3}, {})
    3
"""

import math

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


def _compute(values: StatisticValues, _: Arguments) -> int | float:
    persons_of(values)
    return value_of(values, UNIQUES.name)


SAMPLE_UNIQUES = Metric(
    name="sample_uniques",
    title="sample uniques",
    unit=Unit.PERSONS,
    minimum=0,
    maximum=math.inf,
    direction=Direction.LOWER_IS_SAFER,
    is_whole=True,
    method=GroupBy(statistics=(PERSONS, UNIQUES), compute=_compute, distribution=CLASS_SIZE),
    # a class of one is made of classes of one, all of the same person
    is_monotone=True,
    explanation=Explanation(
        meaning="How many people are alone with their QIDs in the table. Whoever knows that such a "
        "person is in the table, and their QIDs, has found them. Without that knowledge it "
        "matters whether they are alone in the population, too: see the population uniqueness "
        "metrics.",
        formula="number of persons in a class of size 1; with an entity column an entity counts when "
        "any of its classes holds nobody else",
        source="Bethlehem, Keller & Pannekoek 1990, Disclosure control of microdata; Skinner & Elliot "
        "2002, A measure of disclosure risk for microdata",
        good_value="0; any other number is as many people exposed to somebody who knows them.",
        missing=QID_NULL,
        empty=EMPTY,
        single_class="0, or 1 in a table of one person.",
    ),
)
"""The number of persons who are alone in a class."""
