"""Journalist risk, maximum: the chance to be right about the most exposed person, against the population.

Example:
    >>> covered = {"classes_absent_from_population": 0, "classes_exceeding_population": 0}
    >>> JOURNALIST_RISK_MAX.method.compute({**covered, "smallest_population_class": 4}, {})
    0.25
"""

from qidguard.sdk import (
    CLASS_SIZE,
    Arguments,
    Direction,
    Explanation,
    GroupBy,
    Metric,
    StatisticValues,
    Unit,
    value_of,
)
from qidguard_standard.metrics.coverage import COVERAGE, check_coverage
from qidguard_standard.metrics.k_map import SMALLEST_POPULATION_CLASS
from qidguard_standard.metrics.wording import COVERED, EMPTY, QID_NULL


def _compute(values: StatisticValues, _: Arguments) -> float:
    check_coverage(values)
    return 1 / value_of(values, SMALLEST_POPULATION_CLASS.name)


JOURNALIST_RISK_MAX = Metric(
    name="journalist_risk_max",
    title="journalist risk (maximum)",
    unit=Unit.SHARE,
    minimum=0.0,
    maximum=1.0,
    direction=Direction.LOWER_IS_SAFER,
    method=GroupBy(
        statistics=(*COVERAGE, SMALLEST_POPULATION_CLASS), compute=_compute, distribution=CLASS_SIZE
    ),
    needs_population=True,
    # merging classes unites their population, too
    is_monotone=True,
    explanation=Explanation(
        meaning="The chance that an attacker is right who knows the population but not who of it is in the "
        "table: for the most exposed person.",
        formula="max over the table's classes of 1/F, F the persons of the population table in the class",
        source="El Emam & Dankar 2008, Protecting privacy using k-anonymity",
        good_value="At most 0.1, 0.075 or 0.05 for public release by low, medium or high impact (IHE, after "
        "ISO/IEC 27559:2022).",
        missing=f"{QID_NULL} It matches NULL in the population table. {COVERED}",
        empty=EMPTY,
        single_class="1 / persons of the population in that class.",
    ),
)
"""One divided by the smallest population class behind a class of the table."""
