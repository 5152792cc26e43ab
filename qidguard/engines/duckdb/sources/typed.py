"""Sources whose columns have types of their own: Parquet, frames, Arrow and DuckDB tables."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from qidguard.core.errors import DataError
from qidguard.engines.base import ReadOptions
from qidguard.engines.duckdb.sources.missing import WHITE_SPACE, check_hidden_markers, read_number, read_text
from qidguard.engines.duckdb.sources.staged import Staged

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_NUMBERS = frozenset(
    {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE"}
    | {"UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"}
)
_AS_THEY_ARE = frozenset({"BOOLEAN", "DATE", "TIMESTAMP", "TIMESTAMP_NS"})
_AS_TEXT = frozenset(
    {"UUID", "TIME", "TIME_NS", "TIME WITH TIME ZONE", "INTERVAL", "JSON", "BIGNUM", '"NULL"', "NULL"}
)


def stage_typed(  # noqa: PLR0913 - each argument is one fact of the source
    database: "DuckDBPyConnection",
    names: tuple[str, ...],
    relation: str,
    source: str,
    options: ReadOptions,
    *,
    rows: int | None = None,
    file_bytes: int | None = None,
    notes: tuple[str, ...] = (),
    on_release: tuple[Callable[[], None], ...] = (),
) -> Staged:
    """Return a typed relation with columns c0, c1, …, missing markers as NULL.

    Args:
        database: The connection.
        names: The real column names.
        relation: What can stand after FROM, its columns in the order of ``names`` under any names.
        source: What the columns belong to, for messages.
        options: ``missing`` and ``is_trimmed`` are used: markers become NULL in text columns, and markers
            that are numbers in numeric columns.
        rows: Number of records where it is known.
        file_bytes: Size of the file in bytes.
        notes: Sentences for the report.
        on_release: What to give back after loading.

    Returns:
        The staged source; enumerations are texts, and a time with a zone is the same instant in UTC.

    Raises:
        DataError: when a column is nested or of a type that no group-by can judge, or there are no records.
    """
    plain = [f"c{i}" for i in range(len(names))]
    inner = f"{relation} AS source({', '.join(plain)})"
    types = [str(row[1]) for row in database.execute(f"DESCRIBE SELECT * FROM {inner}").fetchall()]
    expressions = [
        f"{_read(column, name, kind, source, options)} AS {column}"
        for column, name, kind in zip(plain, names, types, strict=True)
    ]
    if database.execute(f"SELECT 1 FROM {inner} LIMIT 1").fetchall() == []:
        raise DataError(f"The source {source} has columns but no records; nothing can be measured.")
    if not options.is_trimmed:
        texts = {
            name: f"CAST({column} AS VARCHAR)"
            for column, name, kind in zip(plain, names, types, strict=True)
            if kind == "VARCHAR" or kind.startswith("ENUM(")
        }
        check_hidden_markers(database, list(texts.values()), inner, options.missing, list(texts))
    return Staged(
        names=names,
        relation=f"(SELECT {', '.join(expressions)} FROM {inner})",
        is_text=False,
        rows=rows,
        file_bytes=file_bytes,
        notes=notes,
        on_release=on_release,
    )


def _read(column: str, name: str, kind: str, source: str, options: ReadOptions) -> str:
    if kind == "VARCHAR" or kind.startswith("ENUM("):
        text = column if kind == "VARCHAR" else f"CAST({column} AS VARCHAR)"
        trimmed = WHITE_SPACE if options.is_trimmed else ""
        return read_text(text, options.missing, trimmed=trimmed, is_empty_missing=False)
    if kind in _NUMBERS or (kind.startswith("DECIMAL(") and kind.endswith(")")):
        return read_number(column, options.missing)
    if kind == "TIMESTAMP WITH TIME ZONE":
        # the instant itself, so that no setting of this machine decides on which day it falls
        return f"make_timestamp(epoch_us({column}))"
    if kind in {"TIMESTAMP_S", "TIMESTAMP_MS"}:
        # they reach further than a time of Python, so what does not fit fails while it is read
        return f"CAST({column} AS TIMESTAMP)"
    if kind in _AS_THEY_ARE:
        return column
    if kind in _AS_TEXT:
        return f"CAST({column} AS VARCHAR)"
    shape = (
        "nested"
        if kind.endswith("]") or kind.startswith(("STRUCT", "MAP", "UNION"))
        else f"of type {kind[:40]}"
    )
    raise DataError(
        f"Column {name!r} of {source} is {shape}, and only plain values can be grouped; flatten or drop it."
    )


def fetch_names(database: "DuckDBPyConnection", relation: str) -> Sequence[str]:
    """Return the column names of a relation as DuckDB gives them."""
    return [str(row[0]) for row in database.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()]
