"""Statistics: what an engine can say about the equivalence classes of a table in one group-by.

Three row sources stand behind every statistic, and each has named columns that SQL may use:

``classes``     one row a class: ``size`` (persons in it), ``population_size`` (persons of the population
                table with the same QIDs, where there is one), and every class value that is asked for.
``persons``     one row a person: ``size``, the size of the smallest class that person appears in. In a
                table without an entity column a person is a record.
``population``  one row a class of the population table: ``population_size`` and ``size`` (0 if absent).

A class value is itself an aggregate over the *cells* of a class, one row for each value of the sensitive
attribute in it: ``n`` (persons with the value), ``size``, ``total`` (sum of ``n`` over the class),
``share`` (n / total), ``table_n`` and ``table_share`` (the same over the whole table), ``table_values``
(number of values in the table), ``value`` (its code: 0 for NULL, then 1, 2, … in natural order) and
``number`` (the value itself where the column holds numbers, NULL where it is missing).

A suppressed value makes no cell, and a record whose QIDs are all suppressed stands in no class (see
``qidguard.core.view.Grouping``).

SQL is plain and portable: arithmetic, CASE, min, max, sum, count, ln, abs, and greatest and least (which skip
NULL, so write CASE where NULL matters). Sum fractions
with ``exact_sum``, so that a figure does not depend on the number of threads.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from qidguard.core.errors import NotMeasurable

Number = int | float
StatisticValues = Mapping[str, Number | None]
"""Statistic name → number; None where the row source is empty."""


_CLASS_COLUMNS = frozenset({"size", "population_size"})


class RowSource(StrEnum):
    """Which rows a statistic aggregates."""

    CLASSES = "classes"
    PERSONS = "persons"
    POPULATION = "population"


@dataclass(frozen=True, kw_only=True)
class ClassValue:
    """One number for each equivalence class: an SQL aggregate over the class's cells.

    Args:
        name: A plain identifier by which statistics refer to it.
        sql: An aggregate over the cell columns, e.g. ``"count(*)"`` or ``"max(n)"``.
    """

    name: str
    sql: str

    def __post_init__(self) -> None:
        _check_name(self.name)
        if self.name.lower() in _CLASS_COLUMNS:
            raise ValueError(f"class value {self.name!r} would hide a column that every class has")


@dataclass(frozen=True, kw_only=True)
class Statistic:
    """One number for a table and a set of QIDs.

    Args:
        name: Identifies the number in the answer. Say the parameters in it: ``persons_below_5``.
        sql: Over ``classes`` or ``population``: an aggregate such as ``"min(size)"``. Over ``persons``: a
            plain expression of ``size``, which the engine sums over all persons, such as ``"1.0 / size"``.
        source: The rows it is taken over.
        values: The class values that ``sql`` mentions.
    """

    name: str
    sql: str
    source: RowSource = RowSource.CLASSES
    values: tuple[ClassValue, ...] = ()

    def __post_init__(self) -> None:
        _check_name(self.name)
        if self.values and self.source is not RowSource.CLASSES:
            raise ValueError(f"statistic {self.name}: class values exist only over classes")

    @property
    def needs_population(self) -> bool:
        """Whether it can only be taken where a population table was given."""
        return self.source is RowSource.POPULATION or "population_size" in self.sql


def _check_name(name: str) -> None:
    if not (name.isidentifier() and name.isascii()):
        raise ValueError(f"{name!r} is not a plain identifier")


def exact_sum(sql: str) -> str:
    """Return the SQL of a sum whose last digits do not depend on the order in which rows come.

    Floating-point sums differ with the number of threads; decimals of 18 places add up exactly, so evidence
    is the same on every run.

    Args:
        sql: An expression over the rows, its sum below 10^20 in absolute value.

    Returns:
        An aggregate, correct to 10^-18 a row.

    Units:
        Those of the expression.

    Raises:
        ValueError: When there is no expression.

    Example:
        >>> exact_sum("1.0 / size")
        'sum(CAST(1.0 / size AS DECIMAL(38, 18)))'
    """
    if not sql.strip():
        raise ValueError("a sum needs an expression")
    return f"sum(CAST({sql} AS DECIMAL(38, 18)))"


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

SUMMED_RISK = Statistic(name="summed_risk", sql="1.0 / size", source=RowSource.PERSONS)
"""Sum over persons of 1 / the size of their smallest class."""

CLASS_SIZE = ClassValue(name="class_size", sql="max(size)")
"""Persons in the class."""

# count(n) in place of count(*): it names a cell column, so it is a count of cells beyond doubt
DISTINCT_VALUES = ClassValue(name="distinct_values", sql="count(n)")
"""Distinct values of the attribute in the class."""


def persons_below(k: int) -> Statistic:
    """Return the statistic that counts persons who appear in a class of fewer than ``k`` persons.

    Example:
        >>> persons_below(5).sql
        'CASE WHEN size < 5 THEN 1 ELSE 0 END'
    """
    return Statistic(
        name=f"persons_below_{int(k)}",
        sql=f"CASE WHEN size < {int(k)} THEN 1 ELSE 0 END",
        source=RowSource.PERSONS,
    )


def value_of(values: StatisticValues, name: str) -> Number:
    """Return one statistic of a table that has records; NotMeasurable where there was nothing to aggregate.

    Example:
        >>> value_of({"classes": 3}, "classes")
        3
    """
    value = values[name]
    if value is None:
        raise NotMeasurable("The table has no records, so there is nothing to measure.")
    return value


def persons_of(values: StatisticValues) -> Number:
    """Return the number of persons, ≥ 1, where ``PERSONS`` is among the values; NotMeasurable for none.

    Example:
        >>> persons_of({"persons": 8})
        8
    """
    count = value_of(values, PERSONS.name)
    if count == 0:
        raise NotMeasurable("The table has no records, so there is nothing to measure.")
    return count
