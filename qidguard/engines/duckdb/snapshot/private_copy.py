"""Make the private copy: one file of DuckDB in a directory that nobody else can enter."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from qidguard.core.errors import ChangedError
from qidguard.core.files import PrivateFolder
from qidguard.engines.base import EngineSettings, ReadOptions
from qidguard.engines.duckdb import naming, sources
from qidguard.engines.duckdb.connection import Connection, cannot_write, working
from qidguard.engines.duckdb.snapshot.lending import Lender
from qidguard.engines.duckdb.snapshot.opened import Opened, opened
from qidguard.engines.duckdb.sources.copied import TABLE, Copied, attach
from qidguard.engines.duckdb.sources.staged import loading
from qidguard.engines.sql.identifier import quote_text

_FILE = "records.duckdb"
_COPYING = "copying the table"
AS_READ = "row_number() OVER () - 1"


@contextmanager
def new_folder(settings: EngineSettings) -> Iterator[PrivateFolder]:
    """Give a new private directory for a copy, which is removed where anything fails."""
    try:
        folder = PrivateFolder(settings.spill_directory)
    except OSError as error:
        place = Path(settings.spill_directory or tempfile.gettempdir()) / _FILE
        raise cannot_write(place, _COPYING, error) from None
    try:
        yield folder
    except BaseException:
        folder.remove()
        raise


def copy_source(source: Any, options: ReadOptions, lender: Lender) -> Copied:
    """Copy all records of a source, in its order, into a file of a new private directory."""
    with (
        new_folder(lender.settings) as folder,
        lender.lent() as connection,
        working(connection, _COPYING, source="the table"),
    ):
        staged = sources.stage(connection, source, options, is_hashed=True)
        with loading(staged):
            copied = copy_staged(connection, staged, folder)
        if staged.rows not in {None, copied.records}:
            raise ChangedError(
                f"The source had {staged.rows:,} records and then {copied.records:,}, so it changed while it"
                " was read; wait until it is complete."
            )
        return copied


def copy_staged(
    connection: Connection, staged: sources.Staged, folder: PrivateFolder, *, position: str = AS_READ
) -> Copied:
    """Copy a staged relation into a new file.

    Numbers and texts that a GROUP BY takes as one are written as one, so that what is published is what was
    counted: -0.0 as 0.0, and every NaN as one.
    """
    database = connection.duckdb
    catalog = connection.new_name("kept")
    kinds = [str(row[1]) for row in database.execute(f"DESCRIBE SELECT * FROM {staged.relation}").fetchall()]
    columns = ", ".join(
        as_grouped(naming.column(i), kind) for i, kind in enumerate(kinds[: len(staged.names)])
    )
    path = folder.path / _FILE
    order = "" if position == AS_READ else "\nORDER BY position"
    database.execute(f"ATTACH {quote_text(str(path))} AS {catalog} (TYPE duckdb)")
    path.chmod(0o600)  # before any record is in it
    database.execute(
        f"CREATE TABLE {catalog}.{TABLE} AS\n"
        f"SELECT {columns}, CAST({position} AS BIGINT) AS position\nFROM {staged.relation}{order}"
    )
    # at DETACH an error would be swallowed
    database.execute(f"CHECKPOINT {catalog}")
    database.execute(f"DETACH {catalog}")
    table, detach = attach(connection, path)
    described = database.execute(f"DESCRIBE {table}").fetchall()
    records = database.execute(f"SELECT count(*) FROM {table}").fetchall()[0][0]
    detach()
    return Copied(
        path=path,
        folder=folder,
        names=staged.names,
        kinds=tuple(str(row[1]) for row in described[:-1]),
        records=int(records),
        is_text=staged.is_text,
        notes=staged.notes,
        source_digest=staged.digest,
        order=staged.order,
        is_new=staged.is_new,
    )


def as_grouped(column: str, kind: str) -> str:
    """Return SQL for a column in which values that a GROUP BY takes as one are one."""
    if kind in {"DOUBLE", "FLOAT"}:
        zero = f"WHEN {column} = 0 THEN CAST(0 AS {kind})"
        nan = f"WHEN isnan({column}) THEN CAST('nan' AS {kind})"
        return f"CASE {zero} {nan} ELSE {column} END AS {column}"
    return column


def remade(
    copied: Copied,
    lender: Lender,
    doing: str,
    staged_of: Callable[[Opened], sources.Staged],
    *,
    position: str = "place",
) -> Copied:
    """Return a new copy of what is staged of one; ``position`` is the column of the records' new places."""
    with new_folder(lender.settings) as folder, opened(copied, lender, doing) as source:
        staged = staged_of(source)
        made = copy_staged(source.connection, staged, folder, position=position)
        staged.release()
    return made


def remove(copied: Copied) -> None:
    """Remove a copy with its directory; a second call does nothing."""
    copied.folder.remove()
