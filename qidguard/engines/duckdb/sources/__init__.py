"""Sources: whatever a table can come from, opened inside an unlocked connection."""

from dataclasses import replace
from typing import Any

from qidguard.core.address import shown_address
from qidguard.core.errors import InternalError, UserError
from qidguard.engines.base import EngineSettings, ReadOptions
from qidguard.engines.duckdb.connection import Connection, connect, reading
from qidguard.engines.duckdb.sources import arrow, copied, file, pandas_frame
from qidguard.engines.duckdb.sources.file_bytes import path_digest
from qidguard.engines.duckdb.sources.kind import SourceKind, fetch, kind_of
from qidguard.engines.duckdb.sources.paths import to_path
from qidguard.engines.duckdb.sources.staged import (
    Staged,
    check_names,
    is_encodable,
    with_plain_values,
    with_values,
)
from qidguard.engines.duckdb.sources.typed import in_order

__all__ = ["Staged", "column_names", "stage"]

_BEGINNING = 1 << 24
"""Bytes of a remote CSV that are copied to learn its column names."""


def column_names(  # noqa: PLR0911 - one line for each kind
    source: Any, options: ReadOptions, settings: EngineSettings
) -> tuple[str, ...]:
    """Return the column names of a source without loading it; a one-pass reader is not consumed."""
    match _kind(source):
        case SourceKind.PANDAS:
            return pandas_frame.frame_names(source)
        case SourceKind.POLARS:
            return arrow.polars_names(source)
        case SourceKind.ARROW:
            return arrow.arrow_names(source, "the Arrow table")
        case SourceKind.RELATION:
            return check_names(list(source.columns), "the DuckDB relation")
        case SourceKind.SNAPSHOT:
            names: tuple[str, ...] = source.names
            return names
        case SourceKind.LINKED:
            persons = source.persons
            return (*column_names(persons.source, persons.read, settings), *source.made)
        case SourceKind.PATH:
            path = to_path(source)
            with connect(replace(settings, memory_limit=None)) as connection:
                return file.file_names(connection, path, path.name, options)
        case SourceKind.URL:
            with connect(replace(settings, memory_limit=None)) as connection:
                return _url_names(connection, source, options)


def stage(connection: Connection, source: Any, options: ReadOptions, *, is_hashed: bool = False) -> Staged:
    """Return a source ready to be loaded; with ``is_hashed`` the bytes of files are copied and hashed."""
    if not all(map(is_encodable, options.missing)):
        raise UserError("`missing:` holds half of a character (a lone surrogate), which no table can hold.")
    staged = _staged(connection, source, options, is_hashed=is_hashed)
    try:
        label = _label(source)
        with reading(connection, label):
            staged = with_values(connection.duckdb, staged, label, is_skipped=options.skip_empty_records)
            declared = {name: options.order[name] for name in staged.names if name in options.order}
            staged = in_order(connection.duckdb, staged, declared) if declared else staged
            return with_plain_values(connection.duckdb, staged, options)
    except BaseException:
        staged.release()
        raise


def _staged(  # noqa: PLR0911 - one line for each kind
    connection: Connection, source: Any, options: ReadOptions, *, is_hashed: bool
) -> Staged:
    match _kind(source):
        case SourceKind.PANDAS:
            return pandas_frame.stage_frame(connection, source, options)
        case SourceKind.POLARS:
            return arrow.stage_polars(connection, source, options)
        case SourceKind.ARROW:
            return arrow.stage_arrow(connection, source, options, "the Arrow table")
        case SourceKind.RELATION:
            return arrow.stage_relation(connection, source, options)
        case SourceKind.SNAPSHOT:
            return copied.stage_copied(connection, source.copied)
        case SourceKind.LINKED:
            raise InternalError("several tables are copied before they are opened")
        case SourceKind.PATH:
            path = to_path(source)
            return file.stage_file(connection, path, path.name, options, is_hashed=is_hashed)
        case SourceKind.URL:
            return _stage_url(connection, source, options, is_hashed=is_hashed)


def _label(source: Any) -> str:
    """Return what errors call a source."""
    match _kind(source):
        case SourceKind.PATH:
            return repr(to_path(source).name)
        case SourceKind.URL:
            return repr(shown_address(source))
        case SourceKind.PANDAS:
            return "the DataFrame"
        case _:
            return "the table"


def _kind(source: Any) -> SourceKind:
    kind = kind_of(source)
    if kind is None:
        raise UserError(
            "A table is a path, a URL, a pandas or polars frame, an Arrow table or a DuckDB relation, not a"
            f" {type(source).__name__}; convert it."
        )
    return kind


def _stage_url(connection: Connection, url: str, options: ReadOptions, *, is_hashed: bool) -> Staged:
    copy = fetch(url, connection.spill, connection.new_name("remote"))
    try:
        staged = file.stage_private(connection, copy, shown_address(url), options)
        if is_hashed:
            staged = replace(staged, digest=path_digest(copy))
    except BaseException:
        copy.unlink(missing_ok=True)
        raise
    return replace(staged, on_release=(*staged.on_release, lambda: copy.unlink(missing_ok=True)))


def _url_names(connection: Connection, url: str, options: ReadOptions) -> tuple[str, ...]:
    # the names of a CSV stand at its beginning, those of the other formats at their end
    label = shown_address(url)
    is_text = options.format in {None, "csv"} and label.endswith((".csv", ".tsv", ".txt", ".data"))
    limit = _BEGINNING if is_text else None
    copy = fetch(url, connection.spill, "remote", limit=limit)
    is_cut = limit is not None and copy.stat().st_size >= limit
    return file.file_names(connection, copy, label, options, is_cut=is_cut)
