"""Files and folders on this machine, by their format."""

import glob
from dataclasses import replace
from functools import partial
from pathlib import Path

from qidguard.core.errors import DataError
from qidguard.engines.base import OF_CSV, OF_DUCKDB, READ_WORDS, ReadOptions
from qidguard.engines.duckdb.connection import Connection
from qidguard.engines.duckdb.sources.database import database_names, stage_database
from qidguard.engines.duckdb.sources.delimited import delimited_names, stage_delimited
from qidguard.engines.duckdb.sources.file_bytes import unchanged
from qidguard.engines.duckdb.sources.parquet import parquet_names, stage_parquet
from qidguard.engines.duckdb.sources.paths import check_exists, find_format, is_there, needs_link
from qidguard.engines.duckdb.sources.received import receive
from qidguard.engines.duckdb.sources.staged import Staged


def file_names(
    connection: Connection, path: Path, label: str, options: ReadOptions, *, is_cut: bool = False
) -> tuple[str, ...]:
    """Return the column names of a file without loading it; ``is_cut`` says that it is only a beginning."""
    kind = _format(path, options)
    _check_options(kind, label, options)
    match kind:
        case "parquet":
            return parquet_names(connection, reachable(connection, path), label)
        case "duckdb":
            return database_names(connection, path, label, options)
        case _:
            return delimited_names(path, label, options, is_cut=is_cut)


def stage_file(
    connection: Connection, path: Path, label: str, options: ReadOptions, *, is_hashed: bool = False
) -> Staged:
    """Return a file, or a folder or glob of Parquet files, as a staged source.

    Delimited text is read more than once, so it is copied first. Others are copied where they are to be
    hashed, and else read in place.
    """
    kind = _format(path, options)
    _check_options(kind, label, options)
    if kind != "csv" and not is_hashed:
        return _stage_in_place(connection, path, label, options, kind)
    received = receive(connection, path, label, kind)
    try:
        staged = _stage(connection, received.path, label, options, kind)
    except BaseException:
        received.remove()
        raise
    if staged.is_materialized:
        received.remove()
    return replace(
        staged,
        digest=received.digest,
        notes=received.notes or staged.notes,
        on_release=(*staged.on_release, received.remove),
    )


def stage_private(connection: Connection, path: Path, label: str, options: ReadOptions) -> Staged:
    """Return a file that nobody else can write to as a staged source."""
    kind = _format(path, options)
    _check_options(kind, label, options)
    return _stage(connection, path, label, options, kind)


def _stage_in_place(
    connection: Connection, path: Path, label: str, options: ReadOptions, kind: str
) -> Staged:
    check = unchanged(path, label)
    try:
        staged = _stage(connection, path, label, options, kind)
    except DataError:
        check()
        raise
    return replace(staged, checks=(check,))


def _stage(connection: Connection, path: Path, label: str, options: ReadOptions, kind: str) -> Staged:
    if kind == "duckdb":
        return stage_database(connection, path, label, options)
    stage = stage_parquet if kind == "parquet" else stage_delimited
    within = reachable(connection, path)
    if within == path:
        return stage(connection, path, label, options)
    unlink = partial(within.unlink, missing_ok=True)
    try:
        staged = stage(connection, within, label, options)
    except BaseException:
        unlink()
        raise
    return replace(staged, on_release=(*staged.on_release, unlink))


def reachable(connection: Connection, path: Path) -> Path:
    """Return a path that DuckDB can be given: the path itself, or a link to it in the private directory."""
    if not needs_link(path) or not is_there(path):
        return path
    link = connection.new_path(path.suffix)
    link.symlink_to(path.absolute())
    return link


def _check_options(kind: str, label: str, options: ReadOptions) -> None:
    """Refuse an option that this format cannot follow: to ignore it would not be what was meant."""
    foreign = {"csv": OF_DUCKDB, "duckdb": OF_CSV, "parquet": OF_DUCKDB + OF_CSV}.get(kind, ())
    given = [READ_WORDS[name] for name in foreign if getattr(options, name) is not None]
    if given:
        raise DataError(
            f"The file {label!r} is read as {kind}, which has no {' or '.join(given)}; remove that option."
        )


def _format(path: Path, options: ReadOptions) -> str:
    # a file of that very name goes before a pattern
    if not is_there(path) and glob.has_magic(str(path)):
        return "parquet"
    check_exists(path)
    if path.is_dir():
        if options.format not in {None, "parquet"}:
            raise DataError(f"The folder {path.name!r} can only be read as Parquet; name one file.")
        return "parquet"
    if not path.is_file():
        raise DataError(f"The source {str(path)!r} is neither a file nor a folder; name a file.")
    try:
        return find_format(path, options.format)
    except OSError as error:
        raise DataError(
            f"The file {str(path)!r} cannot be opened ({error.strerror or 'unknown reason'}); check its"
            " permissions."
        ) from None
