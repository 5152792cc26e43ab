"""Statistics that several metrics share, under one name each so that one scan serves all."""

from qidguard import ClassValue, NotMeasurable, RowSource, Statistic, StatisticValues

CLASSES = Statistic(name="classes", sql="count(*)")
"""Number of equivalence classes."""

MEMBERSHIPS = Statistic(name="memberships", sql="sum(size)")
"""Sum of the class sizes: the persons, an entity counted once in each class that it appears in."""

PERSONS = Statistic(name="persons", sql="1", source=RowSource.PERSONS)
"""Persons of the table."""

SUMMED_SIZES = Statistic(name="summed_smallest_sizes", sql="size", source=RowSource.PERSONS)
"""Sum over persons of the size of their smallest class."""

SUMMED_RISK = Statistic(name="summed_risk", sql="1.0 / size", source=RowSource.PERSONS)
"""Sum over persons of 1 / the size of their smallest class."""

CLASS_SIZE = ClassValue(name="class_size", sql="max(size)")
"""Persons in the class."""

# count(n) in place of count(*): it names a cell column, so it is a count of cells beyond doubt
DISTINCT_VALUES = ClassValue(name="distinct_values", sql="count(n)")
"""Distinct values of the attribute in the class."""


def figure(values: StatisticValues, name: str) -> int | float:
    """Return one statistic of a table that has records.

    Args:
        values: Statistic values by name.
        name: The statistic's name.

    Returns:
        The statistic's value.

    Units:
        Those of the statistic.

    Raises:
        NotMeasurable: When the value is None, which means that there were no rows to aggregate.

    Example:
        >>> figure({"classes": 3}, "classes")
        3
    """
    value = values[name]
    if value is None:
        raise NotMeasurable("The table has no records, so there is nothing to measure.")
    return value


def persons(values: StatisticValues) -> int | float:
    """Return the number of persons of a table that has some.

    Args:
        values: Statistic values with ``PERSONS`` among them.

    Returns:
        The number of persons, ≥ 1.

    Units:
        Persons.

    Raises:
        NotMeasurable: When the table has no records.

    Example:
        >>> persons({"persons": 8})
        8
    """
    count = figure(values, PERSONS.name)
    if count == 0:
        raise NotMeasurable("The table has no records, so there is nothing to measure.")
    return count
