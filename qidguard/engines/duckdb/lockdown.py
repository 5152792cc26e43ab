"""A connection that is shut off, and the statements that run on it."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from qidguard.core.errors import MemoryLimitError, PluginError, UserError
from qidguard.core.guard import is_debugging
from qidguard.core.watchdog import Interrupted
from qidguard.engines.duckdb.connection import Connection, reading, refusal, told, unwritable
from qidguard.engines.sql.statement import Query

if TYPE_CHECKING:
    import duckdb
    import numpy as np
    from duckdb import DuckDBPyConnection


T = TypeVar("T")

_CHANGING_WORD = re.compile(r"\b(?:insert|update|delete|merge|truncate)\b", re.IGNORECASE)
_READING_NODES = frozenset({"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"})


def lock(connection: Connection) -> None:
    """Shut the connection off from files, networks, extensions and settings, for good."""
    if _is_locked(connection.duckdb):
        return
    connection.duckdb.execute("SET enable_external_access = false")
    connection.duckdb.execute("SET lock_configuration = true")
    if not _is_locked(connection.duckdb):
        raise UserError("The DuckDB connection could not be locked, so nothing is measured; update duckdb.")


def run_select(connection: Connection, sql: str) -> list[tuple[Any, ...]]:
    """Run SQL that may come from a plugin: exactly one SELECT that changes nothing."""
    return _fetched(connection, sql, lambda result: result.fetchall())


def run_arrays(connection: Connection, sql: str) -> "dict[str, np.ndarray[Any, Any]]":
    """Run SQL like ``run_select`` and return its columns as numpy arrays, by name in order."""
    return _fetched(connection, sql, lambda result: result.fetchnumpy())


def _fetched(connection: Connection, sql: str, fetch: "Callable[[DuckDBPyConnection], T]") -> "T":
    def fault(error: "duckdb.Error", kind: str) -> BaseException:
        if (reason := refusal(error)) is not None:
            return unwritable(connection.spill.parent, "measuring", reason)
        said = f"SQL of a plugin failed in DuckDB with a {kind} error; mend the plugin"
        raise PluginError.of_somebody(said) from (error if is_debugging() else None)

    if connection.is_interrupted:
        raise Interrupted
    too_small = (
        "is too small for this table, spilling to disk included; raise the memory limit or free disk space."
    )
    with told(connection, too_small, fault):
        check_select(connection, sql)
        return fetch(connection.duckdb.execute(sql))


def check_select(connection: Connection, sql: str) -> None:
    """Check that a text of SQL is exactly one SELECT that changes nothing; do not run it."""
    import duckdb

    try:
        statements = connection.duckdb.extract_statements(sql)
    except duckdb.Error as error:
        raise PluginError.of_somebody("SQL of a plugin cannot be parsed by DuckDB; mend the plugin") from (
            error if is_debugging() else None
        )
    if len(statements) != 1:
        raise PluginError.of_somebody(
            f"SQL of a plugin must be one SELECT statement, not {len(statements)} statements"
        )
    kind = statements[0].type
    if kind != duckdb.StatementType.SELECT:
        raise PluginError.of_somebody(f"SQL of a plugin must be one SELECT statement, not {kind.name}")
    # WITH x AS (INSERT … RETURNING …) SELECT … is a SELECT to the parser, yet it writes
    if _CHANGING_WORD.search(sql) and _is_changing(connection.duckdb, sql):
        raise PluginError.of_somebody("SQL of a plugin must only read, and this SELECT changes a table")


def _is_locked(database: "DuckDBPyConnection") -> bool:
    rows = database.execute(
        "SELECT current_setting('enable_external_access'), current_setting('lock_configuration')"
    ).fetchall()
    return bool(rows == [(False, True)])


def _is_changing(database: "DuckDBPyConnection", sql: str) -> bool:
    import json

    rows = database.execute("SELECT CAST(json_serialize_sql(?) AS VARCHAR)", [sql]).fetchall()
    tree = json.loads(rows[0][0])
    return bool(tree.get("error", True)) or any(not node <= _READING_NODES for node in _node_types(tree))


def _node_types(tree: object) -> list[set[str]]:
    node_types: list[set[str]] = []
    waiting = [tree]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            kind = item.get("type")
            if isinstance(kind, str) and kind.endswith("_NODE"):
                node_types.append({kind})
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)
    return node_types


def run_query(connection: Connection, query: Query) -> list[tuple[Any, ...]]:
    """Return the rows of a query: as one statement, or else with a table for every step."""
    try:
        return run_select(connection, query.sql)
    except MemoryLimitError:
        return _run_steps(connection, query)


def _run_steps(connection: Connection, query: Query) -> list[tuple[Any, ...]]:
    made: list[str] = []
    later = [step.sql for step in query.steps[1:]] + [query.select]
    try:
        for done, step in enumerate(query.steps):
            check_select(connection, step.sql)
            with reading(connection, "the table"):
                connection.duckdb.execute(f"CREATE OR REPLACE TABLE {step.name} AS\n{step.sql}")
            made.append(step.name)
            rest = " ".join(later[done:])
            for name in [name for name in made if not re.search(rf"\b{name}\b", rest)]:
                connection.duckdb.execute(f"DROP TABLE {name}")
                made.remove(name)
        return run_select(connection, query.select)
    finally:
        for name in made:
            connection.duckdb.execute(f"DROP TABLE {name}")
