"""The digest of a source: of its bytes where it has some, else of its content."""

import glob
import json
import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from qidguard.core.errors import DataError
from qidguard.engines.base import EngineSettings, ReadOptions
from qidguard.engines.duckdb import sources
from qidguard.engines.duckdb.connection import connect
from qidguard.engines.duckdb.snapshot.content_digest import content_digest
from qidguard.engines.duckdb.snapshot.fault import working
from qidguard.engines.duckdb.snapshot.private_copy import as_grouped
from qidguard.engines.duckdb.sources import remote
from qidguard.engines.duckdb.sources.kind import Kind, kind_of
from qidguard.engines.duckdb.sources.parquet import find_files
from qidguard.engines.duckdb.sources.paths import check_exists, is_there, to_path

NO_DIGEST = "none"
"""What stands for the digest of a reader that can be read only once: its snapshot has one."""

_BLOCK = 1 << 21
_READER = "RecordBatchReader"


def source_digest(source: Any, options: ReadOptions, settings: EngineSettings) -> str:
    """Return the digest of a source, which is not changed and not consumed.

    Args:
        source: What an engine opens.
        options: How it is read; only a digest of content depends on it.
        settings: The limits where the source has to be read, and where a copy of what a URL names goes.

    Returns:
        SHA-256 in hexadecimal digits: of a file's bytes, or of the bytes that a URL gives; for several files
        (a folder, a glob, a database with a write-ahead log beside it) of the lines
        ``["name", bytes, "sha256"]`` in JSON, sorted by the name from the folder on. For what has no bytes,
        ``content:`` and the content digest of all its columns; for a reader that can be read once ``none``.

    Raises:
        DataError: when there is nothing or it cannot be read.
        UserError: when it is of no kind that is read.
    """
    match kind_of(source):
        case Kind.PATH:
            return _of_path(to_path(source))
        case Kind.URL:
            with connect(settings) as connection:
                return _of_file(remote.fetch(source, connection.spill, "remote"))
        case Kind.ARROW if any(base.__name__ == _READER for base in type(source).__mro__):
            return NO_DIGEST
        case _:
            return _of_content(source, options, settings)


def _of_content(source: Any, options: ReadOptions, settings: EngineSettings) -> str:
    with connect(settings) as connection:
        staged = sources.stage(connection, source, options)
        try:
            with working(connection, "hashing the table", source="the table"):
                database = connection.duckdb
                described = database.execute(f"DESCRIBE SELECT * FROM {staged.relation}").fetchall()
                columns = [str(row[0]) for row in described]
                grouped = ", ".join(as_grouped(str(name), str(kind)) for name, kind, *_ in described)
                relation = f"(SELECT {grouped} FROM {staged.relation})"
                found = content_digest(database, relation, columns, staged.names)
        finally:
            staged.release()
    return f"content:{found}"


def _of_path(path: Path) -> str:
    is_pattern = not is_there(path) and glob.has_magic(str(path))
    if not is_pattern:
        check_exists(path)
    if is_pattern or path.is_dir():
        root = _fixed_part(path) if is_pattern else path
        return _of_files((file.relative_to(root).as_posix(), file) for file in find_files(path))
    if not path.is_file():
        raise DataError(f"The source {str(path)!r} is neither a file nor a folder; name a file.")
    log = path.with_name(path.name + ".wal")
    if is_there(log) and _is_database(path):
        return _of_files([("database", path), ("wal", log)])
    return _of_file(path)


def _of_files(files: "Iterator[tuple[str, Path]] | list[tuple[str, Path]]") -> str:
    lines = sorted([name, *_sized(path)] for name, path in files)
    return sha256("".join(json.dumps(line) + "\n" for line in lines).encode()).hexdigest()


def _of_file(path: Path) -> str:
    return str(_sized(path)[1])


def _sized(path: Path) -> tuple[int, str]:
    hashed = sha256()
    size = 0
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                hashed.update(block)
                size += len(block)
    except OSError as error:
        raise DataError(
            f"The file {str(path)!r} cannot be read ({error.strerror or 'unknown reason'}); check it."
        ) from None
    return size, hashed.hexdigest()


def _is_database(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(12)[8:] == b"DUCK"
    except OSError:
        return False


def _fixed_part(pattern: Path) -> Path:
    """Return the folder above the first part of a pattern that is no plain name."""
    fixed: list[str] = []
    for part in pattern.parts:
        if glob.has_magic(part):
            break
        fixed.append(part)
    return Path(*fixed) if fixed else Path(os.curdir)
