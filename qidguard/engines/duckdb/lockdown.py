"""The locked connection: after loading, SQL can neither reach files, nor load code, nor change a setting."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from qidguard.core.errors import MemoryLimitError, PluginError, UserError
from qidguard.engines.duckdb.connection import Connection, interrupted

if TYPE_CHECKING:
    import numpy as np
    from duckdb import DuckDBPyConnection

T = TypeVar("T")

_CHANGING_WORD = re.compile(r"\b(?:insert|update|delete|merge|truncate)\b", re.IGNORECASE)
_READING_NODES = frozenset({"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"})


def lock(connection: Connection) -> None:
    """Shut the connection off from files, networks, extensions and settings, for good.

    Args:
        connection: A connection whose inputs are loaded; locking it twice does no harm.

    Raises:
        UserError: when DuckDB refuses to lock, so that nothing unlocked is ever used.

    Example:
        >>> from qidguard.engines.base import EngineSettings
        >>> from qidguard.engines.duckdb.connection import connect
        >>> with connect(EngineSettings()) as connection:
        ...     lock(connection)
        ...     run_select(connection, "SELECT current_setting('enable_external_access')")
        [(False,)]
    """
    if _is_locked(connection.duckdb):
        return
    connection.duckdb.execute("SET enable_external_access = false")
    connection.duckdb.execute("SET lock_configuration = true")
    if not _is_locked(connection.duckdb):
        raise UserError("The DuckDB connection could not be locked, so nothing is measured; update duckdb.")


def run_select(connection: Connection, sql: str) -> list[tuple[Any, ...]]:
    """Run SQL that may come from a plugin: exactly one SELECT that changes nothing.

    Args:
        connection: A locked connection.
        sql: One SELECT statement.

    Returns:
        All rows; their order is the statement's.

    Raises:
        PluginError: when the text is not one reading SELECT, or DuckDB cannot run it. The message names the
            kind of error and no value of the table.
        MemoryLimitError: when the memory limit is too small for the statement.

    Example:
        >>> from qidguard.engines.base import EngineSettings
        >>> from qidguard.engines.duckdb.connection import connect
        >>> with connect(EngineSettings()) as connection:
        ...     run_select(connection, "SELECT 1; SELECT 2")
        Traceback (most recent call last):
        ...
        qidguard.core.errors.PluginError: SQL of a plugin must be one SELECT statement, not 2 statements.
    """
    return _fetched(connection, sql, lambda result: result.fetchall())


def run_arrays(connection: Connection, sql: str) -> "dict[str, np.ndarray[Any, Any]]":
    """Run SQL like ``run_select`` and return its columns as numpy arrays, by name in order."""
    return _fetched(connection, sql, lambda result: result.fetchnumpy())


def _fetched(connection: Connection, sql: str, fetch: "Callable[[DuckDBPyConnection], T]") -> "T":
    import duckdb

    try:
        check_select(connection, sql)
        return fetch(connection.duckdb.execute(sql))
    except duckdb.OutOfMemoryException as error:
        raise MemoryLimitError(
            f"The memory limit of {connection.memory_limit} is too small for this table, spilling to disk"
            " included; raise the memory limit or free disk space."
        ) from error
    except duckdb.Error as error:
        # DuckDB quotes the offending value in its message, so only the kind of error is passed on
        kind = type(error).__name__.removesuffix("Exception") or "unknown"
        raise PluginError(f"SQL of a plugin failed in DuckDB with a {kind} error; mend the plugin.") from None
    except RuntimeError as error:
        raise interrupted(error) from None


def check_select(connection: Connection, sql: str) -> None:
    """Check that a text of SQL is exactly one SELECT that changes nothing; do not run it.

    Args:
        connection: Any open connection; its parser judges.
        sql: The text.

    Raises:
        PluginError: when the text is not one reading SELECT.

    Example:
        >>> from qidguard.engines.base import EngineSettings
        >>> from qidguard.engines.duckdb.connection import connect
        >>> with connect(EngineSettings()) as connection:
        ...     check_select(connection, "DROP TABLE classes")
        Traceback (most recent call last):
        ...
        qidguard.core.errors.PluginError: SQL of a plugin must be one SELECT statement, not DROP.
    """
    import duckdb

    try:
        statements = connection.duckdb.extract_statements(sql)
    except duckdb.Error:
        raise PluginError("SQL of a plugin cannot be parsed by DuckDB; mend the plugin.") from None
    if len(statements) != 1:
        raise PluginError(f"SQL of a plugin must be one SELECT statement, not {len(statements)} statements.")
    kind = statements[0].type
    if kind != duckdb.StatementType.SELECT:
        raise PluginError(f"SQL of a plugin must be one SELECT statement, not {kind.name}.")
    # WITH x AS (INSERT … RETURNING …) SELECT … is a SELECT to the parser, yet it writes
    if _CHANGING_WORD.search(sql) and _is_changing(connection.duckdb, sql):
        raise PluginError("SQL of a plugin must only read, and this SELECT changes a table.")


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
    found: list[set[str]] = []
    waiting = [tree]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            kind = item.get("type")
            if isinstance(kind, str) and kind.endswith("_NODE"):
                found.append({kind})
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)
    return found
