"""DuckDB files: one table, or one SELECT."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from qidguard.core.errors import DataError, PluginError, UserError
from qidguard.engines.base import ReadOptions
from qidguard.engines.duckdb.connection import Connection, reading
from qidguard.engines.duckdb.lockdown import check_select
from qidguard.engines.duckdb.sources.staged import Staged, check_names
from qidguard.engines.duckdb.sources.typed import stage_typed
from qidguard.engines.sql.identifier import quote, quote_text

_TABLES = """
SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = ? AND NOT internal
UNION ALL
SELECT schema_name, view_name FROM duckdb_views() WHERE database_name = ? AND NOT internal
ORDER BY ALL
"""


def database_names(connection: Connection, path: Path, label: str, options: ReadOptions) -> tuple[str, ...]:
    """Return the column names of a table or a query of a DuckDB file."""
    with held(connection, path, label) as catalog:
        if options.query is not None:
            return _query_names(connection, catalog, label, options.query)
        table = _find_table(connection, catalog, label, options.table)
        return _names(connection, f"SELECT * FROM {table}", label)


def stage_database(connection: Connection, path: Path, label: str, options: ReadOptions) -> Staged:
    """Return a table or a query of a DuckDB file, opened for reading only."""
    if options.query is not None and options.table is not None:
        raise UserError("`table:` and `query:` exclude each other; give one of them.")
    database = connection.duckdb
    with ExitStack() as opened:
        catalog = opened.enter_context(held(connection, path, label))
        if options.query is not None:
            names = _query_names(connection, catalog, label, options.query)
            table = connection.new_name("query")
            columns = ", ".join(f"c{i}" for i in range(len(names)))
            with reading(connection, f"the query on {label!r}"), _using(connection, catalog):
                database.execute(f"CREATE TABLE memory.main.{table}({columns}) AS {options.query}")
            opened.pop_all().close()  # what was asked is a table of this connection now
            opened.callback(database.execute, f"DROP TABLE IF EXISTS {table}")
        else:
            table = _find_table(connection, catalog, label, options.table)
            names = _names(connection, f"SELECT * FROM {table}", label)
        with reading(connection, f"the file {label!r}"):
            return stage_typed(
                database,
                names,
                table,
                repr(label),
                options,
                file_bytes=path.stat().st_size,
                order=_enums(connection, names, table),
                on_release=(opened.pop_all().close,),
            )


def _enums(connection: Connection, names: tuple[str, ...], table: str) -> dict[str, tuple[str, ...]]:
    """Return the values of columns that are ENUMs, which are in order by definition."""
    described = connection.duckdb.execute(f"DESCRIBE SELECT * FROM {table}").fetchall()
    kinds = zip(names, (str(row[1]) for row in described), strict=True)
    ranges = {n: f"enum_range(CAST(NULL AS {kind}))" for n, kind in kinds if kind.startswith("ENUM(")}
    if not ranges:
        return {}
    [values] = connection.duckdb.execute(f"SELECT {', '.join(ranges.values())}").fetchall()
    return {name: tuple(given) for name, given in zip(ranges, values, strict=True)}


@contextmanager
def held(connection: Connection, path: Path, label: str) -> Iterator[str]:
    """Give the name of an attached DuckDB file, which keeps others from writing; DataError where one may."""
    import duckdb

    catalog = connection.new_name("source")
    try:
        connection.duckdb.execute(
            f"ATTACH {quote_text(str(path.absolute()))} AS {catalog} (READ_ONLY, TYPE duckdb)"
        )
    except duckdb.Error:
        raise DataError(
            f"The file {label!r} cannot be opened as a DuckDB database; check that it is one and that no"
            " other"
            " program has it open."
        ) from None
    try:
        yield catalog
    finally:
        connection.duckdb.execute(f"DETACH DATABASE IF EXISTS {catalog}")


@contextmanager
def _using(connection: Connection, catalog: str) -> Iterator[None]:
    """Let table names of a query mean tables of the file."""
    connection.duckdb.execute(f"USE {catalog}")
    try:
        yield
    finally:
        connection.duckdb.execute("USE memory")


def _query_names(connection: Connection, catalog: str, label: str, query: str) -> tuple[str, ...]:
    try:
        check_select(connection, query)
    except PluginError:
        raise UserError("`query:` must be one SELECT statement that changes nothing; correct it.") from None
    with _using(connection, catalog):
        return _names(connection, query, label)


def _names(connection: Connection, select: str, label: str) -> tuple[str, ...]:
    with reading(connection, f"the file {label!r}"):
        rows = connection.duckdb.execute(f"DESCRIBE {select}").fetchall()
    return check_names([row[0] for row in rows], repr(label))


def _find_table(connection: Connection, catalog: str, label: str, wanted: str | None) -> str:
    tables = [
        (str(schema), str(name))
        for schema, name in connection.duckdb.execute(_TABLES, [catalog, catalog]).fetchall()
    ]
    shown = ", ".join(f"{schema}.{name}" for schema, name in tables[:5]) or "none"
    if wanted is None:
        if len(tables) != 1:
            raise DataError(
                f"The file {label!r} has {len(tables)} tables ({shown}); set `table:` or `query:`."
            )
        matches = tables
    else:
        matches = [(s, n) for s, n in tables if wanted in {n, f"{s}.{n}"}]
        if len(matches) > 1:
            matches = [(s, n) for s, n in matches if wanted == f"{s}.{n}"]
        if len(matches) != 1:
            raise DataError(
                f"The file {label!r} has not one table {wanted!r} but these: {shown}; set `table:`."
            )
    schema, name = matches[0]
    return f"{catalog}.{quote(schema)}.{quote(name)}"
