"""Files and folders on this machine, by their format."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from shutil import rmtree

from qidguard.core.errors import DataError, PluginError, UserError
from qidguard.engines.base import OF_CSV, OF_DUCKDB, READ_WORDS, ReadOptions
from qidguard.engines.duckdb.connection import Connection, cannot_write, reading
from qidguard.engines.duckdb.lockdown import check_select
from qidguard.engines.duckdb.sources.delimited import delimited_names, stage_delimited
from qidguard.engines.duckdb.sources.file_bytes import (
    Digested,
    SourcePart,
    digest_of,
    find_parts,
    fixed_part,
    read_bytes,
    unchanged,
)
from qidguard.engines.duckdb.sources.parquet import parquet_names, stage_parquet, unread_notes
from qidguard.engines.duckdb.sources.paths import find_format, is_several, is_there, needs_link
from qidguard.engines.duckdb.sources.staged import Staged, check_names
from qidguard.engines.duckdb.sources.typed import stage_typed
from qidguard.engines.sql.identifier import quote, quote_text

_TABLES = """
SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = ? AND NOT internal
UNION ALL
SELECT schema_name, view_name FROM duckdb_views() WHERE database_name = ? AND NOT internal
ORDER BY ALL
"""


def database_names(connection: Connection, path: Path, label: str, options: ReadOptions) -> tuple[str, ...]:
    """Return the column names of a table or a query of a DuckDB file."""
    with held(connection, path, label) as catalog:
        if options.query is not None:
            return _query_names(connection, catalog, label, options.query)
        table = _find_table(connection, catalog, label, options.table)
        return _names(connection, f"SELECT * FROM {table}", label)


def stage_database(connection: Connection, path: Path, label: str, options: ReadOptions) -> Staged:
    """Return a table or a query of a DuckDB file, opened for reading only."""
    if options.query is not None and options.table is not None:
        raise UserError("`table:` and `query:` exclude each other; give one of them.")
    database = connection.duckdb
    with ExitStack() as opened:
        catalog = opened.enter_context(held(connection, path, label))
        if options.query is not None:
            names = _query_names(connection, catalog, label, options.query)
            table = connection.new_name("query")
            columns = ", ".join(f"c{i}" for i in range(len(names)))
            with reading(connection, f"the query on {label!r}"), _using(connection, catalog):
                database.execute(f"CREATE TABLE memory.main.{table}({columns}) AS {options.query}")
            opened.pop_all().close()  # what was asked is a table of this connection now
            opened.callback(database.execute, f"DROP TABLE IF EXISTS {table}")
        else:
            table = _find_table(connection, catalog, label, options.table)
            names = _names(connection, f"SELECT * FROM {table}", label)
        with reading(connection, f"the file {label!r}"):
            return stage_typed(
                database,
                names,
                table,
                repr(label),
                options,
                file_bytes=path.stat().st_size,
                order=_enums(connection, names, table),
                on_release=(opened.pop_all().close,),
            )


def _enums(connection: Connection, names: tuple[str, ...], table: str) -> dict[str, tuple[str, ...]]:
    """Return the values of columns that are ENUMs, which are in order by definition."""
    described = connection.duckdb.execute(f"DESCRIBE SELECT * FROM {table}").fetchall()
    kinds = zip(names, (str(row[1]) for row in described), strict=True)
    ranges = {n: f"enum_range(CAST(NULL AS {kind}))" for n, kind in kinds if kind.startswith("ENUM(")}
    if not ranges:
        return {}
    [values] = connection.duckdb.execute(f"SELECT {', '.join(ranges.values())}").fetchall()
    return {name: tuple(given) for name, given in zip(ranges, values, strict=True)}


@contextmanager
def held(connection: Connection, path: Path, label: str) -> Iterator[str]:
    """Give the name of an attached DuckDB file, which keeps others from writing; DataError where one may."""
    import duckdb

    catalog = connection.new_name("source")
    try:
        connection.duckdb.execute(
            f"ATTACH {quote_text(str(path.absolute()))} AS {catalog} (READ_ONLY, TYPE duckdb)"
        )
    except duckdb.Error:
        raise DataError(
            f"The file {label!r} cannot be opened as a DuckDB database; check that it is one and that no"
            " other"
            " program has it open."
        ) from None
    try:
        yield catalog
    finally:
        connection.duckdb.execute(f"DETACH DATABASE IF EXISTS {catalog}")


@contextmanager
def _using(connection: Connection, catalog: str) -> Iterator[None]:
    """Let table names of a query mean tables of the file."""
    connection.duckdb.execute(f"USE {catalog}")
    try:
        yield
    finally:
        connection.duckdb.execute("USE memory")


def _query_names(connection: Connection, catalog: str, label: str, query: str) -> tuple[str, ...]:
    try:
        check_select(connection, query)
    except PluginError:
        raise UserError("`query:` must be one SELECT statement that changes nothing; correct it.") from None
    with _using(connection, catalog):
        return _names(connection, query, label)


def _names(connection: Connection, select: str, label: str) -> tuple[str, ...]:
    with reading(connection, f"the file {label!r}"):
        rows = connection.duckdb.execute(f"DESCRIBE {select}").fetchall()
    return check_names([row[0] for row in rows], repr(label))


def _find_table(connection: Connection, catalog: str, label: str, wanted: str | None) -> str:
    tables = [
        (str(schema), str(name))
        for schema, name in connection.duckdb.execute(_TABLES, [catalog, catalog]).fetchall()
    ]
    shown = ", ".join(f"{schema}.{name}" for schema, name in tables[:5]) or "none"
    if wanted is None:
        if len(tables) != 1:
            raise DataError(
                f"The file {label!r} has {len(tables)} tables ({shown}); set `table:` or `query:`."
            )
        matches = tables
    else:
        matches = [(s, n) for s, n in tables if wanted in {n, f"{s}.{n}"}]
        if len(matches) > 1:
            matches = [(s, n) for s, n in matches if wanted == f"{s}.{n}"]
        if len(matches) != 1:
            raise DataError(
                f"The file {label!r} has not one table {wanted!r} but these: {shown}; set `table:`."
            )
    schema, name = matches[0]
    return f"{catalog}.{quote(schema)}.{quote(name)}"


def file_names(
    connection: Connection, path: Path, label: str, options: ReadOptions, *, is_cut: bool = False
) -> tuple[str, ...]:
    """Return the column names of a file without loading it; ``is_cut`` says that it is only a beginning."""
    kind = _format(path, label, options)
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
    kind = _format(path, label, options)
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
    kind = _format(path, label, options)
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


def _format(path: Path, label: str, options: ReadOptions) -> str:
    """Return the format of a file; DataError for an option that it lacks: to ignore it is not meant."""
    try:
        kind = "parquet" if is_several(path) else find_format(path, options.format)
    except OSError as error:
        raise DataError(
            f"The file {str(path)!r} cannot be opened ({error.strerror or 'unknown reason'}); check its"
            " permissions."
        ) from None
    if path.is_dir() and options.format not in {None, "parquet"}:
        raise DataError(f"The folder {path.name!r} can only be read as Parquet; name one file.")
    foreign = {"csv": OF_DUCKDB, "duckdb": OF_CSV, "parquet": OF_DUCKDB + OF_CSV}.get(kind, ())
    given = [READ_WORDS[name] for name in foreign if getattr(options, name) is not None]
    if given:
        raise DataError(
            f"The file {label!r} is read as {kind}, which has no {' or '.join(given)}; remove that option."
        )
    return kind


_NAME = "table"


@dataclass(frozen=True, kw_only=True)
class Received:
    """A private copy of a file, a folder or what a pattern matches.

    Args:
        path: The file, folder or pattern within the private directory.
        folder: All that was made.
        digest: The digest of exactly the bytes in it.
        notes: Sentences on what was left out.
    """

    path: Path
    folder: Path
    digest: str
    notes: tuple[str, ...]

    def remove(self) -> None:
        """Remove the copy; a second call does nothing."""
        rmtree(self.folder, ignore_errors=True)


def receive(connection: Connection, path: Path, label: str, kind: str) -> Received:
    """Copy a source of a format into the private directory; ChangedError where it changes meanwhile."""
    folder = connection.new_path("")
    try:
        # DuckDB keeps other programs from writing to a database while it is attached
        with held(connection, path, label) if kind == "duckdb" else nullcontext():
            parts = find_parts(path)
            if path.is_file():
                inside = folder / _NAME
                targets = [inside.with_name(f"{_NAME}.wal" if p.path != path else _NAME) for p in parts]
            else:
                fixed = fixed_part(path)
                root = folder / (fixed.name or _NAME)
                inside = root / path.relative_to(fixed)
                targets = [root / part.name for part in parts]
            digest = digest_of([_copy(*pair) for pair in zip(parts, targets, strict=True)])
    except OSError as error:
        rmtree(folder, ignore_errors=True)
        raise cannot_write(folder, f"copying {label!r}", error) from None
    except BaseException:
        rmtree(folder, ignore_errors=True)
        raise
    notes = unread_notes(path, [part.path for part in parts])
    return Received(path=inside, folder=folder, digest=digest, notes=notes)


def _copy(part: SourcePart, target: Path) -> Digested:
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        return read_bytes(part, lambda block: bool(file.write(block)))
