"""Open a table to ask it something, without an audit."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

from qidguard.auditing.context import AuditContext
from qidguard.core.progress import SILENT
from qidguard.engines.base import EngineSettings, Needs, ReadOptions, Table
from qidguard.host import load_host

if TYPE_CHECKING:
    from qidguard.host import Host

_EVERYTHING = Needs()


@contextmanager
def open_table(
    source: Any,
    needs: Needs = _EVERYTHING,
    *,
    read: ReadOptions | None = None,
    settings: EngineSettings | None = None,
    engine: str = "duckdb",
    host: "Host | None" = None,
) -> Iterator[Table]:
    """Open a table and lock it down, and close it at the end; nobody recognizes or judges anything.

    Args:
        source: The table, as ``qidguard.audit`` takes it. It is never changed.
        needs: What will be asked of it; by default anything, of records.
        read: How the source is read; None finds it out.
        settings: Memory limit, threads and spill directory.
        engine: The engine's name.
        host: The plugins; None takes the installed ones.

    Returns:
        A context manager that gives the table.

    Raises:
        UserError: When there is no such engine, or it cannot open the source.
        DataError: When the source cannot be read without guessing.

    Example:
        >>> import pandas as pd
        >>> with open_table(pd.DataFrame({"age": [30, 30, 41]})) as table:
        ...     [(one.name, one.groups) for one in table.columns]
        [('age', 2)]
    """
    context = AuditContext.of(
        source, None, host or load_host(), engine=engine, read=read, settings=settings, progress=SILENT
    )
    with closing(context.engine.open(context.source, context.read, needs, context.settings)) as table:
        yield table
