"""Nanoseconds of Arrow that DuckDB refuses or drops: those of times with a zone and those of durations."""

from collections.abc import Iterator
from types import ModuleType
from typing import Any

from qidguard.engines.duckdb.sources.durations import nanoseconds_text


def read_exactly(arrow: ModuleType, source: Any) -> tuple[Any, list[str]]:
    """Return a source whose every column DuckDB reads to the nanosecond; nothing else is copied.

    Args:
        arrow: The module pyarrow.
        source: A Table, RecordBatchReader or Dataset.

    Returns:
        The source, a reader where a data set or a reader had to be converted; and one SQL expression a
        column, over c0, c1, …

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
