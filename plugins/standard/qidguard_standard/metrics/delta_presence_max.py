"""δ-presence, maximum: the largest chance that a person of the population is in the table.

Example:
    >>> covered = {"classes_absent_from_population": 0, "classes_exceeding_population": 0}
    >>> DELTA_PRESENCE_MAX.method.compute({**covered, "largest_presence": 0.25}, {})
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
    name="largest_presence", sql="max(1.0 * size / population_size)", source=RowSource.POPULATION
)


def _compute(values: StatisticValues, _: Arguments) -> float:
    check_coverage(values)
    return figure(values, _PRESENCE.name)


DELTA_PRESENCE_MAX = Metric(
    name="delta_presence_max",
    title="δ-presence (maximum)",
    unit=Unit.SHARE,
    minimum=0.0,
    maximum=1.0,
    direction=Direction.LOWER_IS_SAFER,
    method=GroupBy(statistics=(*COVERAGE, _PRESENCE), compute=_compute, distribution=CLASS_SIZE),
    needs_population=True,
    # over records merging classes averages their shares; an entity in both is counted once and breaks that
    is_monotone=False,
    explanation=Explanation(
        meaning="How sure an attacker can be that someone of the population is in the table, where the "
        "person is most exposed. It matters where being in the table is itself sensitive, as in "
        "a table of patients with one disease.",
        formula="δmax = max over the population table's classes of size/F, F the persons of the "
        "population in the class and size those of the table (0 where the class is absent from "
        "it)",
        source="Nergiz, Atzori & Clifton 2007, Hiding the presence of individuals from shared databases",
        good_value="No source sets a number for it: the limit is your own. 1 means that for somebody it is "
        "certain.",
        missing=f"{QID_NULL} It matches NULL in the population table. {COVERED}",
        empty=EMPTY,
        single_class="Persons of the table / persons of the population, where the population has one class, "
        "too.",
    ),
)
"""The largest share of a population class that is in the table."""
