"""Batches in a database behind SQLAlchemy: the wanted columns are fetched as an Arrow table."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from great_expectations.compatibility.sqlalchemy import sqlalchemy as sa

from qidguard.core.errors import DataError
from qidguard.engines.base import ReadOptions
from qidguard.engines.duckdb.sources.names import check_names
from qidguard.interfaces.gx.batches.held import HeldBatch
from qidguard.interfaces.gx.batches.rows import arrow_table

RECORDS_A_FETCH = 50_000
"""How many records are Python objects at one time."""


class SqlBatch(HeldBatch):
    """A batch on the ``SqlAlchemyExecutionEngine``."""

    def names(self) -> tuple[str, ...]:
        """Return the column names."""
        nothing = sa.select(sa.text("*")).select_from(self._selectable).where(sa.text("1 = 0"))
        with self.execution_engine.get_connection() as connection:
            return check_names(list(connection.execute(nothing).keys()), "the SQL batch")

    @contextmanager
    def source(self, columns: Sequence[str] | None) -> Iterator[tuple[Any, ReadOptions]]:
        """Return the columns as an Arrow table, NULL as NULL and whole numbers exact."""
        names = self.names() if columns is None else tuple(columns)
        quoted = [sa.column(sa.quoted_name(name, quote=True)) for name in names]
        # rows stay in the database until they are fetched, where it can keep them
        wanted = sa.select(*quoted).select_from(self._selectable).execution_options(stream_results=True)
        with self.execution_engine.get_connection() as connection, connection.execute(wanted) as result:
            table = arrow_table(names, result.partitions(RECORDS_A_FETCH))
        yield table, ReadOptions()

    @property
    def _selectable(self) -> Any:
        selectable = self.execution_engine.get_domain_records(dict(self.domain))
        if isinstance(selectable, str):
            raise DataError("The SQL batch is a text of SQL; give it as a query asset of its data source.")
        return selectable
