"""Journalist risk, average: the chance to be right in the mean over all persons, against the population.

Example:
    >>> covered = {"classes_absent_from_population": 0, "classes_exceeding_population": 0}
    >>> JOURNALIST_RISK_AVERAGE.method.compute({**covered, "persons": 8, "population_risk": 2.0}, {})
    0.25
"""

from qidguard.sdk import (
    CLASS_SIZE,
    PERSONS,
    Arguments,
    Direction,
    Explanation,
    GroupBy,
    Metric,
    Statistic,
    StatisticValues,
    Unit,
    exact_sum,
    persons_of,
    value_of,
)
from qidguard_standard.metrics.coverage import COVERAGE, check_coverage
from qidguard_standard.metrics.wording import COVERED, EMPTY, QID_NULL

_POPULATION_RISK = Statistic(
    name="population_risk",
    # the guard keeps engines that raise on division by zero from failing where a class is absent
    sql=exact_sum("CASE WHEN population_size > 0 THEN 1.0 * size / population_size ELSE size END"),
)


def _compute(values: StatisticValues, _: Arguments) -> float:
    check_coverage(values)
    return min(1.0, value_of(values, _POPULATION_RISK.name) / persons_of(values))


JOURNALIST_RISK_AVERAGE = Metric(
    name="journalist_risk_average",
    title="journalist risk (average)",
    unit=Unit.SHARE,
    minimum=0.0,
    maximum=1.0,
    direction=Direction.LOWER_IS_SAFER,
    method=GroupBy(
        statistics=(*COVERAGE, PERSONS, _POPULATION_RISK), compute=_compute, distribution=CLASS_SIZE
    ),
    needs_population=True,
    # merging classes unites their population, too, and never adds to the persons
    is_monotone=True,
    explanation=Explanation(
        meaning="The chance that an attacker is right who knows the population but not who of it is in the "
        "table: in the mean over all people. It is also the marketer risk of a sample.",
        formula="(1/persons) · Σ over the table's classes of size/F, F the persons of the population "
        "table in the class. With an entity column an entity in several classes adds the risk "
        "of each, and the sum stops at 1: an upper bound, never below the mean of each entity's "
        "largest risk.",
        source="El Emam & Dankar 2008, Protecting privacy using k-anonymity; Dankar & El Emam 2010, A method "
        "for evaluating marketer re-identification risk; IHE De-Identification Handbook, R_c",
        good_value="At most 0.1, 0.075 or 0.05 for controlled sharing by low, medium or high impact, with "
        "safeguards for outliers (IHE, after ISO/IEC 27559:2022).",
        missing=f"{QID_NULL} It matches NULL in the population table. {COVERED}",
        empty=EMPTY,
        single_class="1 / persons of the population in that class.",
    ),
)
"""The mean over persons of one divided by the population class size."""
