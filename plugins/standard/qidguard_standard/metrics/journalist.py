"""The risk against a population table: who is in it, and who of it is in the table.

Whether the population table covers the table, as every measure against a population presumes.

k-map: everyone in the table looks like at least k persons of the population.

Journalist risk, maximum: the chance to be right about the most exposed person, against the population.

Journalist risk, average: the chance to be right in the mean over all persons, against the population.

Journalist risk, share above a threshold: which part of the people is exposed more than τ, by population.

δ-presence: the chance that a person of the population is in the table, at its largest and smallest.

Example:
    >>> covered = {"classes_absent_from_population": 0, "classes_exceeding_population": 0}
    >>> K_MAP.method.compute({**covered, "smallest_population_class": 4}, {})
    4
    >>> JOURNALIST_RISK_MAX.method.compute({**covered, "smallest_population_class": 4}, {})
    0.25
    >>> JOURNALIST_RISK_AVERAGE.method.compute({**covered, "persons": 8, "population_risk": 2.0}, {})
    0.25
    >>> found = {**covered, "persons": 40, "persons_of_population_below_20": 10}
    >>> JOURNALIST_SHARE_ABOVE.method.compute(found, {"threshold": 0.05})
    0.25
    >>> DELTA_PRESENCE_MAX.method.compute({**covered, "largest_presence": 0.25}, {})
    0.25
"""

from collections.abc import Callable

from qidguard.sdk import (
    CLASS_SIZE,
    PERSONS,
    Arguments,
    Direction,
    Explanation,
    GroupBy,
    Metric,
    NotMeasurable,
    RowSource,
    Statistic,
    StatisticValues,
    Unit,
    exact_sum,
    persons_of,
    value_of,
)
from qidguard_standard.metrics.prosecutor import THRESHOLD, smallest_size_at
from qidguard_standard.metrics.wording import (
    COVERED,
    EMPTY,
    PERSONS_HIGHER,
    QID_NULL,
    SHARE_LOWER,
    MetricEdges,
    scale,
)

ABSENT = Statistic(
    name="classes_absent_from_population", sql="sum(CASE WHEN population_size > 0 THEN 0 ELSE 1 END)"
)
"""Classes with nobody in the population table."""

EXCEEDING = Statistic(
    name="classes_exceeding_population",
    sql="sum(CASE WHEN population_size > 0 AND population_size < size THEN 1 ELSE 0 END)",
)
"""Classes that are larger than in the population table."""

COVERAGE = (ABSENT, EXCEEDING)
"""What ``check_coverage`` looks at."""


_BY_POPULATION: MetricEdges = {
    "missing": f"{QID_NULL} It matches NULL in the population table. {COVERED}",
    "empty": EMPTY,
}


def check_coverage(values: StatisticValues) -> None:
    """Refuse to measure against a population that does not contain the table."""
    absent = value_of(values, ABSENT.name)
    exceeding = value_of(values, EXCEEDING.name)
    found = [f"{absent} are absent from it"] if absent else []
    found += [f"{exceeding} are larger than in it"] if exceeding else []
    if found:
        raise NotMeasurable(
            f"The population table must contain every class of the table, but {' and '.join(found)}; "
            "give the population that the table was drawn from, with its QIDs coded alike."
        )


def _covered(*statistics: Statistic, compute: Callable[[StatisticValues], int | float]) -> GroupBy:
    """Return a figure of statistics that is taken only where the population covers the table."""

    def checked(values: StatisticValues, _: Arguments) -> int | float:
        check_coverage(values)
        return compute(values)

    return GroupBy(statistics=(*COVERAGE, *statistics), compute=checked, distribution=CLASS_SIZE)


SMALLEST_POPULATION_CLASS = Statistic(name="smallest_population_class", sql="min(population_size)")
"""Persons of the population in the smallest of the table's classes."""


def _smallest(values: StatisticValues) -> int | float:
    return value_of(values, SMALLEST_POPULATION_CLASS.name)


K_MAP = Metric(
    name="k_map",
    title="k-map",
    **PERSONS_HIGHER,
    is_whole=True,
    method=_covered(SMALLEST_POPULATION_CLASS, compute=_smallest),
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
        **_BY_POPULATION,
        single_class="The persons of the population in that class.",
    ),
)


JOURNALIST_RISK_MAX = Metric(
    name="journalist_risk_max",
    title="journalist risk (maximum)",
    **SHARE_LOWER,
    method=_covered(SMALLEST_POPULATION_CLASS, compute=lambda values: 1 / _smallest(values)),
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
        **_BY_POPULATION,
        single_class="1 / persons of the population in that class.",
    ),
)


_POPULATION_RISK = Statistic(
    name="population_risk",
    # the guard keeps engines that raise on division by zero from failing where a class is absent
    sql=exact_sum("CASE WHEN population_size > 0 THEN 1.0 * size / population_size ELSE size END"),
)


def _journalist_risk_average(values: StatisticValues) -> float:
    return min(1.0, value_of(values, _POPULATION_RISK.name) / persons_of(values))


JOURNALIST_RISK_AVERAGE = Metric(
    name="journalist_risk_average",
    title="journalist risk (average)",
    **SHARE_LOWER,
    method=_covered(PERSONS, _POPULATION_RISK, compute=_journalist_risk_average),
    needs_population=True,
    # merging classes unites their population, too, and never adds to the persons
    is_monotone=True,
    explanation=Explanation(
        meaning="The chance that an attacker is right who knows the population but not who of it is in the "
        "table: in the mean over all people. It is also the marketer risk of a sample.",
        formula="(1/persons) · Σ over the table's classes of size/F, F the persons of the population table "
        "in the class. With an entity column an entity in several classes adds the risk of each, and the sum "
        "stops at 1: an upper bound, never below the mean of each entity's largest risk.",
        source="El Emam & Dankar 2008, Protecting privacy using k-anonymity; Dankar & El Emam 2010, A method "
        "for evaluating marketer re-identification risk; IHE De-Identification Handbook, R_c",
        good_value="At most 0.1, 0.075 or 0.05 for controlled sharing by low, medium or high impact, with "
        "safeguards for outliers (IHE, after ISO/IEC 27559:2022).",
        **_BY_POPULATION,
        single_class="1 / persons of the population in that class.",
    ),
)


def _at_risk(arguments: Arguments) -> Statistic:
    limit = smallest_size_at(arguments["threshold"])
    return Statistic(
        name=f"persons_of_population_below_{limit}",
        sql=f"sum(CASE WHEN population_size < {limit} THEN size ELSE 0 END)",
    )


def _statistics(arguments: Arguments) -> tuple[Statistic, ...]:
    return (*COVERAGE, PERSONS, _at_risk(arguments))


def _journalist_share_above(values: StatisticValues, arguments: Arguments) -> float:
    check_coverage(values)
    return min(1.0, value_of(values, _at_risk(arguments).name) / persons_of(values))


JOURNALIST_SHARE_ABOVE = Metric(
    name="journalist_share_above",
    title="journalist risk (share above threshold)",
    **SHARE_LOWER,
    method=GroupBy(statistics=_statistics, compute=_journalist_share_above, distribution=CLASS_SIZE),
    parameters=(THRESHOLD,),
    needs_population=True,
    # a class at risk is made of classes at risk that hold no fewer persons together
    is_monotone=True,
    explanation=Explanation(
        meaning="Which part of the people has a chance above τ to be found by an attacker who knows the "
        "population but not who of it is in the table.",
        formula="persons with 1/F > τ, strictly, / persons, F the persons of the population table in the "
        "class; compared in whole numbers, F < ⌈1/τ⌉. With an entity column an entity counts in each class "
        "at risk, and the share stops at 1: an upper bound.",
        source="El Emam & Dankar 2008, Protecting privacy using k-anonymity; IHE De-Identification Handbook, "
        "R_a",
        good_value="0 for public release at τ = 0.05 to 0.1. The default τ = 0.05 is the strictest of the "
        "thresholds in common use.",
        **_BY_POPULATION,
        single_class="0 where the population has at least 1/τ persons in that class, else 1.",
    ),
)


_SOURCE = "Nergiz, Atzori & Clifton 2007, Hiding the presence of individuals from shared databases"
_FORMULA = (
    "over the population table's classes of size/F, F the persons of the population in the class and size"
    " those of the table (0 where the class is absent from it)"
)
_SINGLE_CLASS = "Persons of the table / persons of the population, where the population has one class, too."


def _presence(end: str, aggregate: str) -> GroupBy:
    """Return how one end of the interval comes out of the population's classes."""
    statistic = Statistic(
        name=f"{end}_presence",
        sql=f"{aggregate}(1.0 * size / population_size)",
        source=RowSource.POPULATION,
    )
    return _covered(statistic, compute=lambda values: value_of(values, statistic.name))


# over records merging classes averages their shares; an entity in both is counted once and breaks that:
# neither end is monotone
DELTA_PRESENCE_MAX = Metric(
    name="delta_presence_max",
    title="δ-presence (maximum)",
    **SHARE_LOWER,
    method=_presence("largest", "max"),
    needs_population=True,
    explanation=Explanation(
        meaning="How sure an attacker can be that someone of the population is in the table, where the "
        "person is most exposed. It matters where being in the table is itself sensitive, as in a table of "
        "patients with one disease.",
        formula=f"δmax = max {_FORMULA}",
        source=_SOURCE,
        good_value="No source sets a number for it: the limit is your own. 1 means that for somebody it is "
        "certain.",
        **_BY_POPULATION,
        single_class=_SINGLE_CLASS,
    ),
)

DELTA_PRESENCE_MIN = Metric(
    name="delta_presence_min",
    title="δ-presence (minimum)",
    **scale(Unit.SHARE, 0.0, 1.0, Direction.HIGHER_IS_SAFER),
    method=_presence("smallest", "min"),
    needs_population=True,
    explanation=Explanation(
        meaning="How sure an attacker can be that someone of the population is not in the table: 0 means "
        "that for somebody absence is certain. It matters where absence is itself sensitive; many tables "
        "have a minimum of 0 by nature.",
        formula=f"δmin = min {_FORMULA}",
        source=_SOURCE,
        good_value="No source sets a number for it: the limit is your own. Together with the maximum it says "
        "that presence is certain to lie in [δmin, δmax] for everyone.",
        **_BY_POPULATION,
        single_class=_SINGLE_CLASS,
    ),
)

METRICS: tuple[Metric, ...] = (
    K_MAP,
    JOURNALIST_RISK_MAX,
    JOURNALIST_RISK_AVERAGE,
    JOURNALIST_SHARE_ABOVE,
    DELTA_PRESENCE_MAX,
    DELTA_PRESENCE_MIN,
)
