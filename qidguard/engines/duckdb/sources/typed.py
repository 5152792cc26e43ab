"""Sources whose columns have types of their own, and missing markers in any source."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

from qidguard.core.errors import DataError
from qidguard.engines.base import ReadOptions
from qidguard.engines.duckdb.sources.staged import WHITE_SPACE, Staged
from qidguard.engines.sql.identifier import quote_text

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def read_text(column: str, missing: Sequence[str], *, trimmed: str, is_empty_missing: bool) -> str:
    """Return an SQL expression of a text column with its markers as NULL.

    Example:
        >>> read_text("c0", ("?",), trimmed="", is_empty_missing=True)
        "CASE WHEN c0 NOT IN ('', '?') THEN c0 END"
    """
    value = _trim(column, trimmed) if trimmed else column
    markers = _markers(missing, is_empty_missing=is_empty_missing)
    return f"CASE WHEN {value} NOT IN ({markers}) THEN {value} END" if markers else value


def read_number(column: str, missing: Sequence[str]) -> str:
    """Return an SQL expression of a numeric column with the markers that are numbers as NULL.

    Example:
        >>> read_number("c0", ("?", "-9"))
        'CASE WHEN c0 NOT IN (-9) THEN c0 END'
    """
    numbers = [marker.strip() for marker in missing if _is_plain_number(marker)]
    return f"CASE WHEN {column} NOT IN ({', '.join(numbers)}) THEN {column} END" if numbers else column


def check_hidden_markers(
    database: "DuckDBPyConnection",
    columns: Sequence[str],
    relation: str,
    missing: Sequence[str],
    names: Sequence[str],
    white_space: str = WHITE_SPACE,
) -> None:
    """Check that no declared marker stands between white space, where it would stay a value."""
    markers = _markers(missing, is_empty_missing=False)
    if not markers or not columns:
        return
    tests = ", ".join(
        f"bool_or({column} NOT IN ({markers}) AND {_trim(column, white_space)} IN ({markers}))"
        for column in columns
    )
    row = database.execute(f"SELECT {tests} FROM {relation}").fetchall()[0]
    hidden = [name for name, is_hidden in zip(names, row, strict=True) if is_hidden]
    if hidden:
        raise DataError(
            f"Column {hidden[0]!r} holds a declared missing marker with white space around it, which would"
            " count as"
            " a value; set `trim: true`."
        )


def _trim(column: str, characters: str) -> str:
    # trim without characters drops a set of DuckDB's own, with no-break spaces in it
    return f"trim({column}, {quote_text(characters)})"


def _markers(missing: Sequence[str], *, is_empty_missing: bool) -> str:
    texts = [""] * is_empty_missing + [marker.strip() for marker in missing]
    return ", ".join(quote_text(text) for text in dict.fromkeys(texts))


def _is_plain_number(text: str) -> bool:
    try:
        return math.isfinite(float(text)) and text.strip().lstrip("+-").replace(".", "", 1).isdecimal()
    except ValueError:
        return False


_NUMBERS = frozenset(
    {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE"}
    | {"UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"}
)
_TEXTS = ("UUID", "TIME", "TIME_NS", "TIME WITH TIME ZONE", "INTERVAL", "JSON", "BIGNUM", '"NULL"', "NULL")
_WITH_ZONE = {
    # the instant itself, so that no setting of this machine decides on which day it falls
    "TIMESTAMP WITH TIME ZONE": "make_timestamp(epoch_us({}))",
    "TIMESTAMPTZ_NS": "make_timestamp_ns(epoch_ns({}))",
}
_FINE = ("datetime64[ns, ", "timestamp[ns, ")
"""How types of frames with a zone begin whose zone is taken away before DuckDB reads them."""
_READ = {
    **dict.fromkeys(("BOOLEAN", "DATE", "TIMESTAMP", "TIMESTAMP_NS"), "{}"),
    # they reach further than a time of Python, so what does not fit fails while it is read
    **dict.fromkeys(("TIMESTAMP_S", "TIMESTAMP_MS"), "CAST({} AS TIMESTAMP)"),
    **_WITH_ZONE,
    **dict.fromkeys(_TEXTS, "CAST({} AS VARCHAR)"),
}
"""Type of a source → how a column of it is read."""


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
    order: Mapping[str, tuple[str, ...]] | None = None,
    on_release: tuple[Callable[[], object], ...] = (),
) -> Staged:
    """Return a typed relation with columns c0, c1, …, missing markers as NULL, and the order it declares.

    Where that fails, what only loading needs is given back.
    """
    with ExitStack() as failed:
        for give_back in on_release:
            failed.callback(give_back)
        staged = _staged(database, names, relation, source, options)
        strip = str.strip if options.is_trimmed else str
        declared = {name: tuple(map(strip, values)) for name, values in (order or {}).items()}
        staged = in_order(database, staged, declared) if declared else staged
        failed.pop_all()
    notes = (*staged.notes, *notes)
    return replace(staged, rows=rows, file_bytes=file_bytes, notes=notes, on_release=on_release)


def _staged(
    database: "DuckDBPyConnection", names: tuple[str, ...], relation: str, source: str, options: ReadOptions
) -> Staged:
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
            name: _uncollated(f"CAST({column} AS VARCHAR)")
            for column, name, kind in zip(plain, names, types, strict=True)
            if kind == "VARCHAR" or kind.startswith("ENUM(")
        }
        check_hidden_markers(database, list(texts.values()), inner, options.missing, list(texts))
    relation = f"(SELECT {', '.join(expressions)} FROM {inner})"
    return Staged(names=names, relation=relation, is_text=False, notes=zone_notes(names, types))


def zone_notes(names: Iterable[str], kinds: Iterable[object]) -> tuple[str, ...]:
    """Return what is said of columns whose times have a zone, by the type that their source gives them.

    Example:
        >>> zone_notes(["id", "seen"], ["BIGINT", "TIMESTAMP WITH TIME ZONE"])
        ("'seen': times with a zone, read and published as those of UTC without one",)
        >>> zone_notes(["id"], ["BIGINT"])
        ()
    """
    zoned = [n for n, k in zip(names, map(str, kinds), strict=True) if k in _WITH_ZONE or k.startswith(_FINE)]
    named = ", ".join(map(repr, zoned))
    return (f"{named}: times with a zone, read and published as those of UTC without one",) if named else ()


def in_order(database: "DuckDBPyConnection", staged: Staged, order: Mapping[str, tuple[str, ...]]) -> Staged:
    """Return a source that says of columns in which order their values are declared; they become texts."""
    relation = staged.relation
    described = database.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()
    columns = [str(row[0]) for row in described]
    kinds = {name: str(row[1]) for name, row in zip(staged.names, described, strict=False)}
    if any(kinds[name] != "VARCHAR" for name in order):
        places = [columns[staged.names.index(name)] for name in order]
        texts = ", ".join(f"CAST({column} AS VARCHAR) AS {column}" for column in places)
        relation = f"(SELECT * REPLACE ({texts}) FROM {relation})"
    return replace(staged, relation=relation, order={**staged.order, **order})


def source_order(values: Sequence[object]) -> tuple[str, ...]:
    """Return the order that a source declares, as texts; nothing where numbers or dates stand in their own.

    Numbers in another order are labels, and are read as texts.

    Example:
        >>> source_order(["low", "high"]), source_order([1, 2, 10]), source_order([3, 1, 2])
        (('low', 'high'), (), ('3', '1', '2'))
    """
    if not all(isinstance(value, str) for value in values):
        try:
            if list(values) == sorted(values):  # type: ignore[type-var]  # what has no order raises
                return ()
        except TypeError:
            pass
    return tuple(map(str, values))


def _read(column: str, name: str, kind: str, source: str, options: ReadOptions) -> str:
    if kind == "VARCHAR" or kind.startswith("ENUM("):
        text = _uncollated(column) if kind == "VARCHAR" else f"CAST({column} AS VARCHAR)"
        trimmed = WHITE_SPACE if options.is_trimmed else ""
        return read_text(text, options.missing, trimmed=trimmed, is_empty_missing=False)
    if kind in _NUMBERS or (kind.startswith("DECIMAL(") and kind.endswith(")")):
        return read_number(column, options.missing)
    if kind in _READ:
        return _READ[kind].format(column)
    shape = (
        "nested"
        if kind.endswith("]") or kind.startswith(("STRUCT", "MAP", "UNION"))
        else f"of type {kind[:40]}"
    )
    raise DataError(
        f"Column {name!r} of {source} is {shape}, and only plain values can be grouped; flatten it, or leave"
        " it out of the source."
    )


def _uncollated(text: str) -> str:
    """Return a text without its source's collation, under which values that are published count as one."""
    return f'({text} COLLATE "binary")'


def fetch_names(database: "DuckDBPyConnection", relation: str) -> Sequence[str]:
    """Return the column names of a relation as DuckDB gives them."""
    return [str(row[0]) for row in database.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()]
