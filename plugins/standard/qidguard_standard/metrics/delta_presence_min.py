"""δ-presence, minimum: the smallest chance that a person of the population is in the table.

Example:
    >>> covered = {"classes_absent_from_population": 0, "classes_exceeding_population": 0}
    >>> DELTA_PRESENCE_MIN.method.compute({**covered, "smallest_presence": 0.25}, {})
    0.25
"""

from qidguard import (
    Arguments,
    Direction,
    Explanation,
    GroupBy,
    Metric,
    RowSource,
    Statistic,
    StatisticValues,
    Unit,
)
from qidguard_standard.metrics.class_statistics import CLASS_SIZE, figure
from qidguard_standard.metrics.coverage import COVERAGE, check_coverage
from qidguard_standard.metrics.wording import COVERED, EMPTY, QID_NULL

_PRESENCE = Statistic(
    name="smallest_presence", sql="min(1.0 * size / population_size)", source=RowSource.POPULATION
)


def _compute(values: StatisticValues, _: Arguments) -> float:
    check_coverage(values)
    return figure(values, _PRESENCE.name)


DELTA_PRESENCE_MIN = Metric(
    name="delta_presence_min",
    title="δ-presence (minimum)",
    unit=Unit.SHARE,
    minimum=0.0,
    maximum=1.0,
    direction=Direction.HIGHER_IS_SAFER,
    method=GroupBy(statistics=(*COVERAGE, _PRESENCE), compute=_compute, distribution=CLASS_SIZE),
    needs_population=True,
    # over records merging classes averages their shares; an entity in both is counted once and breaks that
    is_monotone=False,
    explanation=Explanation(
        meaning="How sure an attacker can be that someone of the population is not in the table: 0 "
        "means that for somebody absence is certain. It matters where absence is itself "
        "sensitive; many tables have a minimum of 0 by nature.",
        formula="δmin = min over the population table's classes of size/F, F the persons of the "
        "population in the class and size those of the table (0 where the class is absent from "
        "it)",
        source="Nergiz, Atzori & Clifton 2007, Hiding the presence of individuals from shared databases",
        good_value="No source sets a number for it: the limit is your own. Together with the maximum it says "
        "that presence is certain to lie in [δmin, δmax] for everyone.",
        missing=f"{QID_NULL} It matches NULL in the population table. {COVERED}",
        empty=EMPTY,
        single_class="Persons of the table / persons of the population, where the population has one class, "
        "too.",
    ),
)
"""The smallest share of a population class that is in the table."""
