"""Whole statements over a coded table: statistics, class values, cells, sizes, and a packed key."""

from collections.abc import Sequence
from dataclasses import dataclass

from qidguard.core.statistic import ClassValue, RowSource, Statistic, exact_sum
from qidguard.engines.sql.steps import Layout, Step, cell_steps, class_steps, person_steps, population_steps

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
    steps = cell_steps(layout)
    if any(s.needs_population for s in statistics):
        steps += population_steps(layout)
    steps += class_steps(layout, values, with_population=any(s.needs_population for s in statistics))
    if any(s.source is RowSource.PERSONS for s in statistics):
        steps += person_steps(layout)
    sources = [source for source in RowSource if any(s.source is source for s in statistics)]
    selects = [_select(source, layout, statistics) for source in sources]
    names = ", ".join(f"s{i}" for i in range(len(statistics)))
    return Query(steps=tuple(steps), select=f"SELECT {names}\nFROM " + "\nCROSS JOIN ".join(selects))


def class_values_sql(layout: Layout, value: ClassValue) -> str:
    """Return a SELECT with one row a class: the class value and the class's size."""
    with_population = layout.population is not None
    steps = cell_steps(layout)
    if with_population:
        steps += population_steps(layout)
    steps += class_steps(layout, (value,), with_population=with_population)
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
