"""One private DuckDB connection with its limits and its spill directory."""

import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from qidguard.core.errors import DataError, UserError
from qidguard.core.private_folder import PrivateFolder
from qidguard.engines.base import EngineSettings
from qidguard.engines.sql.identifier import quote_text

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

SMALLEST_MEMORY_LIMIT = 64_000_000
"""Bytes below which DuckDB cannot even start a query reliably."""

SHARE_OF_FREE_DISK = 0.9
"""How much of the free space of the spill directory's disk may be filled."""

_UNITS = {unit: 1000**power for power, unit in enumerate(("KB", "MB", "GB", "TB"), start=1)} | {
    unit: 1024**power for power, unit in enumerate(("KIB", "MIB", "GIB", "TIB"), start=1)
}
_MEMORY = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]I?B)", re.ASCII | re.IGNORECASE)

_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "python_enable_replacements": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}
"""What must hold before the first statement: no Python variable is a table, no extension comes by itself."""


class Connection:
    """A DuckDB connection in memory and the private directory that it spills to.

    Args:
        duckdb: The connection.
        folder: The private directory ``spill``; whatever is written there is removed on close.
        memory_limit: The limit as DuckDB states it, such as ``"3.7 GiB"``.
    """

    def __init__(self, duckdb: "DuckDBPyConnection", folder: PrivateFolder, memory_limit: str) -> None:
        self.duckdb = duckdb
        self.spill = folder.path
        self._folder = folder
        self.memory_limit = memory_limit
        self._made = 0

    def new_name(self, prefix: str) -> str:
        """Return a name that this connection has not given out yet, such as ``"staged_1"``."""
        self._made += 1
        return f"{prefix}_{self._made}"

    def new_path(self, suffix: str) -> Path:
        """Return a path in the private directory that does not exist yet, ending in ``suffix``."""
        return self.spill / (self.new_name("input") + suffix)

    def close(self) -> None:
        """Give back memory, threads and everything in the private directory; a second call does nothing."""
        self.duckdb.close()
        self._folder.remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def connect(settings: EngineSettings) -> Connection:
    """Open a private DuckDB in memory that spills to a directory of its own (mode 0700).

    Args:
        settings: ``memory_limit`` such as ``"4GB"`` (KB, MB, GB, TB are powers of 1000; KiB, MiB, GiB, TiB of
            1024; at least 64 MB), ``threads`` ≥ 1, ``spill_directory`` an existing folder.

    Returns:
        The connection; close it, or use it as a context manager.

    Units:
        memory_limit: bytes, written with a unit.

    Raises:
        UserError: when a setting is not valid or the spill directory cannot be written.

    Example:
        >>> with connect(EngineSettings(memory_limit="1GB", threads=1)) as connection:
        ...     connection.duckdb.execute("SELECT 40 + 2").fetchall()
        [(42,)]
    """
    limit = None if settings.memory_limit is None else _check_memory_limit(settings.memory_limit)
    if settings.threads is not None and settings.threads < 1:
        raise UserError(f"The number of threads must be at least 1, not {settings.threads}.")
    import duckdb

    folder = make_private(settings.spill_directory)
    spill = folder.path
    database = duckdb.connect(":memory:", config=_CONFIG)
    # max_temp_directory_size is not enforced when it is given at connect, so all limits are set afterwards
    free = int(shutil.disk_usage(spill).free * SHARE_OF_FREE_DISK)
    assignments = [
        f"temp_directory = {quote_text(str(spill / 'spill'))}",
        f"max_temp_directory_size = '{max(free, 1)}B'",
        "preserve_insertion_order = false",
    ]
    if limit is not None:
        assignments.append(f"memory_limit = {quote_text(limit)}")
    if settings.threads is not None:
        assignments.append(f"threads = {int(settings.threads)}")
    for assignment in assignments:
        database.execute(f"SET {assignment}")
    stated = database.execute("SELECT current_setting('memory_limit')").fetchall()[0][0]
    return Connection(database, folder, stated)


@contextmanager
def reading(connection: Connection, source: str) -> Iterator[None]:
    """Turn what DuckDB raises while it reads a source into one sentence without any value of the table.

    Args:
        connection: The connection that reads.
        source: What is read, for the message.

    Raises:
        DataError: when DuckDB cannot read the source.
        UserError: when the memory limit or the space for spilled data is too small for it.

    Example:
        >>> with connect(EngineSettings()) as connection, reading(connection, "x.csv"):
        ...     connection.duckdb.execute("SELECT CAST('secret' AS INTEGER)")
        Traceback (most recent call last):
        ...
        qidguard.core.errors.DataError: DuckDB cannot read x.csv (Conversion error); correct or convert it.
    """
    import duckdb

    try:
        yield
    except duckdb.OutOfMemoryException:
        raise UserError(
            f"The memory limit of {connection.memory_limit} and the disk are too small to read {source};"
            " raise the limit"
            " or free disk space."
        ) from None
    except duckdb.Error as error:
        # DuckDB quotes the offending value in its message, so only the kind of error is passed on
        kind = type(error).__name__.removesuffix("Exception") or "unknown"
        raise DataError(f"DuckDB cannot read {source} ({kind} error); correct or convert it.") from None
    except RuntimeError as error:
        raise interrupted(error) from None


def interrupted(error: RuntimeError) -> BaseException:
    """Return what a RuntimeError of DuckDB means: Ctrl-C while it ran, or itself."""
    return KeyboardInterrupt() if str(error) == "Query interrupted" else error


def _check_memory_limit(text: str) -> str:
    match = _MEMORY.fullmatch(text.strip())
    if match is None:
        raise UserError(f"A memory limit is a number with a unit such as '4GB' or '512MiB', not {text!r}.")
    if float(match[1]) * _UNITS[match[2].upper()] < SMALLEST_MEMORY_LIMIT:
        raise UserError(f"The memory limit must be at least 64MB, not {text!r}.")
    return match[0]


def make_private(parent: str | None) -> PrivateFolder:
    """Return a new private folder; UserError when it cannot be made."""
    if parent is not None and not Path(parent).is_dir():
        raise UserError(f"The spill directory {parent!r} is not an existing folder; create it first.")
    try:
        return PrivateFolder(parent)
    except OSError as error:
        reason = error.strerror or "unknown reason"
        raise UserError(
            f"No private directory can be made in the spill directory {parent or tempfile.gettempdir()!r}"
            f" ({reason}); name another one."
        ) from error
