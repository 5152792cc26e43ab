"""One private DuckDB connection with its limits and its spill directory."""

import errno
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from qidguard.core.errors import DataError, InternalError, MemoryLimitError, UserError
from qidguard.core.files import PrivateFolder
from qidguard.core.watchdog import Interrupted
from qidguard.engines.base import EngineSettings
from qidguard.engines.sql.identifier import quote, quote_text

try:
    import resource
except ImportError:  # pragma: no cover - as below
    resource = None  # type: ignore[assignment]

if TYPE_CHECKING:
    import duckdb
    import pandas as pd

SMALLEST_MEMORY_LIMIT = 64_000_000
LARGEST_MEMORY_LIMIT = 10**15
"""Bytes below which DuckDB cannot even start a query reliably."""

SHARE_OF_FREE_DISK = 0.9
"""How much of the free space of the spill directory's disk may be filled."""

_UNITS = {unit: 1000**power for power, unit in enumerate(("KB", "MB", "GB", "TB"), start=1)} | {
    unit: 1024**power for power, unit in enumerate(("KIB", "MIB", "GIB", "TIB"), start=1)
}
_MEMORY = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]I?B)", re.ASCII | re.IGNORECASE)

SHARE_OF_PROCESS = 0.5
"""How much of a limit on the process's memory DuckDB takes where nobody says; Python needs the rest."""

PROCESS_BYTES_PER_THREAD = 500_000_000
"""How much of such a limit each thread is to have: every one of them reserves some of it for itself."""

_REFUSALS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS)

CONFIG: dict[str, str | bool | int | float | list[str]] = {
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

    While ``is_interrupted``, no statement about the table is begun.
    """

    def __init__(self, duckdb: "duckdb.DuckDBPyConnection", folder: PrivateFolder, memory_limit: str) -> None:
        self.duckdb = duckdb
        self.spill = folder.path
        self._folder = folder
        self.memory_limit = memory_limit
        self.is_interrupted = False
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

    def lay_down(self) -> None:
        """Remove the private directory, and leave the rest to ``taken_up``."""
        self._folder.remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def connect(settings: EngineSettings) -> Connection:
    """Open a private DuckDB in memory that spills to a directory of its own (mode 0700)."""
    limit = None if settings.memory_limit is None else _check_memory_limit(settings.memory_limit)
    if settings.threads is not None and settings.threads < 1:
        raise UserError(f"The number of threads must be at least 1, not {settings.threads}.")
    import duckdb

    folder = make_private(settings.spill_directory)
    try:
        return _connected(folder, limit, settings.threads)
    except duckdb.OutOfMemoryException:
        folder.remove()
        raise MemoryLimitError(
            f"The memory that the system gives this process{_of_process()} is too small to begin; raise that"
            " limit (ulimit -v)."
        ) from None
    except BaseException:
        folder.remove()
        raise


def _connected(folder: PrivateFolder, limit: str | None, threads: int | None) -> Connection:
    import duckdb

    spill = folder.path
    database = duckdb.connect(":memory:", config=CONFIG)
    # max_temp_directory_size is not enforced when it is given at connect, so all limits are set afterward
    assignments = [
        *_spilling_to(spill),
        "preserve_insertion_order = false",
    ]
    given = _process_limit()
    if limit is None and given is not None:
        limit = f"{max(int(given * SHARE_OF_PROCESS), SMALLEST_MEMORY_LIMIT)}B"
    processors = os.cpu_count() or 1
    if threads is None and given is not None:
        threads = max(1, min(processors, given // PROCESS_BYTES_PER_THREAD))
    if limit is not None:
        assignments.append(f"memory_limit = {quote_text(limit)}")
    if threads is not None:
        # DuckDB starts as many as it is told to, and a hundred thousand stop the machine
        assignments.append(f"threads = {min(int(threads), processors)}")
    for assignment in assignments:
        database.execute(f"SET {assignment}")
    stated = database.execute("SELECT current_setting('memory_limit')").fetchall()[0][0]
    return Connection(database, folder, stated + _of_process())


def taken_up(connection: Connection, settings: EngineSettings) -> Connection | None:
    """Return a connection that was laid down, with a new private directory; None where it spilled before."""
    import duckdb

    folder = make_private(settings.spill_directory)
    try:
        for assignment in _spilling_to(folder.path):
            connection.duckdb.execute(f"SET {assignment}")
    except duckdb.Error:
        # DuckDB stays with a directory that it wrote to
        folder.remove()
        return None
    except BaseException:
        folder.remove()
        raise
    return Connection(connection.duckdb, folder, connection.memory_limit)


def _spilling_to(spill: Path) -> tuple[str, ...]:
    """Return the assignments of the spill directory, and of how much of the disk's free space it may fill."""
    free = int(shutil.disk_usage(spill).free * SHARE_OF_FREE_DISK)
    return (
        f"temp_directory = {quote_text(str(spill / 'spill'))}",
        f"max_temp_directory_size = '{max(free, 1)}B'",
    )


def _process_limit() -> int | None:
    """Return how many bytes of address space the system gives this process; None where it sets no limit."""
    if resource is None:  # pragma: no cover - a system without such limits
        return None
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if soft == resource.RLIM_INFINITY else soft


def _of_process() -> str:
    given = _process_limit()
    return "" if given is None else f" (the process has {given / 1e6:,.0f} MB)"


@contextmanager
def told(
    connection: Connection, too_small: str, fault: "Callable[[duckdb.Error, str], BaseException]"
) -> Iterator[None]:
    """Turn what DuckDB raises into one sentence without any value of the table; an interrupt stays one.

    ``too_small`` says for what the memory is; ``fault`` gives the error for another fault and its kind.
    """
    import duckdb

    try:
        yield
    except duckdb.InterruptException:  # not a fault of what is done
        raise Interrupted from None
    except duckdb.OutOfMemoryException:
        raise MemoryLimitError(f"The memory limit of {connection.memory_limit} {too_small}") from None
    except duckdb.Error as error:
        # DuckDB quotes the offending value in its message, so only the kind of error is passed on
        raise fault(error, type(error).__name__.removesuffix("Exception") or "unknown") from None
    except RuntimeError as error:
        raise interrupted(error) from None


@contextmanager
def reading(connection: Connection, source: str) -> Iterator[None]:
    """Say in one sentence what goes wrong while a source is read; nothing is begun past an interrupt."""

    def fault(error: "duckdb.Error", kind: str) -> BaseException:
        if (reason := refusal(error)) is not None and str(connection.spill) in str(error):
            return unwritable(connection.spill.parent, f"reading {source}", reason)
        return DataError(f"DuckDB cannot read {source} ({kind} error); correct or convert it.")

    if connection.is_interrupted:
        raise Interrupted
    too_small = f"and the disk are too small to read {source}; raise the limit or free disk space."
    with told(connection, too_small, fault):
        yield


@contextmanager
def working(
    connection: Connection, doing: str, *, target: Path | None = None, source: str | None = None
) -> Iterator[None]:
    """Say in one sentence what goes wrong while DuckDB works on a private copy.

    Example:
        >>> with connect(EngineSettings()) as connection, working(connection, "counting"):
        ...     connection.duckdb.execute("SELECT CAST('secret' AS INTEGER)")
        Traceback (most recent call last):
        ...
        qidguard.core.errors.InternalError: DuckDB failed while counting (Conversion error); please report it.
    """
    import duckdb

    def fault(error: "duckdb.Error", kind: str) -> BaseException:
        if (reason := refusal(error)) is not None:
            is_spill = str(connection.spill) in str(error)
            place = connection.spill if target is None or is_spill else target
            return unwritable(place.parent, doing, reason)
        if isinstance(error, duckdb.IOException) and target is not None:
            return UserError(f"The disk at {str(target.parent)!r} is not writable while {doing}; check it.")
        if source is not None:
            return DataError(f"DuckDB cannot read {source} ({kind} error); correct or convert it.")
        return InternalError(f"DuckDB failed while {doing} ({kind} error); please report it.")

    too_small = f"and the disk are too small for {doing}; raise the limit or free disk space."
    with told(connection, too_small, fault):
        yield


def database_frame(
    database: str, *, query: str | None = None, table: tuple[str, str] | None = None
) -> "pd.DataFrame":
    """Return what a file of DuckDB holds as a DataFrame; it is opened for reading alone, and locked down.

    Args:
        database: The file.
        query: One SELECT over it.
        table: Schema and name of a table or view, in the place of a query.

    Raises:
        DataError: When there is no such file, it is open for writing elsewhere, or DuckDB cannot read it.

    Example:
        >>> database_frame("nowhere.duckdb", query="SELECT 1")
        Traceback (most recent call last):
        ...
        qidguard.core.errors.DataError: There is no DuckDB database 'nowhere.duckdb'; check the path.
    """
    path = Path(database).absolute()
    if not path.is_file():
        raise DataError(f"There is no DuckDB database {database!r}; check the path.")
    catalog = "read_database"
    asked = query if table is None else f"FROM {catalog}.{'.'.join(map(quote, table))}"
    with connect(EngineSettings()) as connection:
        try:
            with reading(connection, path.name):
                attach = f"ATTACH {quote_text(str(path))} AS {catalog} (READ_ONLY, TYPE duckdb)"
                connection.duckdb.execute(attach)
                connection.duckdb.execute(f"USE {catalog}")
        except DataError:
            raise DataError(
                f"The file {path.name!r} cannot be opened as a DuckDB database; check that it is one and that"
                " nobody has it open for writing. Where this program has, give a relation of its connection."
            ) from None
        with reading(connection, repr(path.name)):
            return connection.duckdb.execute(str(asked)).df()


def refusal(error: BaseException) -> int | None:
    """Return the system's error number in what DuckDB says of a disk; None where it names none."""
    import duckdb

    if not isinstance(error, duckdb.IOException):
        return None
    return next((code for code in _REFUSALS if os.strerror(code) in str(error)), None)


def unwritable(folder: Path, doing: str, reason: int) -> UserError:
    """Return the error that says why a folder takes no more, by the system's error number."""
    if reason == errno.EFBIG:
        return UserError(
            f"A file in {str(folder)!r} would be larger than this process may write while {doing}; raise that"
            " limit (ulimit -f)."
        )
    if reason in {errno.ENOSPC, errno.EDQUOT}:
        return UserError(
            f"The disk at {str(folder)!r} is full while {doing}; free some space, or name another folder."
        )
    return UserError(f"The disk at {str(folder)!r} fails while {doing} ({os.strerror(reason)}); check it.")


def cannot_write(place: Path, doing: str, error: OSError) -> UserError:
    """Return the error for what the operating system says of ``place``."""
    if error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}:
        return unwritable(place.parent, doing, error.errno)
    reason = error.strerror or "unknown reason"
    return UserError(f"The disk at {str(place.parent)!r} is not writable while {doing} ({reason}); check it.")


def interrupted(error: RuntimeError) -> BaseException:
    """Return what a RuntimeError of DuckDB means: Ctrl-C while it ran, or itself."""
    return KeyboardInterrupt() if str(error) == "Query interrupted" else error


def _check_memory_limit(text: str) -> str:
    match = _MEMORY.fullmatch(text.strip())
    if match is None:
        raise UserError(f"A memory limit is a number with a unit such as '4GB' or '512MiB', not {text!r}.")
    if not SMALLEST_MEMORY_LIMIT <= float(match[1]) * _UNITS[match[2].upper()] <= LARGEST_MEMORY_LIMIT:
        raise UserError(f"The memory limit must be at least 64MB and at most 1000TB, not {text!r}.")
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
