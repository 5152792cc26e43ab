"""Run a query step by step where memory is too short for all of its operators at once."""

import re
from typing import Any

from qidguard.core.errors import MemoryLimitError
from qidguard.engines.duckdb.connection import Connection, reading
from qidguard.engines.duckdb.lockdown import check_select, run_select
from qidguard.engines.sql.statement import Query


def run_query(connection: Connection, query: Query) -> list[tuple[Any, ...]]:
    """Return the rows of a query: as one statement, or else with a table for every step.

    Raises:
        PluginError: When the SQL of a plugin in it is not one reading SELECT.
        MemoryLimitError: When even a single step needs more than the memory limit and the disk give.
    """
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
