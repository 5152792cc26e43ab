"""Sources: whatever a table can come from, opened inside an unlocked connection."""

from dataclasses import replace
from typing import Any

from qidguard.core.address import shown_address
from qidguard.core.errors import UserError
from qidguard.engines.base import EngineSettings, ReadOptions
from qidguard.engines.duckdb.connection import Connection, connect
from qidguard.engines.duckdb.sources import arrow, copied, file, pandas_frame, remote
from qidguard.engines.duckdb.sources.kind import Kind, kind_of
from qidguard.engines.duckdb.sources.names import check_names
from qidguard.engines.duckdb.sources.paths import to_path
from qidguard.engines.duckdb.sources.staged import Staged

__all__ = ["Staged", "can_open", "column_names", "stage"]

_BEGINNING = 1 << 24
"""Bytes of a remote CSV that are copied to learn its column names."""


def can_open(source: Any) -> bool:
    """Whether a source is of a kind that is read here (it may still fail to be read).

    Example:
        >>> can_open("patients.csv"), can_open(42)
        (True, False)
    """
    return kind_of(source) is not None


def column_names(  # noqa: PLR0911 - one line for each kind
    source: Any, options: ReadOptions, settings: EngineSettings
) -> tuple[str, ...]:
    """Return the column names of a source without loading it; a one-pass reader is not consumed.

    Args:
        source: A path, a URL, a pandas or polars frame, an Arrow table, batch, reader or data set, a DuckDB
            relation, or a snapshot of this engine.
        options: How it is read; a snapshot was read before, so they mean nothing to it.
        settings: Where temporary copies go.

    Returns:
        The names in the source's order.

    Raises:
        DataError: when the source cannot be read without guessing.
        UserError: when it is of no kind that is read, or an option is not valid.
    """
    match _kind(source):
        case Kind.PANDAS:
            return pandas_frame.frame_names(source)
        case Kind.POLARS:
            return arrow.polars_names(source)
        case Kind.ARROW:
            return arrow.arrow_names(source, "the Arrow table")
        case Kind.RELATION:
            return check_names(list(source.columns), "the DuckDB relation")
        case Kind.SNAPSHOT:
            names: tuple[str, ...] = source.names
            return names
        case Kind.PATH:
            path = to_path(source)
            with connect(replace(settings, memory_limit=None)) as connection:
                return file.file_names(connection, path, path.name, options)
        case Kind.URL:
            with connect(replace(settings, memory_limit=None)) as connection:
                return _url_names(connection, source, options)


def stage(  # noqa: PLR0911 - one line for each kind
    connection: Connection, source: Any, options: ReadOptions
) -> Staged:
    """Return a source ready to be loaded.

    Args:
        connection: An unlocked connection.
        source: As in ``column_names``; the caller's own object is never changed (but a reader is consumed).
        options: How it is read.

    Returns:
        The staged source; release it when loading is done, before the connection is locked.

    Raises:
        DataError: when the source cannot be read without guessing, is damaged, or has no records.
        UserError: when it is of no kind that is read, an option is not valid, or a limit is too small.
    """
    match _kind(source):
        case Kind.PANDAS:
            return pandas_frame.stage_frame(connection, source, options)
        case Kind.POLARS:
            return arrow.stage_polars(connection, source, options)
        case Kind.ARROW:
            return arrow.stage_arrow(connection, source, options, "the Arrow table")
        case Kind.RELATION:
            return arrow.stage_relation(connection, source, options)
        case Kind.SNAPSHOT:
            return copied.stage_copied(connection, source.copied)
        case Kind.PATH:
            path = to_path(source)
            return file.stage_file(connection, path, path.name, options)
        case Kind.URL:
            return _stage_url(connection, source, options)


def _kind(source: Any) -> Kind:
    kind = kind_of(source)
    if kind is None:
        raise UserError(
            "A table is a path, a URL, a pandas or polars frame, an Arrow table or a DuckDB relation, not a"
            f" {type(source).__name__}; convert it."
        )
    return kind


def _stage_url(connection: Connection, url: str, options: ReadOptions) -> Staged:
    copy = remote.fetch(url, connection.spill, connection.new_name("remote"))
    try:
        staged = file.stage_file(connection, copy, shown_address(url), options)
    except BaseException:
        copy.unlink(missing_ok=True)
        raise
    return replace(staged, on_release=(*staged.on_release, lambda: copy.unlink(missing_ok=True)))


def _url_names(connection: Connection, url: str, options: ReadOptions) -> tuple[str, ...]:
    # the names of a CSV stand at its beginning, those of the other formats at their end
    label = shown_address(url)
    is_text = options.format in {None, "csv"} and label.endswith((".csv", ".tsv", ".txt", ".data"))
    limit = _BEGINNING if is_text else None
    copy = remote.fetch(url, connection.spill, "remote", limit=limit)
    is_cut = limit is not None and copy.stat().st_size >= limit
    return file.file_names(connection, copy, label, options, is_cut=is_cut)
