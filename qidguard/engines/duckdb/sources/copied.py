"""Private copies: the file that a snapshot keeps, read back as a source."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from qidguard.core.errors import InternalError
from qidguard.core.files import PrivateFolder
from qidguard.engines.duckdb import naming
from qidguard.engines.duckdb.connection import Connection, reading
from qidguard.engines.duckdb.sources.staged import Staged
from qidguard.engines.sql.identifier import quote_text

TABLE = "records"
"""The one table of the file: columns c0, c1, … and ``position``, from 0, in the source's order."""


@dataclass(frozen=True, kw_only=True)
class Copied:
    """A file of DuckDB with all records of a source, just as they were staged.

    Args:
        path: The file.
        folder: The private directory in which it is.
        names: The real column names, in the source's order.
        kinds: DuckDB's type of each column.
        records: Number of records; 0 for a table of which none of some persons has any.
        is_text: Whether all columns are texts of a CSV, whose types are still to be inferred.
        notes: Sentences on how the source was read.
        source_digest: The digest of the bytes that were read; None where the source had none.
        order: Column → its values in the order that is declared of them.
        is_new: Whether its records are new ones and nobody's.
    """

    path: Path
    folder: PrivateFolder
    names: tuple[str, ...]
    kinds: tuple[str, ...]
    records: int
    is_text: bool
    notes: tuple[str, ...] = ()
    source_digest: str | None = None
    order: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    is_new: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """The names inside the file: c0, c1, …."""
        return tuple(naming.column(i) for i in range(len(self.names)))

    def staged(self, relation: str) -> Staged:
        """Return a relation of the same columns as a staged source."""
        return Staged(
            names=self.names,
            relation=relation,
            is_text=self.is_text,
            notes=self.notes,
            order=self.order,
            is_new=self.is_new,
        )


def attach(connection: Connection, path: Path) -> tuple[str, Callable[[], object]]:
    """Attach a private copy for reading; return its table, and what detaches it."""
    if not path.is_file():
        raise InternalError(
            "The private copy of the table is gone: its snapshot was closed before it was used."
        )
    catalog = connection.new_name("copied")
    with reading(connection, "the private copy"):
        connection.duckdb.execute(f"ATTACH {quote_text(str(path))} AS {catalog} (READ_ONLY, TYPE duckdb)")
    return f"{catalog}.{TABLE}", partial(connection.duckdb.execute, f"DETACH DATABASE IF EXISTS {catalog}")


def stage_copied(connection: Connection, copied: Copied) -> Staged:
    """Return a private copy as a staged source; texts become a table, as those of a CSV file do."""
    table, detach = attach(connection, copied.path)
    relation = f"(SELECT {', '.join(copied.columns)} FROM {table})"
    try:
        if copied.is_text:
            relation = _as_table(connection, relation)
        return replace(
            copied.staged(relation),
            rows=copied.records,
            is_materialized=copied.is_text,
            file_bytes=copied.path.stat().st_size,
            on_release=(detach,),
        )
    except BaseException:
        detach()
        raise


def _as_table(connection: Connection, relation: str) -> str:
    """Copy texts in their order: the first of them are what types are guessed from."""
    database = connection.duckdb
    table = connection.new_name("staged")
    with reading(connection, "the private copy"):
        before = database.execute("SELECT current_setting('preserve_insertion_order')").fetchall()[0][0]
        database.execute("SET preserve_insertion_order = true")
        try:
            database.execute(f"CREATE TABLE {table} AS SELECT * FROM {relation}")
        finally:
            database.execute(f"SET preserve_insertion_order = {before}")
    return table
