"""Whether the population table covers the table, as every measure against a population presumes."""

from qidguard.sdk import NotMeasurable, Statistic, StatisticValues, value_of

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
