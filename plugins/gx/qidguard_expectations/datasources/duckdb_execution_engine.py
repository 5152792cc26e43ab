"""The execution engine of DuckDB batches: our expectations run in DuckDB, all others on a DataFrame."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from great_expectations.execution_engine import PandasExecutionEngine
from great_expectations.execution_engine.pandas_batch_data import PandasBatchData

from qidguard.sdk import EngineSettings, ReadOptions, database_frame, load_host, quote

if TYPE_CHECKING:
    import pandas as pd


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
        return load_host().engine("duckdb").column_names(self.source, self.options, EngineSettings())

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
        table = None if self.table is None else (self.schema, self.table)
        return database_frame(self.database, query=self.query, table=table)


class DuckDBBatchData(PandasBatchData):
    """The records of one batch, which become a DataFrame only when an expectation asks for one.

    Args:
        execution_engine: The execution engine.
        origin: Where the records are.
    """

    def __init__(self, execution_engine: "DuckDBExecutionEngine", origin: RelationOrigin) -> None:
        super().__init__(execution_engine, dataframe=None)
        self.origin = origin

    @cached_property
    def dataframe(self) -> "pd.DataFrame":
        """All records as a DataFrame."""
        return self.origin.frame()

    @property
    def has_dataframe(self) -> bool:
        """Whether an expectation asked for the DataFrame."""
        return "dataframe" in self.__dict__


class DuckDBExecutionEngine(PandasExecutionEngine):
    """Metrics that are not made for DuckDB find those made for pandas."""

    def origin(self, batch_id: str | None) -> RelationOrigin:
        """Return where the records of a batch are.

        Example:
            >>> DuckDBExecutionEngine().origin("visits")
            Traceback (most recent call last):
            ...
            KeyError: 'visits'
        """
        batches = self.batch_manager
        data = batches.batch_data_cache[batch_id or batches.active_batch_data_id]
        origin: RelationOrigin = data.origin
        return origin
