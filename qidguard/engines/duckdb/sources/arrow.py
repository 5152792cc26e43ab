"""Arrow tables, polars frames and DuckDB relations, nanoseconds included."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from types import ModuleType
from typing import Any

from qidguard.core.errors import DataError, UserError
from qidguard.engines.base import ReadOptions
from qidguard.engines.duckdb.connection import Connection, reading
from qidguard.engines.duckdb.sources.staged import Staged, check_names
from qidguard.engines.duckdb.sources.typed import source_order, stage_typed, zone_notes


def microseconds_text(column: str) -> str:
    """Return the text of whole microseconds, as DuckDB prints an interval.

    Example:
        >>> microseconds_text("c0")
        'CAST(to_microseconds(c0) AS VARCHAR)'
    """
    return f"CAST(to_microseconds({column}) AS VARCHAR)"


def nanoseconds_text(column: str) -> str:
    """Return the text of whole nanoseconds: that of the microseconds, and what is left where there is a rest.

    Example:
        >>> print(nanoseconds_text("c0"))
        CAST(to_microseconds(c0 // 1000) AS VARCHAR)
        || CASE WHEN c0 % 1000 = 0 THEN '' ELSE concat(' ', c0 % 1000, ' ns') END
    """
    return (
        f"{microseconds_text(f'{column} // 1000')}\n"
        f"|| CASE WHEN {column} % 1000 = 0 THEN '' ELSE concat(' ', {column} % 1000, ' ns') END"
    )


def read_exactly(arrow: ModuleType, source: Any) -> tuple[Any, list[str]]:
    """Return a source whose every column DuckDB reads to the nanosecond; nothing else is copied.

    Example:
        >>> import pyarrow
        >>> table = pyarrow.table({"d": pyarrow.array([1], pyarrow.duration("ns"))})
        >>> read_exactly(pyarrow, table)[0].schema.types
        [DataType(int64)]
    """
    expressions = [f"c{i}" for i in range(len(source.schema))]
    exact: dict[int, Any] = {}
    for i, field in enumerate(source.schema):
        kind = field.type.value_type if arrow.types.is_dictionary(field.type) else field.type
        if arrow.types.is_timestamp(kind) and kind.unit == "ns" and kind.tz is not None:
            exact[i] = (kind, arrow.timestamp("ns"))
        elif arrow.types.is_duration(kind) and kind.unit == "ns":
            exact[i] = (kind, arrow.int64())
            expressions[i] = f"{nanoseconds_text(f'c{i}')} AS c{i}"
    if not exact:
        return source, expressions
    if isinstance(source, arrow.Table):
        return _convert(source, exact), expressions
    schema = source.schema
    for i, (_, kind) in exact.items():
        schema = schema.set(i, schema.field(i).with_type(kind))
    is_reader = isinstance(source, arrow.RecordBatchReader)
    batches = source if is_reader else source.to_batches()

    def converted() -> Iterator[Any]:
        for batch in batches:
            yield from _convert(arrow.Table.from_batches([batch]), exact).cast(schema).to_batches()

    return arrow.RecordBatchReader.from_batches(schema, converted()), expressions


def _convert(table: Any, exact: dict[int, Any]) -> Any:
    for i, (plain, kind) in exact.items():
        # a dictionary is decoded first; a time with a zone is cast to the same instant in UTC
        values = table.column(i).cast(plain).cast(kind)
        table = table.set_column(i, table.schema.field(i).with_type(kind), values)
    return table


_BATCH_RECORDS = 100_000


def arrow_names(source: Any, label: str) -> tuple[str, ...]:
    """Return the column names of anything that has an Arrow schema."""
    return check_names(list(source.schema.names), label)


def stage_arrow(
    connection: Connection,
    source: Any,
    options: ReadOptions,
    label: str,
    order: Mapping[str, tuple[str, ...]] | None = None,
) -> Staged:
    """Return an Arrow source as a staged source; NaN stays a value, apart from NULL."""
    arrow = import_pyarrow(label)
    names = arrow_names(source, label)
    _check_types(arrow, source, label)
    if isinstance(source, arrow.RecordBatch):
        source = arrow.Table.from_batches([source])
    ordered = [field.name for field in source.schema if getattr(field.type, "ordered", False)]
    if ordered and isinstance(source, arrow.RecordBatchReader):
        source = source.read_all()  # the order stands in its batches
    if ordered and isinstance(source, arrow.Table):
        order = {name: dictionary_order(source.column(name)) for name in ordered}
    notes = zone_notes(names, source.schema.types)
    source, expressions = read_exactly(arrow, source)
    columns = [f"c{i}" for i in range(len(names))]
    database = connection.duckdb
    relation = connection.new_name("arrow")
    with reading(connection, label):
        database.register(relation, source)
    release: Callable[[], object] = partial(database.unregister, relation)
    if isinstance(source, arrow.RecordBatchReader):
        # a reader can be read once only, and loading reads more than once
        table = connection.new_name("arrow_read")
        try:
            with reading(connection, label):
                database.execute(f"CREATE TABLE {table}({', '.join(columns)}) AS SELECT * FROM {relation}")
        finally:
            release()
        relation = table
        release = partial(database.execute, f"DROP TABLE IF EXISTS {table}")
    with reading(connection, label):
        return stage_typed(
            database,
            names,
            f"(SELECT {', '.join(expressions)} FROM {relation} AS given({', '.join(columns)}))",
            label,
            options,
            rows=getattr(source, "num_rows", None),
            notes=notes,
            order={name: values for name, values in (order or {}).items() if values},
            on_release=(release,),
        )


def dictionary_order(column: Any) -> tuple[str, ...]:
    """Return the order of a chunked dictionary; nothing where its chunks have several.

    Example:
        >>> import pyarrow
        >>> kind = pyarrow.dictionary(pyarrow.int8(), pyarrow.string(), ordered=True)
        >>> dictionary_order(pyarrow.chunked_array([pyarrow.array(["b", "a"]).cast(kind)]))
        ('b', 'a')
    """
    orders = {source_order(chunk.dictionary.to_pylist()) for chunk in column.chunks}
    return orders.pop() if len(orders) == 1 else ()


def stage_relation(connection: Connection, relation: Any, options: ReadOptions) -> Staged:
    """Return a relation of another DuckDB connection as a staged source; it is run once."""
    label = "the DuckDB relation"
    import_pyarrow(label)
    check_names(list(relation.columns), label)
    with reading(connection, label):
        reader = relation.to_arrow_reader(_BATCH_RECORDS)
    enums = {
        name: tuple(kind.children[0][1])
        for name, kind in zip(relation.columns, relation.types, strict=True)
        if kind.id == "enum"
    }
    return stage_arrow(connection, reader, options, label, enums)


def polars_names(frame: Any) -> tuple[str, ...]:
    """Return the column names of a polars DataFrame or LazyFrame."""
    try:
        names = list(frame.collect_schema().names())
    except Exception as error:  # noqa: BLE001 - a lazy plan may raise anything; its text may hold values
        raise _unresolved(error) from None
    return check_names(names, "the polars frame")


def stage_polars(connection: Connection, frame: Any, options: ReadOptions) -> Staged:
    """Return a polars frame as a staged source; a lazy one is collected."""
    label = "the polars frame"
    import_pyarrow(label)
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


def import_pyarrow(label: str) -> ModuleType:
    """Return pyarrow; UserError where it is not installed."""
    try:
        import pyarrow as pa
        import pyarrow.dataset
    except ImportError:
        raise UserError(f"{label[0].upper()}{label[1:]} needs pyarrow; install qidguard[arrow].") from None
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
