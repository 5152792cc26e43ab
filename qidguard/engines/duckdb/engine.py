"""The DuckDB engine: opens every source that stands in a file, a folder, a store or memory."""

from dataclasses import dataclass, replace
from typing import Any

from duckdb import DuckDBPyConnection

from qidguard.core.column import ValueType
from qidguard.core.errors import DataError
from qidguard.core.spelling import Variants
from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.engines.codebook import read_codebook
from qidguard.engines.duckdb import naming, sources
from qidguard.engines.duckdb.columns import Shape, shape_of
from qidguard.engines.duckdb.connection import Connection, connect, reading, working
from qidguard.engines.duckdb.described import Described, describe_columns
from qidguard.engines.duckdb.dictionary import Dictionary, build_dictionaries, code, code_population
from qidguard.engines.duckdb.lockdown import lock
from qidguard.engines.duckdb.outside import KEPT, rest_of
from qidguard.engines.duckdb.related import determined
from qidguard.engines.duckdb.snapshot.opened import content_digest
from qidguard.engines.duckdb.snapshot.private_copy import as_grouped
from qidguard.engines.duckdb.snapshot.sampled import KeptDraw
from qidguard.engines.duckdb.snapshot.snapshot import DuckdbSnapshot, take_snapshot
from qidguard.engines.duckdb.sources import Staged
from qidguard.engines.duckdb.sources.file_bytes import path_digest
from qidguard.engines.duckdb.sources.kind import SourceKind, fetch, kind_of
from qidguard.engines.duckdb.sources.paths import to_path
from qidguard.engines.duckdb.sources.staged import loading
from qidguard.engines.duckdb.spelling import count_variants, find_variants
from qidguard.engines.duckdb.table import DuckdbTable
from qidguard.engines.duckdb.weights import sampled
from qidguard.engines.linked import LinkedTables, digest_of


@dataclass(frozen=True, kw_only=True)
class DuckdbEngine:
    """Group-by queries in DuckDB's SQL, in memory or spilled."""

    name: str = "duckdb"
    title: str = "group-by SQL on DuckDB, in this process; spills to disk beyond its memory limit"

    def can_open(self, source: Any) -> bool:
        """Whether this engine knows this kind of source."""
        return kind_of(source) is not None

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
            from qidguard.engines.duckdb.linked.copy import copy_linked

            return copy_linked(source, settings)
        return take_snapshot(source, options, settings)

    def source_digest(self, source: Any, options: ReadOptions, settings: EngineSettings | None = None) -> str:
        """Return a digest of the source as it is now, without consuming it."""
        settings = settings or EngineSettings()
        match kind_of(source):
            case SourceKind.PATH:
                return path_digest(to_path(source))
            case SourceKind.URL:
                with connect(settings) as connection:
                    return path_digest(fetch(source, connection.spill, "remote"))
            case SourceKind.ARROW if any(base.__name__ == _READER for base in type(source).__mro__):
                return NO_DIGEST
            case SourceKind.LINKED:
                digests = {t.name: self.source_digest(t.source, t.read, settings) for t in source.tables}
                return NO_DIGEST if NO_DIGEST in digests.values() else digest_of(digests)
            case _:
                return _of_content(source, options, settings)


ENGINE = DuckdbEngine()


def _open(connection: Connection, source: Any, options: ReadOptions, needs: Needs) -> DuckdbTable:
    codebook = read_codebook(options.codebook) if options.codebook is not None else None
    drawn: KeptDraw | None = None
    alike: tuple[Variants, ...] = ()
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
            rest = [i for i in range(len(shape.names)) if i not in dictionaries and i not in described]
            described |= describe_columns(connection.duckdb, shape, rest, needs.suppression_mark)
            if needs.compared:
                _tell_determined(connection, whole, staged, needs, dictionaries, described)
            if needs.compared and needs.rest:
                drawn = _drawn(connection, whole, staged, needs)
            if needs.entity is not None and needs.entity not in needs.columns:
                alike = find_variants(connection.duckdb, shape, [staged.names.index(needs.entity)], {}, None)
            # what the codes were made from can be as large as the source
            connection.duckdb.execute("DROP VIEW IF EXISTS raw_in_place")
            connection.duckdb.execute("DROP TABLE IF EXISTS raw")
            if staged.is_materialized:
                connection.duckdb.execute(f"DROP TABLE IF EXISTS {staged.relation}")
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
    table.kept_draw, table.entity_variants = drawn, alike
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


def _drawn(connection: Connection, relation: str, staged: sources.Staged, needs: Needs) -> KeptDraw:
    """Keep some records of the columns that are compared and published, and of the persons' column."""
    entity = () if needs.entity is None else (needs.entity,)
    names = dict.fromkeys((*needs.compared, *needs.rest, *entity))
    columns = {name: naming.column(staged.names.index(name)) for name in names}
    return KeptDraw.of(connection.duckdb, relation, columns, needs.suppression_mark, is_text=staged.is_text)


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
            if position is not None:
                _check_persons(connection.duckdb, staged, position)
            code_population(
                connection.duckdb, shape, dictionaries, positions, position, needs.suppression_mark
            )
            connection.duckdb.execute("DROP TABLE population_raw")
    return frozenset(positions), tuple(f"population table: {note}" for note in staged.notes)


def _check_persons(connection: DuckDBPyConnection, staged: Staged, position: int) -> None:
    """Check that no two persons of the population differ in writing only: they would count as two."""
    column = naming.column(position)
    values = f"(SELECT DISTINCT CAST({column} AS VARCHAR) AS value FROM population_raw)"
    alike = count_variants(connection, values, staged.names[position], ValueType.TEXT, None)
    if alike is not None:
        raise DataError(f"Of the population table: {alike.of_persons}")


def _check_named(names: tuple[str, ...], needs: Needs) -> None:
    wanted = [
        *(needs.columns or ()),
        *needs.rest,
        *(n for n in (needs.entity, needs.weight) if n is not None),
    ]
    for name in wanted:
        if name not in names:
            raise DataError(f"the table has no column {name!r}")


_SAMPLE = 100_000
_COLLAPSE_BELOW = 0.7
"""Collapse while reading when the first records hold fewer distinct ones than this share.

The share falls as more records come, so it stands high: at 0.7 of 100,000 a table of 10M is far below.
"""

_MOST_IN_PLACE = 32
"""Columns of a small source that is read in place: each is read from it anew, which costs by its width."""


def load(connection: DuckDBPyConnection, staged: Staged, needs: Needs) -> tuple[Shape, dict[int, Described]]:
    """Return the loaded shape, and the facts of columns that are not kept because nothing asks for them."""
    kept = _kept(staged, needs)
    if kept:
        columns = ", ".join(naming.column(i) for i in kept)
        if staged.rows is not None and staged.rows < _SAMPLE and len(staged.names) <= _MOST_IN_PLACE:
            # a small source stays where it is: it is coded from there, and copying it would cost more
            counted = f"(SELECT {columns}, 1 AS records FROM {staged.relation})"
            return _shape(connection, counted, staged), _describe_others(connection, staged, needs, kept)
        if _is_collapsible(connection, staged, columns):
            # grouped by every kept column in the one pass that reads the source
            grouped = f"SELECT {columns}, count(*) AS records FROM {staged.relation} GROUP BY {columns}"
            connection.execute(f"CREATE TABLE raw AS {grouped}")
            return _shape(connection, "raw", staged), _describe_others(connection, staged, needs, kept)
    # where only facts are wanted, a column is read once, from a source whose columns can be read apart
    is_read_once = needs.columns == () and staged.rows is not None and not staged.is_text
    if staged.is_materialized or is_read_once:
        connection.execute(f"CREATE VIEW raw_in_place AS SELECT *, 1 AS records FROM {staged.relation}")
        return _shape(connection, "raw_in_place", staged), {}
    columns = ", ".join(naming.column(i) for i in range(len(staged.names)))
    connection.execute(
        f"CREATE TABLE raw AS SELECT {columns}, CAST(1 AS UTINYINT) AS records FROM {staged.relation}"
    )
    return _shape(connection, "raw", staged), {}


def _shape(connection: DuckDBPyConnection, relation: str, staged: Staged) -> Shape:
    return shape_of(connection, relation, staged.names, staged.order, is_text=staged.is_text)


def _kept(staged: Staged, needs: Needs) -> list[int] | None:
    if needs.columns is None or needs.entity is not None or staged.is_materialized:
        return None
    return sorted({staged.names.index(name) for name in needs.columns})


def _is_collapsible(connection: DuckDBPyConnection, staged: Staged, columns: str) -> bool:
    rows, distinct = connection.execute(
        "SELECT coalesce(sum(n), 0), count(*) FROM (\n"
        f"SELECT count(*) AS n FROM (SELECT {columns} FROM {staged.relation} LIMIT {_SAMPLE})\n"
        f"GROUP BY {columns})"
    ).fetchall()[0]
    return bool(rows >= _SAMPLE and distinct < _COLLAPSE_BELOW * rows)


def _describe_others(
    connection: DuckDBPyConnection, staged: Staged, needs: Needs, kept: list[int]
) -> dict[int, Described]:
    rest = [i for i in range(len(staged.names)) if i not in kept]
    if not rest:
        return {}
    shape = _shape(connection, f"(SELECT *, 1 AS records FROM {staged.relation})", staged)
    return describe_columns(connection, shape, rest, needs.suppression_mark)


NO_DIGEST = "none"
"""What stands for the digest of a reader that can be read only once: its snapshot has one."""

_READER = "RecordBatchReader"


def _of_content(source: Any, options: ReadOptions, settings: EngineSettings) -> str:
    with connect(settings) as connection:
        staged = sources.stage(connection, source, options)
        try:
            with working(connection, "hashing the table", source="the table"):
                database = connection.duckdb
                described = database.execute(f"DESCRIBE SELECT * FROM {staged.relation}").fetchall()
                columns = [str(row[0]) for row in described]
                grouped = ", ".join(as_grouped(str(name), str(kind)) for name, kind, *_ in described)
                relation = f"(SELECT {grouped} FROM {staged.relation})"
                digest = content_digest(database, relation, columns, staged.names)
        finally:
            staged.release()
    return f"content:{digest}"
