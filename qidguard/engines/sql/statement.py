"""Whole statements over a coded table: statistics, class values, cells, sizes, and a packed key."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from qidguard.core.statistic import ClassValue, RowSource, Statistic, exact_sum


@dataclass(frozen=True, kw_only=True)
class Layout:
    """The coded table as a statement sees it.

    Args:
        table: Name of the coded table; it has a column ``records``, how many records each row stands for.
        keys: SQL expressions over code columns that together identify a class, at least one.
        value: The code column of the sensitive attribute, or None.
        numbers: The table of the attribute's codes (``value``) as numbers (``number``), or None.
        published: The condition that rows of a class meet, empty where all do: some QID is not suppressed.
        suppressed: The attribute's code for a suppressed value, which is none; None where it does not occur.
            A class without any value left has nothing to learn, and is left out.
        entity: The column that identifies a person, or None where a person is a record.
        population: Name of the coded population table, or None.
        population_entity: Its column that identifies a person, or None.
    """

    table: str
    keys: tuple[str, ...]
    value: str | None = None
    numbers: str | None = None
    published: str = ""
    suppressed: int | None = None
    entity: str | None = None
    population: str | None = None
    population_entity: str | None = None

    @property
    def key_names(self) -> tuple[str, ...]:
        """The names that the keys have after the first step: k0, k1 and so on."""
        return tuple(f"k{i}" for i in range(len(self.keys)))

    @property
    def named_keys(self) -> str:
        """The key expressions with their names, for a SELECT list."""
        return ", ".join(f"{sql} AS {name}" for sql, name in zip(self.keys, self.key_names, strict=True))

    def ordinals(self, more: int = 0) -> str:
        """Return the positions of the keys, and of ``more`` columns behind them, for GROUP BY."""
        return ", ".join(str(i + 1) for i in range(len(self.keys) + more))

    def on(self, left: str, right: str) -> str:
        """Return the condition that joins two steps on the keys."""
        return " AND ".join(f"{left}.{name} = {right}.{name}" for name in self.key_names)

    def rows(self, *, has_value: bool = False) -> str:
        """Return FROM and WHERE of the rows that stand in a class, or in a cell of one."""
        is_limited = has_value and self.suppressed is not None
        has_one = f"{self.value} <> {self.suppressed}" if is_limited else ""
        return rows_of(self.table, self.published, has_one)


def rows_of(table: str, *conditions: str) -> str:
    """Return FROM and WHERE of the rows of a table that meet all conditions; an empty one is none."""
    given = [condition for condition in conditions if condition]
    return f"FROM {table}" + (f"\nWHERE {' AND '.join(given)}" if given else "")


_CELL_WORDS = re.compile(r"\b(?:n|total|share|table_n|table_share|table_values|value|number)\b|\bcount\s*\(")
"""What a class value can only say about cells; ``count(*)`` counts them."""

_TABLE_WORDS = re.compile(r"\btable_(?:n|share|values)\b")
_NUMBER_WORD = re.compile(r"\bnumber\b")
_TOTAL_WORDS = re.compile(r"\b(?:total|share)\b")


@dataclass(frozen=True)
class Step:
    """One common table expression."""

    name: str
    sql: str


def cell_steps(layout: Layout) -> list[Step]:
    """Return the steps up to ``sizes``, one row a class, through ``cells`` where there is a value."""
    keys = ", ".join(layout.key_names)
    steps = []
    if layout.entity:
        steps.append(
            _step("members", f"SELECT DISTINCT {layout.named_keys}, {layout.entity} AS entity", layout)
        )
    if layout.value and layout.entity:
        pairs = f"SELECT DISTINCT {layout.named_keys}, {layout.value} AS value, {layout.entity} AS entity"
        steps.append(_step("pairs", pairs, layout, has_value=True))
        cells = f"SELECT {keys}, value, count(*) AS n\nFROM pairs\nGROUP BY {layout.ordinals(1)}"
        steps.append(Step("cells", cells))
    elif layout.value:
        cells = f"SELECT {layout.named_keys}, {layout.value} AS value, CAST(sum(records) AS BIGINT) AS n"
        steps.append(_step("cells", cells, layout, group=layout.ordinals(1), has_value=True))
    name = "sizes" if layout.suppressed is None else "every_size"
    if layout.entity:
        sizes = f"SELECT {keys}, count(*) AS size\nFROM members\nGROUP BY {layout.ordinals()}"
        steps.append(Step(name, sizes))
    elif layout.value and layout.suppressed is None:
        sizes = f"SELECT {keys}, CAST(sum(n) AS BIGINT) AS size\nFROM cells\nGROUP BY {layout.ordinals()}"
        steps.append(Step(name, sizes))
    else:
        sizes = f"SELECT {layout.named_keys}, CAST(sum(records) AS BIGINT) AS size"
        steps.append(_step(name, sizes, layout, group=layout.ordinals()))
    if layout.suppressed is not None:
        learned = f"SELECT 1 FROM cells WHERE {layout.on('cells', name)}"
        steps.append(Step("sizes", f"SELECT *\nFROM {name}\nWHERE EXISTS ({learned})"))
    return steps


def class_steps(layout: Layout, values: tuple[ClassValue, ...], *, with_population: bool) -> list[Step]:
    """Return the steps up to ``classes``, one row a class with its class values."""
    if not layout.value and any(_CELL_WORDS.search(value.sql) for value in values):
        raise ValueError("class values over cells need a sensitive attribute")
    has_detail = bool(layout.value and values)
    steps = cell_steps(layout) + (population_steps(layout) if with_population else [])
    steps += _detail_steps(layout, values) if has_detail else []
    source = "detail" if has_detail else "sizes"
    aggregates = "".join(f",\n({value.sql}) AS {value.name}" for value in values)
    keys = ", ".join(layout.key_names)
    grouped = f"SELECT {keys}, max(size) AS size{aggregates}\nFROM {source}\nGROUP BY {layout.ordinals()}"
    if not values:
        grouped = f"SELECT {keys}, size\nFROM sizes"
    if not with_population:
        return [*steps, Step("classes", grouped)]
    joined = (
        "SELECT measured.*, coalesce(population_sizes.population_size, 0) AS population_size\n"
        f"FROM measured\nLEFT JOIN population_sizes ON {layout.on('measured', 'population_sizes')}"
    )
    return [*steps, Step("measured", grouped), Step("classes", joined)]


def population_steps(layout: Layout) -> list[Step]:
    """Return the classes of the population table, and each beside the size of its class in the table."""
    entity = layout.population_entity
    count = distinct_persons(entity) if entity else "CAST(sum(records) AS BIGINT)"
    sizes = (
        f"SELECT {layout.named_keys}, {count} AS population_size\n"
        f"{rows_of(layout.population or '', layout.published)}\nGROUP BY {layout.ordinals()}"
    )
    classes = (
        "SELECT population_sizes.population_size, coalesce(sizes.size, 0) AS size\n"
        f"FROM population_sizes\nLEFT JOIN sizes ON {layout.on('population_sizes', 'sizes')}"
    )
    return [Step("population_sizes", sizes), Step("population_classes", classes)]


def person_steps(layout: Layout) -> list[Step]:
    """Return one row an entity with the size of the smallest class it appears in; none for records."""
    if not layout.entity:
        return []
    persons = (
        "SELECT members.entity, min(sizes.size) AS size\n"
        f"FROM members\nJOIN sizes ON {layout.on('members', 'sizes')}\nGROUP BY 1"
    )
    return [Step("persons", persons)]


def distinct_persons(entity: str) -> str:
    """Return SQL that counts entities as classes do: records without one are one person together."""
    return f"count(DISTINCT {entity}) + max(CASE WHEN {entity} IS NULL THEN 1 ELSE 0 END)"


def mentions_number(values: Iterable[ClassValue]) -> bool:
    """Whether a class value is taken over the attribute's numbers."""
    return any(_NUMBER_WORD.search(value.sql) for value in values)


def _detail_steps(layout: Layout, values: tuple[ClassValue, ...]) -> list[Step]:
    """Return the cells with all that these class values mention; what nobody asks for would cost memory."""
    needs_table = any(_TABLE_WORDS.search(value.sql) for value in values)
    steps = _table_steps(layout) if needs_table else []
    selected = ", ".join(
        [*(f"cells.{name}" for name in layout.key_names), "cells.value, cells.n, sizes.size"]
    )
    joins = f"FROM cells\nJOIN sizes ON {layout.on('cells', 'sizes')}"
    if any(_TOTAL_WORDS.search(value.sql) for value in values):
        total = "sizes.size"
        if layout.entity or layout.suppressed is not None:
            keys = ", ".join(layout.key_names)
            totals = f"SELECT {keys}, CAST(sum(n) AS BIGINT) AS total\nFROM cells"
            steps.append(Step("totals", f"{totals}\nGROUP BY {layout.ordinals()}"))
            joins += f"\nJOIN totals ON {layout.on('cells', 'totals')}"
            total = "totals.total"
        selected += f",\n{total} AS total, cells.n / {total} AS share"
    if mentions_number(values):
        if layout.numbers is None:
            raise ValueError("a class value over numbers needs an attribute that holds numbers")
        selected += ",\nnumbers.number"
        joins += f"\nJOIN {layout.numbers} AS numbers ON cells.value = numbers.value"
    if needs_table:
        selected += ",\nshares.table_n, shares.table_share, shares.table_values"
        joins += "\nJOIN shares ON cells.value = shares.value"
    return [*steps, Step("detail", f"SELECT {selected}\n{joins}")]


def _table_steps(layout: Layout) -> list[Step]:
    """Return the persons of the whole table with each sensitive value, as numbers and shares."""
    counted = distinct_persons("entity") if layout.entity else "CAST(sum(n) AS BIGINT)"
    marginal = f"SELECT value, {counted} AS table_n\nFROM {'pairs' if layout.entity else 'cells'}\nGROUP BY 1"
    whole = "SELECT CAST(sum(table_n) AS BIGINT) AS table_total, count(*) AS table_values\nFROM marginal"
    shares = (
        "SELECT marginal.value, marginal.table_n, whole.table_values,\n"
        "marginal.table_n / whole.table_total AS table_share\n"
        "FROM marginal\nCROSS JOIN whole"
    )
    return [Step("marginal", marginal), Step("whole", whole), Step("shares", shares)]


def _step(name: str, select: str, layout: Layout, *, group: str = "", has_value: bool = False) -> Step:
    select = f"{select}\n{layout.rows(has_value=has_value)}"
    return Step(name, select + (f"\nGROUP BY {group}" if group else ""))


_LIMIT = 2**62


def packed_keys(columns: Sequence[tuple[str, int]]) -> tuple[str, ...]:
    """Return SQL expressions whose values together identify the codes of ``columns``.

    Example:
        >>> packed_keys([("c0", 3), ("c1", 5)])
        ('CAST(c0 AS BIGINT) + 3 * CAST(c1 AS BIGINT)',)
    """
    if not columns:
        raise ValueError("a key needs at least one column")
    keys: list[list[str]] = []
    factor = _LIMIT
    for name, cardinality in columns:
        if cardinality < 1:
            raise ValueError(f"cardinality of {name} must be at least 1, not {cardinality}")
        if factor * cardinality > _LIMIT:
            keys.append([])
            factor = 1
        term = f"CAST({name} AS BIGINT)"
        keys[-1].append(term if factor == 1 else f"{factor} * {term}")
        factor *= cardinality
    return tuple(" + ".join(terms) for terms in keys)


@dataclass(frozen=True, kw_only=True)
class Query:
    """Named steps and the SELECT over them: one statement, or, where memory is short, a table a step."""

    steps: tuple[Step, ...]
    select: str

    @property
    def sql(self) -> str:
        """The whole as one statement."""
        return f"{_with(self.steps)}{self.select}"


def statistics_query(layout: Layout, statistics: Sequence[Statistic]) -> Query:
    """Return a query that yields one row: the statistics in order, named s0, s1 and so on."""
    values = distinct_class_values(statistics)
    steps = class_steps(layout, values, with_population=any(s.needs_population for s in statistics))
    if any(s.source is RowSource.PERSONS for s in statistics):
        steps += person_steps(layout)
    sources = [source for source in RowSource if any(s.source is source for s in statistics)]
    selects = [_select(source, layout, statistics) for source in sources]
    names = ", ".join(f"s{i}" for i in range(len(statistics)))
    return Query(steps=tuple(steps), select=f"SELECT {names}\nFROM " + "\nCROSS JOIN ".join(selects))


def class_values_sql(layout: Layout, value: ClassValue) -> str:
    """Return a SELECT with one row a class: the class value and the class's size."""
    steps = class_steps(layout, (value,), with_population=layout.population is not None)
    return f"{_with(steps)}SELECT {value.name}, size\nFROM classes"


def cells_sql(layout: Layout) -> str:
    """Return a SELECT with one row a cell: its class's keys, the sensitive code and the persons in it."""
    keys = ", ".join(layout.key_names)
    return f"{_with(cell_steps(layout))}SELECT {keys}, value, n\nFROM cells\nORDER BY {layout.ordinals(1)}"


def sizes_sql(layout: Layout) -> str:
    """Return a SELECT with one row a class: its keys and its size."""
    keys = ", ".join(layout.key_names)
    return f"{_with(cell_steps(layout))}SELECT {keys}, size\nFROM sizes\nORDER BY {layout.ordinals()}"


def distinct_class_values(statistics: Sequence[Statistic]) -> tuple[ClassValue, ...]:
    """Return the class values that are needed; ValueError when one name has two meanings."""
    by_name: dict[str, ClassValue] = {}
    for statistic in statistics:
        for value in statistic.values:
            if by_name.setdefault(value.name, value) != value:
                raise ValueError(f"class value {value.name} has two meanings in one statement")
    return tuple(by_name.values())


def _select(source: RowSource, layout: Layout, statistics: Sequence[Statistic]) -> str:
    columns = ",\n  ".join(
        f"{_aggregate(s, layout)} AS s{i}" for i, s in enumerate(statistics) if s.source is source
    )
    return f"(\n  SELECT\n  {columns}\n  FROM {_rows(source, layout)}\n) AS from_{source.value}"


def _aggregate(statistic: Statistic, layout: Layout) -> str:
    if statistic.source is not RowSource.PERSONS:
        return f"({statistic.sql})"
    return exact_sum(statistic.sql if layout.entity else f"size * ({statistic.sql})")


def _rows(source: RowSource, layout: Layout) -> str:
    if source is RowSource.PERSONS:
        return "persons" if layout.entity else "sizes"
    return "classes" if source is RowSource.CLASSES else "population_classes"


def _with(steps: Sequence[Step]) -> str:
    return "WITH " + ",\n".join(f"{step.name} AS (\n{step.sql}\n)" for step in steps) + "\n"
