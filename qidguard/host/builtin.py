"""The engine that the host brings along, offered through the same hook as anyone's."""

from collections.abc import Iterable

from qidguard.engines.base import Engine
from qidguard.host.hookspecs import hookimpl


@hookimpl
def qidguard_engines() -> Iterable[Engine]:
    """Return the DuckDB engine."""
    from qidguard.engines.duckdb import ENGINE

    return (ENGINE,)
