"""Where the records of a DuckDB batch are: a table or a query of a file, or a relation."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qidguard.core.errors import DataError
from qidguard.engines.base import EngineSettings, ReadOptions
from qidguard.engines.duckdb import ENGINE
from qidguard.engines.duckdb.connection import connect, reading
from qidguard.engines.sql.identifier import quote, quote_text

if TYPE_CHECKING:
    import pandas as pd

    from qidguard.engines.duckdb.connection import Connection

CATALOG = "gx_database"
"""What a file is called on the connection that it is attached to."""


@dataclass(frozen=True, kw_only=True)
class RelationOrigin:
    """One of a table, a query and a relation.

    Args:
        database: The file; None for a relation.
        schema: The table's schema.
        table: The table or view.
        query: One SELECT over the file.
        relation: A relation of another connection; it is run whenever it is read.
    """

    database: str | None = None
    schema: str = "main"
    table: str | None = None
    query: str | None = None
    relation: Any = field(default=None, repr=False)  # its text is the first records

    @property
    def source(self) -> Any:
        """What the engine opens."""
        return self.relation if self.database is None else self.database

    @property
    def options(self) -> ReadOptions:
        """How the engine opens it."""
        if self.database is None:
            return ReadOptions()
        table = None if self.table is None else f"{self.schema}.{self.table}"
        return ReadOptions(format="duckdb", table=table, query=self.query)

    def names(self) -> tuple[str, ...]:
        """Return the column names.

        Example:
            >>> RelationOrigin(database="nowhere.duckdb", table="visits").names()
            Traceback (most recent call last):
            ...
            qidguard.core.errors.DataError: The file 'nowhere.duckdb' does not exist; check the path.
        """
        return ENGINE.column_names(self.source, self.options, EngineSettings())

    def narrowed(self, columns: Sequence[str]) -> "RelationOrigin":
        """Return the same records with some of their columns only.

        Example:
            >>> RelationOrigin(database="x.duckdb", table="visits").narrowed(["age"]).query
            'SELECT "age" FROM "main"."visits"'
        """
        wanted = ", ".join(quote(name) for name in columns)
        if self.database is None:
            return RelationOrigin(relation=self.relation.project(wanted))
        # a comment at the end of a query ends with its line
        inner = (
            f"({self.query}\n)"
            if self.query is not None
            else f"{quote(self.schema)}.{quote(str(self.table))}"
        )
        select = f"SELECT {wanted} FROM {inner}"  # noqa: S608 - columns are quoted, the query is the user's own
        return RelationOrigin(database=self.database, query=select)

    def frame(self) -> "pd.DataFrame":
        """Return all records as a DataFrame, for expectations that know nothing of DuckDB.

        Example:
            >>> RelationOrigin(database="nowhere.duckdb", table="visits").frame()
            Traceback (most recent call last):
            ...
            qidguard.core.errors.DataError: The file 'nowhere.duckdb' does not exist; check the path.
        """
        frame: pd.DataFrame
        if self.database is None:
            frame = self.relation.df()
            return frame
        self.names()  # whatever is wrong is said in our words
        with attached(self.database) as connection, reading(connection, repr(Path(self.database).name)):
            frame = connection.duckdb.execute(self.query or f"FROM {CATALOG}.{self._table}").df()
        return frame

    @property
    def _table(self) -> str:
        return f"{quote(self.schema)}.{quote(str(self.table))}"


@contextmanager
def attached(database: str) -> "Iterator[Connection]":
    """Open a file of DuckDB for reading."""
    path = Path(database).absolute()
    if not path.is_file():
        raise DataError(f"There is no DuckDB database {database!r}; check the path.")
    with connect(EngineSettings()) as connection:
        try:
            with reading(connection, path.name):
                attach = f"ATTACH {quote_text(str(path))} AS {CATALOG} (READ_ONLY, TYPE duckdb)"
                connection.duckdb.execute(attach)
                connection.duckdb.execute(f"USE {CATALOG}")
        except DataError:
            raise DataError(
                f"The file {path.name!r} cannot be opened as a DuckDB database; check that it is one and that"
                " nobody has it open for writing. Where this program has, give a relation of its connection"
                " to a DataFrame asset."
            ) from None
        yield connection
