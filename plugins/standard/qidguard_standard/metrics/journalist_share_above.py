"""Journalist risk, share above a threshold: which part of the people is exposed more than τ, by population.

Example:
    >>> covered = {"classes_absent_from_population": 0, "classes_exceeding_population": 0}
    >>> found = {**covered, "persons": 40, "persons_of_population_below_20": 10}
    >>> JOURNALIST_SHARE_ABOVE.method.compute(found, {"threshold": 0.05})
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
    persons_of,
    value_of,
)
from qidguard_standard.metrics.coverage import COVERAGE, check_coverage
from qidguard_standard.metrics.risk_threshold import THRESHOLD, smallest_size_at
from qidguard_standard.metrics.wording import COVERED, EMPTY, QID_NULL


def _at_risk(arguments: Arguments) -> Statistic:
    limit = smallest_size_at(arguments["threshold"])
    return Statistic(
        name=f"persons_of_population_below_{limit}",
        sql=f"sum(CASE WHEN population_size < {limit} THEN size ELSE 0 END)",
    )


def _statistics(arguments: Arguments) -> tuple[Statistic, ...]:
    return (*COVERAGE, PERSONS, _at_risk(arguments))


def _compute(values: StatisticValues, arguments: Arguments) -> float:
    check_coverage(values)
    return min(1.0, value_of(values, _at_risk(arguments).name) / persons_of(values))


JOURNALIST_SHARE_ABOVE = Metric(
    name="journalist_share_above",
    title="journalist risk (share above threshold)",
    unit=Unit.SHARE,
    minimum=0.0,
    maximum=1.0,
    direction=Direction.LOWER_IS_SAFER,
    method=GroupBy(statistics=_statistics, compute=_compute, distribution=CLASS_SIZE),
    parameters=(THRESHOLD,),
    needs_population=True,
    # a class at risk is made of classes at risk that hold no fewer persons together
    is_monotone=True,
    explanation=Explanation(
        meaning="Which part of the people has a chance above τ to be found by an attacker who knows the "
        "population but not who of it is in the table.",
        formula="persons with 1/F > τ, strictly, / persons, F the persons of the population table in "
        "the class; compared in whole numbers, F < ⌈1/τ⌉. With an entity column an entity "
        "counts in each class at risk, and the share stops at 1: an upper bound.",
        source="El Emam & Dankar 2008, Protecting privacy using k-anonymity; IHE De-Identification Handbook, "
        "R_a",
        good_value="0 for public release at τ = 0.05 to 0.1. The default τ = 0.05 is the strictest of the "
        "thresholds in common use.",
        missing=f"{QID_NULL} It matches NULL in the population table. {COVERED}",
        empty=EMPTY,
        single_class="0 where the population has at least 1/τ persons in that class, else 1.",
    ),
)
"""The share of persons whose risk 1/population size is above a threshold."""
