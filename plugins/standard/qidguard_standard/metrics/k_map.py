"""k-map: everyone in the table looks like at least k persons of the population.

Example:
    >>> covered = {"classes_absent_from_population": 0, "classes_exceeding_population": 0}
    >>> K_MAP.method.compute({**covered, "smallest_population_class": 4}, {})
    4
"""

import math

from qidguard.sdk import (
    CLASS_SIZE,
    Arguments,
    Direction,
    Explanation,
    GroupBy,
    Metric,
    Statistic,
    StatisticValues,
    Unit,
    value_of,
)
from qidguard_standard.metrics.coverage import COVERAGE, check_coverage
from qidguard_standard.metrics.wording import COVERED, EMPTY, QID_NULL

SMALLEST_POPULATION_CLASS = Statistic(name="smallest_population_class", sql="min(population_size)")
"""Persons of the population in the smallest of the table's classes."""


def _compute(values: StatisticValues, _: Arguments) -> int | float:
    check_coverage(values)
    return value_of(values, SMALLEST_POPULATION_CLASS.name)


K_MAP = Metric(
    name="k_map",
    title="k-map",
    unit=Unit.PERSONS,
    minimum=1,
    maximum=math.inf,
    direction=Direction.HIGHER_IS_SAFER,
    is_whole=True,
    method=GroupBy(
        statistics=(*COVERAGE, SMALLEST_POPULATION_CLASS), compute=_compute, distribution=CLASS_SIZE
    ),
    needs_population=True,
    # merging classes unites their population, too
    is_monotone=True,
    explanation=Explanation(
        meaning="Every record of the table could belong to at least k people of the population. It relies on "
        "the attacker not knowing who is in the table; where that may be known, use k_anonymity.",
        formula="min over the table's classes of F, the persons of the population table in the class",
        source="Sweeney 2002, Achieving k-anonymity privacy protection using generalization and suppression; "
        "El Emam & Dankar 2008, Protecting privacy using k-anonymity",
        good_value="As for k-anonymity: 5 is usual, 11 for public clinical reports, 20 for a risk of 0.05. "
        "Some statistical offices ask for hundreds or thousands.",
        missing=f"{QID_NULL} It matches NULL in the population table. {COVERED}",
        empty=EMPTY,
        single_class="The persons of the population in that class.",
    ),
)
"""The smallest population class behind a class of the table."""
