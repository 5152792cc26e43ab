"""Parquet: one file, a folder of files, or a glob; all of one schema."""

import glob
import os
from pathlib import Path
from typing import Any

from qidguard.core.errors import DataError
from qidguard.engines.base import ReadOptions
from qidguard.engines.duckdb.connection import Connection, reading
from qidguard.engines.duckdb.sources.paths import FORMATS, literal
from qidguard.engines.duckdb.sources.staged import Staged, check_names
from qidguard.engines.duckdb.sources.typed import fetch_names, stage_typed
from qidguard.engines.sql.identifier import quote_text

_SCHEMA = "name, type, type_length, num_children, converted_type, scale, precision, logical_type"
Leaf = tuple[Any, ...]


def find_files(path: Path) -> list[Path]:
    """Return the Parquet files of a file, a folder (with the folders in it) or a glob, sorted.

    Files whose names begin with ``_`` or ``.`` are bookkeeping of other tools and left out.
    """
    if path.is_file():
        return [path]
    if path.is_dir():
        visible = [file for file in sorted(path.rglob("*")) if file.is_file() and not _is_hidden(file, path)]
        files = [file for file in visible if file.suffix.lower() in FORMATS["parquet"]]
        if not files:
            raise DataError(f"The folder {str(path)!r} holds no Parquet file; name a file.")
        return files
    files = [file for file in map(Path, sorted(glob.glob(str(path), recursive=True))) if file.is_file()]  # noqa: PTH207 - the pattern may be absolute
    others = [file for file in files if file.suffix.lower() not in FORMATS["parquet"]]
    if others:
        raise DataError(
            f"Only Parquet files are read by a pattern, and {others[0].name!r} is none; name one file."
        )
    if not files:
        raise DataError(f"No file matches the pattern {str(path)!r}; check the path.")
    return files


def parquet_names(connection: Connection, path: Path, label: str) -> tuple[str, ...]:
    """Return the column names from the files' footers, keys of ``key=value`` folders last."""
    files = find_files(path)
    return _names(connection, files, path, label)


def stage_parquet(connection: Connection, path: Path, label: str, options: ReadOptions) -> Staged:
    """Return Parquet files as a staged source."""
    files = find_files(path)
    names = _names(connection, files, path, label)
    source = repr(label)
    relation = _relation(files, path)
    with reading(connection, source):
        counted = f"SELECT sum(num_rows) FROM parquet_file_metadata({_list(files)})"
        rows = int(connection.duckdb.execute(counted).fetchall()[0][0])
        return stage_typed(
            connection.duckdb,
            names,
            relation,
            source,
            options,
            rows=rows,
            file_bytes=sum(file.stat().st_size for file in files),
            notes=unread_notes(path, files),
        )


def _names(connection: Connection, files: list[Path], path: Path, label: str) -> tuple[str, ...]:
    schemas: dict[str, list[Leaf]] = {}
    with reading(connection, repr(label)):
        rows = connection.duckdb.execute(
            f"SELECT file_name, {_SCHEMA} FROM parquet_schema({_list(files)})"
        ).fetchall()
    for file, *leaf in rows:
        schemas.setdefault(str(file), []).append(tuple(leaf))
    (first, expected), *others = schemas.items()
    for other, schema in others:
        if schema[1:] != expected[1:]:
            shown = [os.path.relpath(file, os.path.commonpath([other, first])) for file in (other, first)]
            raise DataError(
                f"Files of one table need one schema, and {shown[0]!r} has other columns or types than"
                f" {shown[1]!r}; rewrite them with one schema."
            )
    keys = _keys(files[0], path)
    if any(_keys(file, path) != keys for file in files):
        raise DataError(
            f"The files of {path.name!r} lie in folders with different keys; give them one layout."
        )
    if keys and any("=" in part for part in path.absolute().parts):
        raise DataError(f"The path {str(path)!r} has a key=value folder above the table; name that folder.")
    names = check_names([*_top_level(expected), *keys], repr(label))
    if not keys:
        return names
    # DuckDB appends the keys in an order of its own
    with reading(connection, repr(label)):
        appended = fetch_names(connection.duckdb, _relation(files, path))[-len(keys) :]
    if sorted(appended) != sorted(keys):
        raise DataError(f"The keys of the folders of {label!r} clash with its columns; rename them.")
    return (*names[: -len(keys)], *appended)


def _relation(files: list[Path], path: Path) -> str:
    has_keys = "true" if _keys(files[0], path) else "false"
    return (
        f"read_parquet({_list(files)}, union_by_name = false, hive_partitioning = {has_keys},"
        " hive_types_autocast = false)"
    )


def _top_level(schema: list[Leaf]) -> list[str]:
    """Return the names of the columns: the children of the root, their own children skipped."""
    names = []
    inside = 0
    for name, _, _, children, *_ in schema[1:]:
        if inside == 0:
            names.append(str(name))
        else:
            inside -= 1
        inside += int(children or 0)
    return names


def _keys(file: Path, path: Path) -> tuple[str, ...]:
    if not path.is_dir():
        return ()
    return tuple(part.partition("=")[0] for part in file.relative_to(path).parts[:-1] if "=" in part)


def _is_hidden(file: Path, folder: Path) -> bool:
    return any(part.startswith(("_", ".")) for part in file.relative_to(folder).parts)


def _list(files: list[Path]) -> str:
    return f"[{', '.join(quote_text(literal(file)) for file in files)}]"


def unread_notes(path: Path, files: list[Path]) -> tuple[str, ...]:
    """Return a sentence where a folder holds more than the files that are read."""
    if not path.is_dir():
        return ()
    rest = sum(f.is_file() and not _is_hidden(f, path) for f in path.rglob("*")) - len(files)
    return (f"{rest} files of the folder are no Parquet files and were not read",) if rest else ()
