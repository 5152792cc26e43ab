"""Algorithm 1, lines 2–26: g-distinct and the re-identification risk of every column, in one pass."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from qidguard.sdk import (
    CLASSES,
    MEMBERSHIPS,
    PERSONS,
    SUMMED_RISK,
    ClassSizes,
    EngineSettings,
    Grouping,
    Needs,
    NotMeasurable,
    Preprocessing,
    ReadOptions,
    UserError,
    open_table,
    value_of,
)

AS_READ = Preprocessing()
NOTHING: Mapping[str, Preprocessing] = MappingProxyType({})
PERCENT = 100


@dataclass(frozen=True, kw_only=True)
class AttributeRisk:
    """The re-identification risk of one column, from the sizes of its classes (Mansour et al. 2021).

    Args:
        class_sizes: How many classes, and persons, there are of each size. NULL is a value, and so is a text
            such as ``?`` unless the column was prepared otherwise.

    Example:
        >>> sizes = ClassSizes(column="age", sizes=(1, 3), classes=(1, 2), persons=(1, 6))
        >>> age = AttributeRisk(class_sizes=sizes)
        >>> age.persons, age.classes, round(age.risk, 4), round(age.risk_percent, 2)
        (7, 3, 0.4286, 42.86)
    """

    class_sizes: ClassSizes

    def __post_init__(self) -> None:
        if not self.persons:
            raise NotMeasurable(f"column {self.column!r} has no records, so there is no risk to measure")

    @property
    def column(self) -> str:
        """The column's name."""
        return self.class_sizes.column

    @property
    def persons(self) -> int:
        """Number of persons, ≥ 1: entities where there is an entity column, else records."""
        return self.class_sizes.person_count

    @property
    def classes(self) -> int:
        """Number of classes, ≥ 1: the distinct values, NULL among them."""
        return self.class_sizes.class_count

    @property
    def risk(self) -> float:
        """The mean over persons of 1 / the size of their smallest class, a share above 0 and at most 1.

        Where nobody is in two classes (always so for records) it is classes / persons, and the same figure as
        the metric ``prosecutor_risk_average`` of this column.
        """
        found = self.class_sizes
        if self._is_apart:
            return self.classes / self.persons
        return math.fsum(n / size for size, n in zip(found.sizes, found.persons, strict=True)) / self.persons

    @property
    def risk_percent(self) -> float:
        """The risk in percent, above 0 and at most 100; thresholds are compared with this, unrounded."""
        return PERCENT * self.classes / self.persons if self._is_apart else PERCENT * self.risk

    @property
    def _is_apart(self) -> bool:
        """Whether nobody is in two classes."""
        found = self.class_sizes
        return (
            sum(size * classes for size, classes in zip(found.sizes, found.classes, strict=True))
            == self.persons
        )

    def distinct_persons(self, g: int) -> int:
        """Return h(g) = Σ i·f(i) for i = 1 … g: the persons in classes of at most ``g`` (equation 1).

        It is the metric ``persons_below_k`` of this column with k = g + 1.

        Args:
            g: Class size in persons, ≥ 1.

        Returns:
            Persons, 0 to all of them; an entity counts once, by its smallest class.

        Raises:
            UserError: When ``g`` is no whole number of at least 1.

        Example:
            >>> sizes = ClassSizes(column="age", sizes=(1, 3), classes=(1, 2), persons=(1, 6))
            >>> [AttributeRisk(class_sizes=sizes).distinct_persons(g) for g in (1, 2, 3)]
            [1, 1, 7]
        """
        given: object = g
        if isinstance(given, bool) or not isinstance(given, int) or given < 1:
            raise UserError(f"g must be a whole number of at least 1, not {g!r}")
        found = self.class_sizes
        return sum(n for size, n in zip(found.sizes, found.persons, strict=True) if size <= g)

    def g_distinct(self, g: int = 1) -> float:
        """Return the share of the persons whom at most ``g`` − 1 others resemble: classes of at most ``g``.

        It is the metric ``share_below_k`` of this column with k = g + 1; with g = 1 it is the uniqueness.

        Args:
            g: Class size in persons, ≥ 1.

        Returns:
            A share, 0..1.

        Raises:
            UserError: When ``g`` is no whole number of at least 1.

        Example:
            >>> sizes = ClassSizes(column="age", sizes=(1, 3), classes=(1, 2), persons=(1, 6))
            >>> AttributeRisk(class_sizes=sizes).g_distinct(2) == 1 / 7
            True
        """
        return self.distinct_persons(g) / self.persons

    def expected(self, cells: int) -> float:
        """Return the risk that ``cells`` equally likely values would give, beside the measured one.

        Equation 2 with j = 1, see ``expected_risk``. A share, above 0 and at most 1. Real values are not
        uniform: over all values that a column may have, the measured risk lies below the expected one.
        """
        return expected_risk(self.persons, cells)


def expected_risk(persons: int, cells: int, *, found: int = 1) -> float:
    """Return the mean risk to expect where persons fall into cells independently, every cell being as likely.

    R = (j/n) · b^(1−n) · (bⁿ − (b−1)ⁿ), which is j/n times the expected number of cells that are not empty,
    b · (1 − (1 − 1/b)ⁿ) (Mansour et al. 2021, equation 2, after Benitez & Malin 2010). It is computed from
    logarithms, so that neither power overflows. Real values are not uniform: fewer cells are met, so the
    measured risk lies below the expected one wherever all b cells are counted.

    Args:
        persons: n, the number of persons, ≥ 1.
        cells: b, the number of cells that a person may fall into, ≥ 1: the values that a column may have, or
            the product of them for a set of columns.
        found: j, how many persons of each cell are counted as found, ≥ 1; the risk of an attribute has 1.

    Returns:
        A share: above 0, and at most 1 for ``found=1``. With more it is no probability: in a cell of fewer
        than j persons the formula counts j, so it may exceed 1.

    Raises:
        UserError: When an argument is no whole number of at least 1.

    Example:
        >>> expected_risk(2, 2)
        0.75
        >>> round(expected_risk(10**9, 10**12), 6)
        0.9995
    """
    given: dict[str, object] = {"persons": persons, "cells": cells, "found": found}
    for name, number in given.items():
        if isinstance(number, bool) or not isinstance(number, int) or number < 1:
            raise UserError(f"{name} must be a whole number of at least 1, not {number!r}")
    if cells == 1:
        return found / persons
    return -found * cells * math.expm1(persons * math.log1p(-1 / cells)) / persons


def attribute_risks(
    source: Any,
    columns: Iterable[str] | None = None,
    *,
    entity: str | None = None,
    preprocessing: Mapping[str, Preprocessing] = NOTHING,
    read: ReadOptions | None = None,
    settings: EngineSettings | None = None,
) -> tuple[AttributeRisk, ...]:
    """Return the re-identification risk of every column, each grouped once.

    Args:
        source: An opened table, or whatever ``qidguard.audit`` takes. It is never changed.
        columns: The columns; None takes all but the entity.
        entity: The column whose values are the persons, where a person has several records. An opened table
            has its own.
        preprocessing: Column → what of its values is one value before classes are counted; by default
            nothing.
        read: How the source is read.
        settings: Memory limit and threads.

    Returns:
        One risk a column, in the order in which they were named, else in the table's.

    Raises:
        UserError: When a column does not exist or is named twice.
        NotMeasurable: When the engine cannot count classes of single columns, or there are no records.

    Example:
        >>> import pandas as pd
        >>> table = pd.DataFrame({"age": [30, 30, 41, 52], "sex": ["f", "f", "m", "f"]})
        >>> [(one.column, one.risk_percent, one.g_distinct(1)) for one in attribute_risks(table)]
        [('age', 75.0, 0.5), ('sex', 50.0, 0.25)]
    """
    needs = Needs(columns=() if entity is None and not preprocessing else None, entity=entity)
    with opened(source, needs, read=read, settings=settings) as table:
        wanted = wanted_columns(table, columns, entity)
        return tuple(risks_of(table, wanted, preprocessing))


def joint_risk(
    source: Any,
    columns: Sequence[str],
    *,
    entity: str | None = None,
    read: ReadOptions | None = None,
    settings: EngineSettings | None = None,
) -> float:
    """Return the re-identification risk of some columns together: what an attacker gains who knows them all.

    The mean over persons of 1 / the size of their smallest class, as ``prosecutor_risk_average``.

    Args:
        source: An opened table, or whatever ``qidguard.audit`` takes.
        columns: At least one column, none twice.
        entity: The column whose values are the persons.
        read: How the source is read.
        settings: Memory limit and threads.

    Returns:
        A share, above 0 and at most 1.

    Raises:
        UserError: When a column does not exist, is named twice, or none is named.

    Example:
        >>> import pandas as pd
        >>> joint_risk(pd.DataFrame({"age": [30, 30, 41, 41], "sex": ["f", "f", "m", "f"]}), ["age", "sex"])
        0.75
    """
    with opened(source, Needs(entity=entity), read=read, settings=settings) as table:
        wanted = wanted_columns(table, columns, entity)
        if not wanted:
            raise UserError("the risk of a set needs at least one column; name some")
        statistics = (CLASSES, PERSONS, MEMBERSHIPS, SUMMED_RISK)
        found = table.statistics(Grouping(qids=wanted), statistics)
    persons = value_of(found, PERSONS.name)
    if value_of(found, MEMBERSHIPS.name) == persons:
        return float(value_of(found, CLASSES.name) / persons)
    return float(value_of(found, SUMMED_RISK.name)) / persons


def risks_of(
    table: Any, columns: Sequence[str], preprocessing: Mapping[str, Preprocessing] = NOTHING
) -> Iterator[AttributeRisk]:
    """Yield the risk of each of an opened table's columns, prepared as is said."""
    count = getattr(table, "column_class_sizes", None)
    if count is None:
        raise NotMeasurable(
            "the table's engine cannot count the classes of single columns; use the engine duckdb"
        )
    unknown = next((name for name in preprocessing if name not in columns), None)
    if unknown is not None:
        raise UserError(f"{unknown!r} is to be prepared and is none of the columns looked at")
    as_read = iter(count([name for name in columns if name not in preprocessing]))
    for name in columns:
        if name in preprocessing:
            yield AttributeRisk(class_sizes=count([name], preprocessing[name])[0])
        else:
            yield AttributeRisk(class_sizes=next(as_read))


@contextmanager
def opened(
    source: Any, needs: Needs, *, read: ReadOptions | None, settings: EngineSettings | None
) -> Iterator[Any]:
    """Give an opened table as it is, and open anything else."""
    if hasattr(source, "statistics"):
        yield source
    else:
        with open_table(source, needs, read=read, settings=settings) as table:
            yield table


def wanted_columns(table: Any, columns: Iterable[str] | None, entity: str | None) -> tuple[str, ...]:
    """Return the columns that are meant; UserError where one does not exist or is named twice."""
    names = [facts.name for facts in table.columns]
    if columns is None:
        return tuple(name for name in names if name != entity)
    wanted = tuple(columns)
    for name in wanted:
        if name not in names:
            raise UserError(f"the table has no column {name!r}; look at its header")
    if len(set(wanted)) < len(wanted):
        twice = next(name for name in wanted if wanted.count(name) > 1)
        raise UserError(f"column {twice!r} is named twice; name it once")
    return wanted
