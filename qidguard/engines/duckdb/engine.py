"""The DuckDB engine: opens every source that stands in a file, a folder, a store or memory."""

from dataclasses import dataclass, replace
from typing import Any

from qidguard.core.column import ColumnValues
from qidguard.core.errors import DataError
from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.engines.codebook import read_codebook
from qidguard.engines.duckdb import naming, sources
from qidguard.engines.duckdb.columns import Shape
from qidguard.engines.duckdb.connection import Connection, connect, reading
from qidguard.engines.duckdb.described import Described
from qidguard.engines.duckdb.determined import determined
from qidguard.engines.duckdb.dictionary import Dictionary, build_dictionaries, code, code_population
from qidguard.engines.duckdb.load import describe_rest, load, unload
from qidguard.engines.duckdb.lockdown import lock
from qidguard.engines.duckdb.rest import KEPT, rest_of
from qidguard.engines.duckdb.snapshot.sampled import columns_drawn
from qidguard.engines.duckdb.snapshot.snapshot import DuckdbSnapshot, take_snapshot
from qidguard.engines.duckdb.snapshot.source_digest import source_digest
from qidguard.engines.duckdb.sources.staged import loading
from qidguard.engines.duckdb.table import DuckdbTable
from qidguard.engines.duckdb.weights import sampled
from qidguard.engines.linked import LinkedTables


@dataclass(frozen=True, kw_only=True)
class DuckdbEngine:
    """Group-by queries in DuckDB's SQL, in memory or spilled."""

    name: str = "duckdb"
    title: str = "group-by SQL on DuckDB, in this process; spills to disk beyond its memory limit"

    def can_open(self, source: Any) -> bool:
        """Whether this engine knows this kind of source."""
        return sources.can_open(source)

    def column_names(self, source: Any, options: ReadOptions, settings: EngineSettings) -> tuple[str, ...]:
        """Return the column names without loading the table."""
        return sources.column_names(source, options, settings)

    def open(self, source: Any, options: ReadOptions, needs: Needs, settings: EngineSettings) -> DuckdbTable:
        """Load the table, lock the connection and return it."""
        if isinstance(source, LinkedTables):
            with self.snapshot(source, options, settings) as copy:
                return self.open(copy, ReadOptions(codebook=options.codebook), needs, settings)
        connection = connect(settings)
        try:
            return _open(connection, source, options, needs)
        except BaseException:
            connection.close()
            raise

    def snapshot(self, source: Any, options: ReadOptions, settings: EngineSettings) -> DuckdbSnapshot:
        """Return a private copy of the records, in the source's order where it has one."""
        if isinstance(source, LinkedTables):
            from qidguard.engines.duckdb.linked.copying import copy_linked

            return copy_linked(source, settings)
        return take_snapshot(source, options, settings)

    def source_digest(self, source: Any, options: ReadOptions, settings: EngineSettings | None = None) -> str:
        """Return a digest of the source as it is now, without consuming it."""
        return source_digest(source, options, settings or EngineSettings())


ENGINE = DuckdbEngine()


def _open(connection: Connection, source: Any, options: ReadOptions, needs: Needs) -> DuckdbTable:
    codebook = read_codebook(options.codebook) if options.codebook is not None else None
    drawn: tuple[ColumnValues, ...] = ()
    staged = sources.stage(connection, source, options)
    with loading(staged), reading(connection, "the table"):
        _check_named(staged.names, needs)
        fraction, weighed = sampled(connection.duckdb, staged, needs)
        shape, described = load(connection.duckdb, staged, needs)
        indexes = _planned(staged, needs)
        _build_rest(connection, staged, shape, needs, is_whole=not described)
        dictionaries = build_dictionaries(
            connection.duckdb, shape, indexes, needs.suppression_mark, needs.normalized
        )
        if dictionaries:
            entity = staged.names.index(needs.entity) if needs.entity is not None else None
            code(connection.duckdb, shape, dictionaries, entity)
        if needs.columns is not None:
            whole = staged.relation if described or staged.is_materialized else shape.relation
            described = describe_rest(connection.duckdb, shape, described, dictionaries, needs)
            if needs.compared:
                _tell_determined(connection, whole, staged, needs, dictionaries, described)
            if needs.compared and needs.rest:
                drawn = _drawn(connection, whole, staged, needs)
            unload(connection.duckdb, staged)
    notes = (*staged.notes, *weighed)
    shared = None
    if needs.population is not None:
        shared, more = _open_population(connection, needs, shape, dictionaries)
        notes += more
    lock(connection)
    table = DuckdbTable(
        connection=connection,
        shape=replace(shape, codebook=codebook),
        needs=needs,
        dictionaries=dictionaries,
        described=described,
        notes=notes,
        sampling_fraction=fraction,
        population_columns=shared,
    )
    table.drawn_columns = drawn
    return table


def _build_rest(
    connection: Connection, staged: sources.Staged, shape: Shape, needs: Needs, *, is_whole: bool
) -> None:
    """Hash what is published outside the QIDs while it is there; ``shape`` may hold the QIDs only."""
    if not needs.rest:
        return
    relation = shape.relation if is_whole else f"(SELECT *, 1 AS records FROM {staged.relation})"
    entity = staged.names.index(needs.entity) if needs.entity is not None else None
    indexes = sorted({staged.names.index(n) for n in needs.rest})
    hashed = rest_of(relation, indexes, entity, needs.suppression_mark)
    connection.duckdb.execute(f"CREATE OR REPLACE TABLE {KEPT} AS {hashed}")


def _drawn(
    connection: Connection, relation: str, staged: sources.Staged, needs: Needs
) -> tuple[ColumnValues, ...]:
    """Return some records of the columns that are compared and published, and of the persons' column."""
    entity = () if needs.entity is None else (needs.entity,)
    names = dict.fromkeys((*needs.compared, *needs.rest, *entity))
    columns = {name: naming.column(staged.names.index(name)) for name in names}
    return columns_drawn(connection.duckdb, relation, columns, needs.suppression_mark, is_text=staged.is_text)


def _tell_determined(
    connection: Connection,
    relation: str,
    staged: sources.Staged,
    needs: Needs,
    dictionaries: dict[int, Dictionary],
    described: dict[int, Described],
) -> None:
    """Put into the facts of columns whose values they carry, while every column is still there."""
    persons = None
    if needs.entity is not None:
        entity = naming.column(staged.names.index(needs.entity))
        count = f"SELECT count(DISTINCT {entity}) FROM {relation}"
        persons = int(connection.duckdb.execute(count).fetchall()[0][0])
    facts = {index: known.facts for index, known in (described | dictionaries).items()}
    compared = [staged.names.index(name) for name in needs.compared]
    for index, others in determined(connection.duckdb, relation, compared, facts, persons).items():
        own = replace(facts[index], determines=tuple(staged.names[other] for other in others))
        if index in described:
            described[index] = replace(described[index], facts=own)
        else:
            dictionaries[index] = replace(dictionaries[index], facts=own)


def _planned(staged: sources.Staged, needs: Needs) -> list[int]:
    """Return the columns to code now: those that are needed, or else those a population is compared on."""
    if needs.columns is not None:
        return sorted({staged.names.index(name) for name in needs.columns})
    if needs.population is None:
        return []
    theirs = sources.column_names(needs.population, needs.population_options, EngineSettings())
    return [i for i, name in enumerate(staged.names) if name in theirs]


def _open_population(
    connection: Connection, needs: Needs, shape: Shape, dictionaries: dict[int, Dictionary]
) -> tuple[frozenset[int], tuple[str, ...]]:
    """Code the population table; return the columns that it shares with the table, and notes."""
    staged = sources.stage(connection, needs.population, needs.population_options)
    entity = needs.population_entity
    with loading(staged):
        if entity is not None and entity not in staged.names:
            raise DataError(f"the population table has no column {entity!r} to count entities by")
        theirs = {name: i for i, name in enumerate(staged.names)}
        positions = {i: theirs[shape.names[i]] for i in dictionaries if shape.names[i] in theirs}
        position = staged.names.index(entity) if entity is not None else None
        with reading(connection, "the population table"):
            connection.duckdb.execute(f"CREATE TABLE population_raw AS SELECT * FROM {staged.relation}")
            code_population(
                connection.duckdb, shape, dictionaries, positions, position, needs.suppression_mark
            )
            connection.duckdb.execute("DROP TABLE population_raw")
    return frozenset(positions), tuple(f"population table: {note}" for note in staged.notes)


def _check_named(names: tuple[str, ...], needs: Needs) -> None:
    wanted = [
        *(needs.columns or ()),
        *needs.rest,
        *(n for n in (needs.entity, needs.weight) if n is not None),
    ]
    for name in wanted:
        if name not in names:
            raise DataError(f"the table has no column {name!r}")
