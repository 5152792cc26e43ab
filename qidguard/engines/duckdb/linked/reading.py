"""Read several tables, find the person of each record, and make one table of persons of them."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from duckdb import DuckDBPyConnection

from qidguard.core.errors import ChangedError, DataError
from qidguard.engines.duckdb import naming, sources
from qidguard.engines.duckdb.connection import Connection
from qidguard.engines.duckdb.linked.dates import DateColumn, date_column
from qidguard.engines.duckdb.linked.making import PERSON, ConnectionRecords, sorting_of
from qidguard.engines.duckdb.snapshot.opened import content_digest, exact_text
from qidguard.engines.duckdb.snapshot.private_copy import as_grouped
from qidguard.engines.duckdb.sources.staged import Staged, loading
from qidguard.engines.linked import LinkedTables, OpenedTable


@dataclass(frozen=True, kw_only=True)
class ReadTable:
    """A table in the connection: its columns c0, c1, …, ``position`` and ``person``.

    Args:
        table: What was said of it.
        staged: What is known of its source; its relation is the table in the connection.
        kinds: DuckDB's type of each column.
        digest: The digest of its source's bytes, or else of its content.
        dates: Column → how its dates are read.
        sorting: SQL by which records stand in order; empty where there is none.
        orphans: How many records were left out since they reach nobody.
    """

    table: OpenedTable
    staged: Staged
    kinds: tuple[str, ...]
    digest: str
    dates: dict[str, DateColumn] = field(default_factory=dict)
    sorting: tuple[str, ...] = ()
    orphans: int = 0

    @property
    def relation(self) -> str:
        """Its name in the connection."""
        return self.staged.relation

    def column(self, name: str) -> str:
        """Return the name inside of a column."""
        return naming.column(self.staged.names.index(name))

    def kind(self, name: str) -> str:
        """Return the type of a column."""
        return self.kinds[self.staged.names.index(name)]

    def named(self, name: str) -> str:
        """Return what a sentence calls a column."""
        return f"Column {name!r} of table {self.table.name!r}"


@dataclass(kw_only=True)
class ReadTables:
    """The tables that were read so far, in order, and what speaks against publishing them."""

    tables: list[ReadTable] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)

    def of(self, name: str) -> ReadTable:
        """Return a table by its name."""
        return next(one for one in self.tables if one.table.name == name)


def read_tables(connection: Connection, source: LinkedTables) -> ReadTables:
    """Read every table into the connection and find the person of each record.

    Raises:
        DataError: When a column is missing, a key is not unique or NULL, or a date is none.
    """
    read = ReadTables()
    for place, table in enumerate(source.tables):
        one = _read(connection, table, f"linked_{place}", source.shift_days)
        database = connection.duckdb
        if table.key is not None:
            _check_key(database, one, table.key)
        if place == 0:
            database.execute(f"ALTER TABLE {one.relation} ADD COLUMN {PERSON} BIGINT")
            database.execute(f"UPDATE {one.relation} SET {PERSON} = position")
        else:
            one = _linked(database, read, one)
        read.doubts += _undecided(one)
        read.tables.append(one)
    return read


def _read(connection: Connection, table: OpenedTable, relation: str, shift_days: int) -> ReadTable:
    database = connection.duckdb
    try:
        staged = sources.stage(connection, table.source, table.read, is_hashed=True)
    except DataError as error:
        raise type(error)(f"Table {table.name!r}: {error}") from None
    with loading(staged):
        described = database.execute(f"DESCRIBE SELECT * FROM {staged.relation}").fetchall()
        kinds = [str(row[1]) for row in described[: len(staged.names)]]
        columns = ", ".join(as_grouped(naming.column(i), kind) for i, kind in enumerate(kinds))
        database.execute(
            f"CREATE TABLE {relation} AS SELECT {columns}, row_number() OVER () - 1 AS position\n"
            f"FROM {staged.relation}"
        )
    records = database.execute(f"SELECT count(*) FROM {relation}").fetchall()[0][0]
    if staged.rows not in {None, records}:
        raise ChangedError(
            f"Table {table.name!r} had {staged.rows:,} records and then {records:,}, so it changed while it"
            " was read; wait until it is complete."
        )
    if staged.is_materialized:
        database.execute(f"DROP TABLE IF EXISTS {staged.relation}")
    _check_columns(table, staged)
    one = ReadTable(
        table=table,
        staged=replace(staged, relation=relation, digest=None),
        kinds=tuple(kinds),
        digest=staged.digest or _content(database, relation, staged.names),
    )
    for name in table.dates:
        one.dates[name] = date_column(
            database, relation, one.column(name), one.kind(name), named=one.named(name), shift_days=shift_days
        )
    return replace(one, sorting=_sorting(database, one))


def _content(database: DuckDBPyConnection, relation: str, names: Sequence[str]) -> str:
    columns = [naming.column(i) for i in range(len(names))]
    return f"content:{content_digest(database, relation, columns, names)}"


def _check_columns(table: OpenedTable, staged: Staged) -> None:
    made = (one.column for one in table.made)
    wanted = (table.key, *table.references, table.order, *table.dates, *(table.decided or ()), *made)
    for name in dict.fromkeys(wanted):
        if name is not None and name not in staged.names:
            raise DataError(
                f"Table {table.name!r} has no column {name!r}, which the policy names; look at its header."
            )


def _check_key(database: DuckDBPyConnection, one: ReadTable, key: str) -> None:
    column = one.column(key)
    records, filled, distinct = database.execute(
        f"SELECT count(*), count({column}), count(DISTINCT {exact_text(column)}) FROM {one.relation}"
    ).fetchall()[0]
    if filled < records:
        raise DataError(
            f"{one.named(key)} is its key, and {records - filled:,} records have none; fill it or drop them."
        )
    if distinct < records:
        raise DataError(
            f"{one.named(key)} is its key and not unique: {records:,} records have {distinct:,} of it; name"
            " the column that tells them apart."
        )


def _undecided(one: ReadTable) -> list[str]:
    if one.table.decided is None:
        return []
    open_ones = [name for name in one.staged.names if name not in one.table.decided]
    if not open_ones:
        return []
    names = ", ".join(repr(name) for name in open_ones)
    what = "column" if len(open_ones) == 1 else "columns"
    decide = "name each in the policy, or drop it"
    return [f"Table {one.table.name!r} has the {what} {names}, on which nobody decided; {decide}."]


def parent_column(place: int) -> str:
    """Return the column that holds the place of the record that a record's n-th reference leads to."""
    return f"parent_{place}"


def _linked(database: DuckDBPyConnection, read: ReadTables, one: ReadTable) -> ReadTable:
    """Find the person of each record by its references, and leave out records that find nobody."""
    joins, persons, lost, places = [], [], [], []
    for place, (name, other) in enumerate(one.table.references.items()):
        parent = read.of(other)
        key = parent.table.key
        assert key is not None  # noqa: S101 - the policy has looked
        reference = f"{one.relation}.{one.column(name)}"
        joins.append(
            f"LEFT JOIN {parent.relation} AS parent_{place}\n"
            f"ON {exact_text(reference)} = {exact_text(f'parent_{place}.{parent.column(key)}')}"
        )
        persons.append(f"parent_{place}.{PERSON}")
        places.append(f"coalesce(parent_{place}.position, -1) AS {parent_column(place)}")
        lost.append(f"({reference} IS NOT NULL AND parent_{place}.{PERSON} IS NULL)")
    person = f"coalesce({', '.join(persons)})"
    apart = " OR ".join(f"{other} <> {person}" for other in persons)
    linked = f"{one.relation}_found"
    database.execute(
        f"CREATE TABLE {linked} AS\nSELECT {one.relation}.*, {person} AS {PERSON},\n"
        f"{', '.join(places)},\n"
        f"({person} IS NULL OR {' OR '.join(lost)}) AS is_orphan,\n"
        f"coalesce({apart}, false) AS is_apart\nFROM {one.relation}\n" + "\n".join(joins)
    )
    database.execute(f"DROP TABLE {one.relation}")
    orphans, several = database.execute(
        f"SELECT count(*) FILTER (WHERE is_orphan), count(*) FILTER (WHERE is_apart) FROM {linked}"
    ).fetchall()[0]
    if orphans and not one.table.drops_orphans:
        read.doubts.append(
            f"Table {one.table.name!r} has {orphans:,} records that refer to nobody; mend them, or write"
            " orphans: drop to leave them out."
        )
    if several:
        read.doubts.append(
            f"Table {one.table.name!r} has {several:,} records whose references lead to different persons;"
            " mend them."
        )
    database.execute(
        f"CREATE TABLE {one.relation} AS SELECT * EXCLUDE (position, is_orphan, is_apart),\n"
        f"row_number() OVER (ORDER BY position) - 1 AS position\nFROM {linked} WHERE NOT is_orphan"
    )
    database.execute(f"DROP TABLE {linked}")
    return replace(one, orphans=int(orphans))


def persons_staged(database: DuckDBPyConnection, read: ReadTables) -> Staged:
    """Return the persons with what is made of the records of others, as a staged source."""
    persons = read.tables[0]
    names = list(persons.staged.names)
    columns = [f"persons.{naming.column(i)}" for i in range(len(names))]
    joins: list[str] = []
    for one in read.tables[1:]:
        for made in one.table.made:
            if made.name in names:
                raise DataError(
                    f"The persons' table {persons.table.name!r} has a column {made.name!r}, and one of that"
                    f" name is made of {one.table.name!r}; rename it under per_person."
                )
            records = ConnectionRecords(relation=one.relation, sorting=one.sorting)
            column = None if made.column is None else one.column(made.column)
            date = None if made.column is None else one.dates.get(made.column)
            select, nothing = records.made(made.way, column, date)
            alias = f"made_{len(joins)}"
            # computed once: a view would be computed again with every reading
            database.execute(f"CREATE TABLE {alias} AS {select}")
            value = f"coalesce({alias}.made, {nothing})" if nothing != "NULL" else f"{alias}.made"
            if persons.staged.is_text:
                value = exact_text(value)
            columns.append(f"{value} AS {naming.column(len(names))}")
            joins.append(f"LEFT JOIN {alias} ON {alias}.{PERSON} = persons.position")
            names.append(made.name)
    relation = (
        f"(SELECT {', '.join(columns)}, persons.position\nFROM {persons.relation} AS persons\n"
        + "\n".join(joins)
        + ")"
    )
    return replace(persons.staged, names=tuple(names), relation=relation, notes=_notes(read.tables))


def _sorting(database: DuckDBPyConnection, one: ReadTable) -> tuple[str, ...]:
    order = one.table.order
    if order is None:
        return ()
    return sorting_of(
        database,
        one.relation,
        one.column(order),
        one.kind(order),
        one.dates.get(order),
        named=one.named(order),
    )


def _notes(tables: Sequence[ReadTable]) -> tuple[str, ...]:
    said = [f"table {one.table.name}: {note}" for one in tables for note in one.staged.notes]
    said += [
        f"table {one.table.name}: {one.orphans:,} records that refer to nobody are left out"
        for one in tables
        if one.orphans and one.table.drops_orphans
    ]
    return tuple(said)
