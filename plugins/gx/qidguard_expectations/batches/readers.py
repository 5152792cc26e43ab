"""Batches of Great Expectations, each as a source that an engine opens.

Whatever the library below raises is raised as it is: its text may hold values of the table, and the one who
asks keeps it to himself.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from great_expectations.compatibility.sqlalchemy import sqlalchemy as sa

from qidguard.sdk import DataError, EngineSettings, ReadOptions, check_names, load_host
from qidguard_expectations.batches.arrow import arrow_table
from qidguard_expectations.batches.pandas_files import file_of
from qidguard_expectations.datasources.duckdb_execution_engine import RelationOrigin


def label_of(execution_engine: Any, batch_id: str | None) -> str:
    """Return what reports call a batch.

    Example:
        >>> from great_expectations.execution_engine import PandasExecutionEngine
        >>> label_of(PandasExecutionEngine(), None)
        'batch'
    """
    batches = execution_engine.batch_manager
    batch = batches.batch_cache.get(batch_id or batches.active_batch_id)
    source, asset = getattr(batch, "datasource", None), getattr(batch, "data_asset", None)
    if source is None or asset is None:
        return "batch"
    return f"{source.name}/{asset.name}"


@dataclass(frozen=True, kw_only=True)
class HeldBatch:
    """A batch that an execution engine holds.

    Args:
        execution_engine: The execution engine.
        domain: Which batch it is, as metrics are told.
    """

    execution_engine: Any
    domain: Mapping[str, Any]

    @property
    def label(self) -> str:
        """Data source and asset."""
        return label_of(self.execution_engine, self.domain.get("batch_id"))


def spec_of(batch: HeldBatch) -> Mapping[str, Any]:
    """Return how the data source got a batch; nothing for one that was handed over.

    Example:
        >>> from great_expectations.execution_engine import PandasExecutionEngine
        >>> spec_of(HeldBatch(execution_engine=PandasExecutionEngine(), domain={}))
        {}
    """
    batches = batch.execution_engine.batch_manager
    held = batches.batch_cache.get(batch.domain.get("batch_id") or batches.active_batch_id)
    return getattr(held, "batch_spec", None) or {}


class DuckDBBatch(HeldBatch):
    """A batch on the ``DuckDBExecutionEngine``."""

    def names(self) -> tuple[str, ...]:
        """Return the column names."""
        return self._origin.names()

    @contextmanager
    def source(self, columns: Sequence[str] | None) -> Iterator[tuple[Any, ReadOptions]]:
        """Return the file or the relation; a query of the wanted columns where there are more."""
        origin = self._origin
        if columns is not None and set(columns) != set(origin.names()):
            origin = origin.narrowed(columns)
        yield origin.source, origin.options

    @property
    def _origin(self) -> RelationOrigin:
        origin: RelationOrigin = self.execution_engine.origin(self.domain.get("batch_id"))
        return origin


class PandasBatch(HeldBatch):
    """A batch on the ``PandasExecutionEngine``."""

    def names(self) -> tuple[str, ...]:
        """Return the column names."""
        file = self._file
        if file is not None:
            return load_host().engine("duckdb").column_names(*file, EngineSettings())
        return check_names(list(self._frame.columns), "the DataFrame")

    @contextmanager
    def source(self, columns: Sequence[str] | None) -> Iterator[tuple[Any, ReadOptions]]:
        """Return the file itself where pandas may have made other values of it.

        Else it is the frame, or one of some of its columns that shares their values.
        """
        file = self._file
        if file is not None:
            yield file
            return
        frame = self._frame
        if columns is None or set(columns) == set(frame.columns):
            yield frame, ReadOptions()
            return
        import pandas as pd

        part = {name: frame[name] for name in columns}
        yield pd.DataFrame(part, index=frame.index, copy=False), ReadOptions()

    @property
    def _frame(self) -> Any:
        return self.execution_engine.get_domain_records(dict(self.domain))

    @property
    def _file(self) -> tuple[str, ReadOptions] | None:
        return file_of(spec_of(self), tuple(map(str, self._frame.columns)))


class SparkBatch(HeldBatch):
    """A batch on the ``SparkDFExecutionEngine``."""

    def names(self) -> tuple[str, ...]:
        """Return the column names."""
        return check_names(list(self._frame.columns), "the Spark DataFrame")

    @contextmanager
    def source(self, columns: Sequence[str] | None) -> Iterator[tuple[Any, ReadOptions]]:
        """Return the columns as an Arrow table; Spark is asked by position, since it may ignore case."""
        names = self.names()
        wanted = [at for at, name in enumerate(names) if columns is None or name in columns]
        numbered = self._frame.toDF(*(f"c{at}" for at in range(len(names))))
        fetched = numbered.select(*(f"c{at}" for at in wanted)).toArrow()
        yield fetched.rename_columns([names[at] for at in wanted]), ReadOptions()

    @property
    def _frame(self) -> Any:
        if str((spec_of(self).get("reader_options") or {}).get("inferSchema")).lower() == "true":
            raise DataError(
                "Spark finds out the types of this batch (inferSchema), which may make one value of several"
                " (01067 and 1067); set infer_schema=False, or give a schema."
            )
        return self.execution_engine.get_domain_records(dict(self.domain))


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
