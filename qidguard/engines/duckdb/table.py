"""An opened table on DuckDB: coded once, locked down, answering groupings with numbers only."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from qidguard.core.class_sizes import AS_READ, ClassSizes, Preprocessing
from qidguard.core.column import ColumnFacts, ColumnValues, ValueDraw
from qidguard.core.content import Related
from qidguard.core.errors import DataError, NotMeasurable, PluginError
from qidguard.core.order import ValueOrder
from qidguard.core.outside import Alone, Drawn
from qidguard.core.spelling import Variants
from qidguard.core.statistic import ClassValue, Number, Statistic, StatisticValues
from qidguard.core.versions import Changes, History
from qidguard.core.view import Cells, Codes, Grouping
from qidguard.engines.base import Needs
from qidguard.engines.duckdb import arrays, outside
from qidguard.engines.duckdb.class_sizes import column_class_sizes
from qidguard.engines.duckdb.columns import Shape, column_order, lacks_numbers
from qidguard.engines.duckdb.connection import Connection, reading
from qidguard.engines.duckdb.described import MOST_KEPT, Described, describe_columns
from qidguard.engines.duckdb.dictionary import Dictionary, build_dictionaries, build_numbers, code
from qidguard.engines.duckdb.lockdown import run_query, run_select
from qidguard.engines.duckdb.naming import column, dictionary, numbers, values
from qidguard.engines.duckdb.related import determined_names, related
from qidguard.engines.duckdb.snapshot.sampled import KeptDraw
from qidguard.engines.duckdb.spelling import find_variants
from qidguard.engines.sql.statement import (
    Layout,
    cells_sql,
    class_values_sql,
    distinct_persons,
    mentions_number,
    packed_keys,
    rows_of,
    sizes_sql,
    statistics_query,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class DuckdbTable:
    """A table of qidguard.engines.base.Table on a locked DuckDB connection."""

    def __init__(
        self,
        *,
        connection: Connection,
        shape: Shape,
        needs: Needs,
        dictionaries: dict[int, Dictionary],
        described: dict[int, Described],
        notes: tuple[str, ...],
        sampling_fraction: float | None,
        population_columns: frozenset[int] | None,
    ) -> None:
        self._connection = connection
        self._shape = shape
        self._needs = needs
        self._dictionaries = dictionaries
        self._described = dict(described)
        self._dropped = frozenset(described)
        self.notes = notes
        self.kept_draw: KeptDraw | None = None
        self.entity_variants: tuple[Variants, ...] = ()
        self.sampling_fraction = sampling_fraction
        self._population_columns = population_columns
        self._orders: dict[str, ValueOrder] = {}

    @cached_property
    def drawn_columns(self) -> tuple[ColumnValues, ...]:
        """Columns of some records, where the QIDs may be compared with what is published beside them."""
        with reading(self._connection, "the table"):
            return () if self.kept_draw is None else self.kept_draw.coded(self._connection.duckdb)

    @property
    def has_population(self) -> bool:
        """Whether a population table was given."""
        return self._population_columns is not None

    @property
    def history(self) -> History | None:
        """The earlier releases, where they were given."""
        return self._needs.history

    @property
    def changes(self) -> Changes | None:
        """The original table beside this one, where it was given."""
        return self._needs.changes

    @cached_property
    def records(self) -> int:
        """Number of records."""
        is_gone = self._needs.columns == ()
        return self.columns[0].records if is_gone else self._count("coalesce(sum(records), 0)")

    @cached_property
    def columns(self) -> tuple[ColumnFacts, ...]:
        """Facts of every column."""
        indexes = range(len(self._shape.names))
        self._describe(indexes)
        return tuple(self._shape.labeled(self._facts(index)) for index in indexes)

    @property
    def entity(self) -> str | None:
        """The entity column, where one was given."""
        return self._needs.entity

    @property
    def has_entities(self) -> bool:
        """Whether persons are entities."""
        return self._needs.entity is not None

    @cached_property
    def entities(self) -> int | None:
        """Number of distinct entities, or None without an entity column."""
        return self._count(f"count(DISTINCT {self._entity_column})") if self.has_entities else None

    @cached_property
    def missing_entities(self) -> int:
        """Number of records whose entity is NULL."""
        return self._count(f"count(*) - count({self._entity_column})") if self.has_entities else 0

    @property
    def _entity_column(self) -> str:
        return "entity" if self._dictionaries else column(self._shape.index(self._needs.entity or ""))

    def _count(self, aggregate: str) -> int:
        # where columns were planned, what they were coded from is gone by now
        relation = "coded" if self._dictionaries else self._shape.relation
        return int(run_select(self._connection, f"SELECT {aggregate} FROM {relation}")[0][0])

    @property
    def is_interrupted(self) -> bool:
        """Whether work on the table is to end; no statement is begun until it is taken back."""
        return self._connection.is_interrupted

    @is_interrupted.setter
    def is_interrupted(self, value: bool) -> None:
        self._connection.is_interrupted = value

    def interrupt(self) -> None:
        """End the statement that runs, from another thread."""
        self._connection.duckdb.interrupt()

    def value_draw(self, name: str) -> ValueDraw:
        """Return some of a column's distinct values."""
        return self._known(self._index(name)).draw

    def statistics(self, grouping: Grouping, wanted: Sequence[Statistic]) -> StatisticValues:
        """Return the statistics of one grouping."""
        if not wanted:
            return {}
        layout = self._layout(grouping, with_numbers=mentions_number(v for s in wanted for v in s.values))
        if layout.population is None and any(s.needs_population for s in wanted):
            raise NotMeasurable(self._population_lack(grouping))
        try:
            row = run_query(self._connection, statistics_query(layout, wanted))[0]
        except PluginError as error:
            raise named_fault(error, self._connection, layout, grouping, wanted) from error.__cause__
        return {s.name: plain_number(s, value) for s, value in zip(wanted, row, strict=True)}

    def prepare(self, names: Sequence[str]) -> None:
        """Code columns together that will be asked for one after the other, which costs much more."""
        self._code(names)

    def class_values(self, grouping: Grouping, value: ClassValue) -> "NDArray[np.float64]":
        """Return a class value for every class, next to its size."""
        layout = self._layout(grouping, with_numbers=mentions_number((value,)))
        return arrays.matrix(self._connection, class_values_sql(layout, value))

    def class_sizes(self, qids: tuple[str, ...]) -> "NDArray[np.int64]":
        """Return the size of every class."""
        return arrays.columns(self._connection, sizes_sql(self._layout(Grouping(qids=qids))))[-1]

    def cells(self, grouping: Grouping) -> Cells:
        """Return the cells of a grouping that names a sensitive attribute."""
        if grouping.sensitive is None:
            raise ValueError("cells need a sensitive attribute")
        layout = self._layout(grouping)
        coded = self._dictionaries[self._shape.index(grouping.sensitive)]
        return arrays.cells(
            arrays.columns(self._connection, cells_sql(layout)),
            arrays.columns(self._connection, sizes_sql(layout)),
            self._value_counts(layout),
            has_missing=coded.has_missing,
        )

    def codes(self, qids: tuple[str, ...], beside: tuple[str, ...] = ()) -> Codes:
        """Return the QID columns as codes, and others beside them, equal rows collapsed."""
        names = (*qids, *beside)
        self._code(names)
        indexes = [self._shape.index(name) for name in names]
        marks = tuple(self._dictionaries[i].mark for i in indexes)
        rows = rows_of("coded", self._published(indexes[: len(qids)]))
        sql = arrays.codes_sql([column(i) for i in indexes], rows, has_entities=self.has_entities)
        fetched = arrays.columns(self._connection, sql)
        return arrays.codes(fetched, width=len(names), has_entities=self.has_entities, marks=marks)

    def is_marked(self, name: str) -> bool:
        """Whether the suppression mark stands in a column."""
        return self._facts(self._index(name)).suppressed > 0

    def suppressed_records(self, qids: tuple[str, ...]) -> int:
        """Return how many records stand in no class, every one of their QIDs being suppressed."""
        self._code(qids)
        published = self._published([self._shape.index(name) for name in qids])
        return (
            self._count(f"coalesce(sum(CASE WHEN {published} THEN 0 ELSE records END), 0)")
            if published
            else 0
        )

    def column_class_sizes(
        self, names: Sequence[str], preprocessing: Preprocessing = AS_READ
    ) -> tuple[ClassSizes, ...]:
        """Return the class sizes of each column alone."""
        coded = self._dictionaries
        described = [(self._facts(i), coded[i].mark if i in coded else None) for i in map(self._index, names)]
        with reading(self._connection, "the table"):
            database = self._connection.duckdb
            return tuple(
                column_class_sizes(database, self._shape, self._needs, facts, preprocessing, mark)
                for facts, mark in described
            )

    def alone(self, columns: Sequence[str], *, is_present: bool = False) -> Alone:
        """Return how many persons are alone on these columns together."""
        hashed, indexes = self._hashed(columns)
        return outside.alone(
            self._connection,
            hashed,
            indexes,
            has_entities=self.has_entities,
            is_present=is_present,
            has_mark=self._needs.suppression_mark is not None,
        )

    def drawn(self, columns: Sequence[str], most: int) -> Drawn:
        """Return about ``most`` records at random, always the same ones."""
        return outside.drawn(self._connection, *self._hashed(columns), most, has_entities=self.has_entities)

    def numbers(self, name: str) -> "NDArray[np.float64]":
        """Return for each code of a column its value as a number."""
        self._code([name])
        return arrays.numbers(self._connection, f"SELECT value, number FROM {self._numbers(name)}")

    def declared(self, name: str) -> tuple[str, ...]:
        """Return a column's values in the order that is declared of them; nothing where none is."""
        return self._shape.order.get(name, ())

    def order(self, name: str) -> ValueOrder:
        """Return the order of a column's values, or why they have none; the mark and NULL need no place."""
        if name not in self._orders:
            self._code([name])
            with reading(self._connection, "the table"):
                index, declared = self._shape.index(name), self.declared(name)
                select, mark = self._select, self._needs.suppression_mark
                facts = self._facts(index)
                self._orders[name] = column_order(select, dictionary(index), facts, mark, declared)
        return self._orders[name]

    def texts(self, name: str) -> tuple[str | None, ...]:
        """Return for each code of a column its value as text; of values that are one, the first text."""
        self._code([name])
        return arrays.texts(self._connection, dictionary(self._shape.index(name)))

    def variants(self, names: Sequence[str]) -> tuple[Variants, ...]:
        """Return what differs only in writing, for each column in which something does, if it was kept."""
        kept = [i for i in map(self._index, names) if i in self._dictionaries or i not in self._dropped]
        with reading(self._connection, "the table"):
            database, mark = self._connection.duckdb, self._needs.suppression_mark
            found = find_variants(database, self._shape, kept, self._distinct(), mark)
        return (*found, *(one for one in self.entity_variants if one.column in names))

    def close(self) -> None:
        """Give back memory, threads and spilled files."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def carried(self, names: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        """Return column → those of some whose values it carries; of planned columns what was asked then."""
        if self._needs.columns is not None:
            return {facts.name: facts.determines for facts in self.columns if facts.determines}
        self._code(names)
        with reading(self._connection, "the table"):
            return determined_names(self._connection.duckdb, self._shape, names, self.columns, self.entities)

    def related(self) -> Mapping[str, Related]:
        """Return column → how it goes with the others; nothing once columns were planned."""
        if self._needs.columns is not None:
            return {}
        with reading(self._connection, "the table"):
            return related(self._connection.duckdb, self._shape, self.columns)

    def _distinct(self) -> dict[int, str]:
        """Return column → the table of its distinct values, where one lies there."""
        described = (i for i, one in self._described.items() if one.facts.distinct <= MOST_KEPT)
        described = (i for i in described if i not in self._dropped)
        return {i: values(i) for i in described} | {i: dictionary(i) for i in self._dictionaries}

    def _facts(self, index: int) -> ColumnFacts:
        return self._known(index).facts

    def _known(self, index: int) -> Described:
        if index in self._dictionaries:
            return self._dictionaries[index]
        self._describe([index])
        return self._described[index]

    def _describe(self, indexes: Iterable[int]) -> None:
        """Make sure that columns are described, many at once."""
        missing = [i for i in indexes if i not in self._dictionaries and i not in self._described]
        with reading(self._connection, "the table"):
            self._described |= describe_columns(
                self._connection.duckdb, self._shape, missing, self._needs.suppression_mark
            )

    def _value_counts(self, layout: Layout) -> "list[NDArray[np.int64]]":
        persons = distinct_persons("entity") if self.has_entities else "CAST(sum(records) AS BIGINT)"
        select = f"SELECT {layout.value}, {persons}\n{layout.rows(has_value=True)}\nGROUP BY 1"
        return arrays.columns(self._connection, select)

    def _published(self, indexes: Sequence[int], *, has_population: bool = False) -> str:
        """Return the condition that leaves out records whose QIDs are all suppressed; empty where none is.

        Where all are, they are one class: nobody can be told from anybody.
        """
        known = [self._dictionaries[i] for i in indexes]
        is_met = all(one.mark >= 0 for one in known)
        is_met |= has_population and self._needs.suppression_mark is not None
        if not is_met or all(one.is_wholly_suppressed for one in known):
            return ""
        some = (f"{column(i)} <> {one.suppressed}" for i, one in zip(indexes, known, strict=True))
        return f"({' OR '.join(some)})"

    def _code(self, names: Sequence[str]) -> None:
        """Make sure that these columns are coded."""
        missing = [i for i in (self._index(name) for name in names) if i not in self._dictionaries]
        if not missing:
            return
        gone = [self._shape.names[i] for i in missing if i in self._dropped]
        if gone:
            raise DataError(
                f"column {gone[0]!r} was not kept; name it in needs.columns when opening the table"
            )
        mark = self._needs.suppression_mark
        entity = self._shape.index(self._needs.entity) if self._needs.entity is not None else None
        with reading(self._connection, "the table"):
            built = build_dictionaries(
                self._connection.duckdb, self._shape, missing, mark, self._needs.normalized, self._described
            )
            every = {**self._dictionaries, **built}
            code(self._connection.duckdb, self._shape, every, entity)
            # last, so that columns whose coding was interrupted are coded when they are asked for again
            self._dictionaries.update(built)

    def _hashed(self, names: Sequence[str]) -> tuple[str, list[int]]:
        """Return what holds the hashes of columns, kept or made as they are asked for, and their indexes."""
        if not names:
            raise ValueError("whom columns tell apart is asked of at least one column")
        indexes, needs = [self._index(name) for name in names], self._needs
        gone = next((name for name in names if name not in needs.rest), None)
        if gone is None:
            return outside.KEPT, indexes
        if needs.columns is not None:
            raise DataError(f"column {gone!r} was not kept; name it in needs.rest when opening the table")
        entity = None if needs.entity is None else self._shape.index(needs.entity)
        made = outside.rest_of(self._shape.relation, indexes, entity, needs.suppression_mark)
        return f"({made})", indexes

    def _population_lack(self, grouping: Grouping) -> str:
        if self._population_columns is None:
            return "it is measured against a population table; give the policy a population"
        lacking = [q for q in grouping.qids if self._shape.index(q) not in self._population_columns]
        return f"the population table has no column {', '.join(map(repr, lacking))}"

    def _index(self, name: str) -> int:
        if name not in self._shape.names:
            raise DataError(f"the table has no column {name!r}")
        return self._shape.index(name)

    def _numbers(self, name: str) -> str:
        """Return the table of a coded column's numbers; NotMeasurable where it has none."""
        index = self._shape.index(name)
        facts, mark = self._dictionaries[index].facts, self._needs.suppression_mark
        with reading(self._connection, "the table"):
            if lack := lacks_numbers(self._select, dictionary(index), facts, mark):
                raise NotMeasurable(lack)
            build_numbers(self._connection.duckdb, index, facts)
        return numbers(index)

    def _select(self, sql: str) -> list[tuple[Any, ...]]:
        return self._connection.duckdb.execute(sql).fetchall()

    def _layout(self, grouping: Grouping, *, with_numbers: bool = False) -> Layout:
        sensitive = grouping.sensitive
        self._code([*grouping.qids, *([sensitive] if sensitive is not None else [])])
        indexes = [self._shape.index(name) for name in grouping.qids]
        entity = "entity" if self.has_entities else None
        has_population = set(indexes) <= (self._population_columns or set())
        mark = -1 if sensitive is None else self._dictionaries[self._shape.index(sensitive)].mark
        return Layout(
            table="coded",
            keys=packed_keys([(column(i), self._dictionaries[i].codes) for i in indexes]),
            value=column(self._shape.index(sensitive)) if sensitive is not None else None,
            numbers=self._numbers(sensitive) if with_numbers and sensitive is not None else None,
            published=self._published(indexes, has_population=has_population),
            suppressed=mark if mark >= 0 else None,
            entity=entity,
            population="population" if has_population else None,
            population_entity="entity" if self._needs.population_entity else None,
        )


def plain_number(statistic: Statistic, value: Any) -> Number | None:
    """Return a statistic's value as a plain number; anything else could carry a value of the table."""
    if value is None or (isinstance(value, (int, float)) and not isinstance(value, bool)):
        return value
    if isinstance(value, Decimal):
        return float(value)
    raise PluginError.of_somebody(
        f"statistic {statistic.name!r} gave {type(value).__name__}, not a number; mend the plugin"
    )


def named_fault(
    error: PluginError,
    connection: Connection,
    layout: Layout,
    grouping: Grouping,
    wanted: Sequence[Statistic],
) -> PluginError:
    """Return the fault of the first statistic whose SQL fails by itself, with its name and column."""
    for statistic in wanted if len(wanted) > 1 else ():
        try:
            run_query(connection, statistics_query(layout, (statistic,)))
        except PluginError as fault:
            return named_fault(fault, connection, layout, grouping, (statistic,))
    if len(wanted) > 1:
        return error
    beside = "" if grouping.sensitive is None else f" beside the column {grouping.sensitive!r}"
    return PluginError.of_somebody(f"statistic {wanted[0].name!r}{beside}: {error}")
