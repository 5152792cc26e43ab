"""Arrow tables, batches, readers and data sets; polars frames and DuckDB relations become one of these."""

from functools import partial
from types import ModuleType
from typing import Any

from qidguard.core.errors import DataError, UserError
from qidguard.engines.base import ReadOptions
from qidguard.engines.duckdb.connection import Connection, reading
from qidguard.engines.duckdb.sources.arrow_nanoseconds import read_exactly
from qidguard.engines.duckdb.sources.names import check_names
from qidguard.engines.duckdb.sources.staged import Staged
from qidguard.engines.duckdb.sources.typed import stage_typed

_BATCH_RECORDS = 100_000


def arrow_names(source: Any, label: str) -> tuple[str, ...]:
    """Return the column names of anything that has an Arrow schema.

    Raises:
        DataError: when a name is empty or occurs twice.
    """
    return check_names(list(source.schema.names), label)


def stage_arrow(connection: Connection, source: Any, options: ReadOptions, label: str) -> Staged:
    """Return an Arrow source as a staged source; NaN stays a value, apart from NULL.

    Args:
        connection: An unlocked connection.
        source: A pyarrow Table, RecordBatch, RecordBatchReader or Dataset. A reader is consumed.
        options: ``missing`` and ``is_trimmed`` are used.
        label: What it is called in messages.

    Returns:
        The staged source; its release unregisters it.

    Raises:
        DataError: when names are not unique, a column cannot be grouped, or there are no records.
        UserError: when pyarrow is not installed or the memory limit is too small.
    """
    arrow = _import_pyarrow(label)
    names = arrow_names(source, label)
    _check_types(arrow, source, label)
    if isinstance(source, arrow.RecordBatch):
        source = arrow.Table.from_batches([source])
    source, expressions = read_exactly(arrow, source)
    columns = [f"c{i}" for i in range(len(names))]
    database = connection.duckdb
    relation = connection.new_name("arrow")
    with reading(connection, label):
        database.register(relation, source)
    release = partial(_drop, connection, relation, "unregister")
    if isinstance(source, arrow.RecordBatchReader):
        # a reader can be read once only, and loading reads more than once
        table = connection.new_name("arrow_read")
        try:
            with reading(connection, label):
                database.execute(f"CREATE TABLE {table}({', '.join(columns)}) AS SELECT * FROM {relation}")
        finally:
            release()
        relation = table
        release = partial(_drop, connection, table, "drop")
    try:
        with reading(connection, label):
            return stage_typed(
                database,
                names,
                f"(SELECT {', '.join(expressions)} FROM {relation} AS given({', '.join(columns)}))",
                label,
                options,
                rows=getattr(source, "num_rows", None),
                on_release=(release,),
            )
    except BaseException:
        release()
        raise


def stage_relation(connection: Connection, relation: Any, options: ReadOptions) -> Staged:
    """Return a relation of another DuckDB connection as a staged source; it is run once.

    Raises:
        DataError: when names are not unique, a column cannot be grouped, the relation fails, or it has no
            records.
        UserError: when pyarrow is not installed.
    """
    label = "the DuckDB relation"
    _import_pyarrow(label)
    check_names(list(relation.columns), label)
    with reading(connection, label):
        reader = relation.to_arrow_reader(_BATCH_RECORDS)
    return stage_arrow(connection, reader, options, label)


def polars_names(frame: Any) -> tuple[str, ...]:
    """Return the column names of a polars DataFrame or LazyFrame.

    Raises:
        DataError: when a name is empty, or the plan of a lazy frame cannot be resolved.
    """
    try:
        names = list(frame.collect_schema().names())
    except Exception as error:  # noqa: BLE001 - a lazy plan may raise anything; its text may hold values
        raise _unresolved(error) from None
    return check_names(names, "the polars frame")


def stage_polars(connection: Connection, frame: Any, options: ReadOptions) -> Staged:
    """Return a polars frame as a staged source; a lazy one is collected.

    Raises:
        DataError: when the frame cannot be collected or turned into Arrow, or is not fit to be read.
        UserError: when pyarrow is not installed.
    """
    label = "the polars frame"
    _import_pyarrow(label)
    polars_names(frame)
    try:
        collected = frame.collect() if hasattr(frame, "collect") else frame
        table = collected.to_arrow()
    except Exception as error:  # noqa: BLE001 - as above
        raise _unresolved(error) from None
    return stage_arrow(connection, table, options, label)


def _unresolved(error: Exception) -> DataError:
    return DataError(
        f"The polars frame cannot be turned into Arrow ({type(error).__name__}); collect or convert it."
    )


def _import_pyarrow(label: str) -> ModuleType:
    try:
        import pyarrow as pa
        import pyarrow.dataset
    except ImportError:
        raise UserError(f"Reading {label} needs pyarrow; install qidguard[arrow].") from None
    module: ModuleType = pa
    return module


def _check_types(arrow: ModuleType, source: Any, label: str) -> None:
    for field in source.schema:
        kind = field.type
        # the last one loses its nanoseconds
        refused = (arrow.types.is_float16, arrow.types.is_decimal256, arrow.types.is_interval)
        if any(check(kind) for check in refused):
            raise DataError(
                f"Column {field.name!r} of {label} is of the type {kind}, which DuckDB does not read exactly;"
                " cast it."
            )


def _drop(connection: Connection, name: str, how: str) -> None:
    if how == "unregister":
        connection.duckdb.unregister(name)
    else:
        connection.duckdb.execute(f"DROP TABLE IF EXISTS {name}")
