"""Statistics and class values that several metrics share, under one name each so that one scan serves all."""

from qidguard import ClassValue, NotMeasurable, RowSource, Statistic, StatisticValues

CLASSES = Statistic(name="classes", sql="count(*)")
"""Number of equivalence classes."""

SMALLEST_CLASS = Statistic(name="smallest_class", sql="min(size)")
"""Persons in the smallest class."""

MEMBERSHIPS = Statistic(name="memberships", sql="sum(size)")
"""Sum of the class sizes: the persons, an entity counted once in each class that it appears in."""

PERSONS = Statistic(name="persons", sql="1", source=RowSource.PERSONS)
"""Persons of the table."""

UNIQUES = Statistic(name="uniques", sql="CASE WHEN size = 1 THEN 1 ELSE 0 END", source=RowSource.PERSONS)
"""Persons who are alone in a class."""

CLASS_SIZE = ClassValue(name="class_size", sql="max(size)")
"""Persons in the class."""

# count(n) in place of count(*): it names a cell column, so it is a count of cells beyond doubt
DISTINCT_VALUES = ClassValue(name="distinct_values", sql="count(n)")
"""Distinct sensitive values in the class."""


def persons_below(size: int) -> Statistic:
    """Return the statistic that counts persons who appear in a class of fewer than ``size``.

    Args:
        size: Number of persons, ≥ 1.

    Returns:
        A statistic over persons, with the size in its name.

    Units:
        The size counts persons, and so does the statistic.

    Raises:
        ValueError: when ``size`` is no whole number.

    Example:
        >>> persons_below(5).name
        'persons_below_5'
    """
    return Statistic(
        name=f"persons_below_{int(size)}",
        sql=f"CASE WHEN size < {int(size)} THEN 1 ELSE 0 END",
        source=RowSource.PERSONS,
    )


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
        NotMeasurable: when the value is None, which means that there were no rows to aggregate.

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
        NotMeasurable: when the table has no records.

    Example:
        >>> persons({"persons": 8})
        8
    """
    count = figure(values, PERSONS.name)
    if count == 0:
        raise NotMeasurable("The table has no records, so there is nothing to measure.")
    return count
