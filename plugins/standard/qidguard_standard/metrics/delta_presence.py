"""δ-presence: the chance that a person of the population is in the table, at its largest and smallest.

Example:
    >>> covered = {"classes_absent_from_population": 0, "classes_exceeding_population": 0}
    >>> DELTA_PRESENCE_MAX.method.compute({**covered, "largest_presence": 0.25}, {})
    0.25
"""

from qidguard.sdk import (
    CLASS_SIZE,
    Arguments,
    Direction,
    Explanation,
    GroupBy,
    Metric,
    RowSource,
    Statistic,
    StatisticValues,
    Unit,
    value_of,
)
from qidguard_standard.metrics.coverage import COVERAGE, check_coverage
from qidguard_standard.metrics.wording import COVERED, EMPTY, QID_NULL

_SOURCE = "Nergiz, Atzori & Clifton 2007, Hiding the presence of individuals from shared databases"
_FORMULA = (
    "over the population table's classes of size/F, F the persons of the population in the class and size"
    " those of the table (0 where the class is absent from it)"
)
_MISSING = f"{QID_NULL} It matches NULL in the population table. {COVERED}"
_SINGLE_CLASS = "Persons of the table / persons of the population, where the population has one class, too."


def _presence(end: str, aggregate: str) -> GroupBy:
    """Return how one end of the interval comes out of the population's classes."""
    statistic = Statistic(
        name=f"{end}_presence",
        sql=f"{aggregate}(1.0 * size / population_size)",
        source=RowSource.POPULATION,
    )

    def compute(values: StatisticValues, _: Arguments) -> float:
        check_coverage(values)
        return value_of(values, statistic.name)

    return GroupBy(statistics=(*COVERAGE, statistic), compute=compute, distribution=CLASS_SIZE)


# over records merging classes averages their shares; an entity in both is counted once and breaks that:
# neither end is monotone
DELTA_PRESENCE_MAX = Metric(
    name="delta_presence_max",
    title="δ-presence (maximum)",
    unit=Unit.SHARE,
    minimum=0.0,
    maximum=1.0,
    direction=Direction.LOWER_IS_SAFER,
    method=_presence("largest", "max"),
    needs_population=True,
    is_monotone=False,
    explanation=Explanation(
        meaning="How sure an attacker can be that someone of the population is in the table, where the "
        "person is most exposed. It matters where being in the table is itself sensitive, as in "
        "a table of patients with one disease.",
        formula=f"δmax = max {_FORMULA}",
        source=_SOURCE,
        good_value="No source sets a number for it: the limit is your own. 1 means that for somebody it is "
        "certain.",
        missing=_MISSING,
        empty=EMPTY,
        single_class=_SINGLE_CLASS,
    ),
)
"""The largest share of a population class that is in the table."""

DELTA_PRESENCE_MIN = Metric(
    name="delta_presence_min",
    title="δ-presence (minimum)",
    unit=Unit.SHARE,
    minimum=0.0,
    maximum=1.0,
    direction=Direction.HIGHER_IS_SAFER,
    method=_presence("smallest", "min"),
    needs_population=True,
    is_monotone=False,
    explanation=Explanation(
        meaning="How sure an attacker can be that someone of the population is not in the table: 0 "
        "means that for somebody absence is certain. It matters where absence is itself "
        "sensitive; many tables have a minimum of 0 by nature.",
        formula=f"δmin = min {_FORMULA}",
        source=_SOURCE,
        good_value="No source sets a number for it: the limit is your own. Together with the maximum it says "
        "that presence is certain to lie in [δmin, δmax] for everyone.",
        missing=_MISSING,
        empty=EMPTY,
        single_class=_SINGLE_CLASS,
    ),
)
"""The smallest share of a population class that is in the table."""
