"""What DuckDB raises while it works on a private copy, as one sentence without any value."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from qidguard.core.errors import DataError, InternalError, MemoryLimitError, UserError
from qidguard.engines.duckdb.connection import Connection, interrupted

_FULL = tuple(os.strerror(code) for code in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG))


@contextmanager
def working(
    connection: Connection, doing: str, *, target: Path | None = None, source: str | None = None
) -> Iterator[None]:
    """Turn what is raised inside into an error of qidguard; an interrupt stays one.

    Args:
        connection: The connection that works.
        doing: What it does, such as ``"writing the file"``.
        target: The file that is written, where one is.
        source: What is read, where its content may be at fault.

    Raises:
        UserError: when the disk is full or cannot be written.
        MemoryLimitError: when the memory limit is too small, spilling included.
        DataError: when DuckDB cannot read ``source``.
        InternalError: for whatever else DuckDB raises.

    Example:
        >>> from qidguard.engines.base import EngineSettings
        >>> from qidguard.engines.duckdb.connection import connect
        >>> with connect(EngineSettings()) as connection, working(connection, "counting"):
        ...     connection.duckdb.execute("SELECT CAST('secret' AS INTEGER)")
        Traceback (most recent call last):
        ...
        qidguard.core.errors.InternalError: DuckDB failed while counting (Conversion error); please report it.
    """
    import duckdb

    try:
        yield
    except duckdb.OutOfMemoryException:
        raise MemoryLimitError(
            f"The memory limit of {connection.memory_limit} and the disk are too small for {doing}; raise the"
            " limit or free disk space."
        ) from None
    except duckdb.Error as error:
        # DuckDB quotes the offending value in its message, so only the kind of error is passed on
        kind = type(error).__name__.removesuffix("Exception") or "unknown"
        if isinstance(error, duckdb.IOException) and any(reason in str(error) for reason in _FULL):
            is_spill = str(connection.spill) in str(error)
            raise disk_is_full(connection.spill if target is None or is_spill else target, doing) from None
        if isinstance(error, duckdb.IOException) and target is not None:
            raise UserError(
                f"The disk at {str(target.parent)!r} is not writable while {doing}; check it."
            ) from None
        if source is not None:
            raise DataError(f"DuckDB cannot read {source} ({kind} error); correct or convert it.") from None
        raise InternalError(f"DuckDB failed while {doing} ({kind} error); please report it.") from None
    except RuntimeError as error:
        raise interrupted(error) from None


def disk_is_full(place: Path, doing: str) -> UserError:
    """Return the error that says which disk is full: that of the folder in which ``place`` stands."""
    return UserError(
        f"The disk at {str(place.parent)!r} is full while {doing}; free some space, or name another folder."
    )


def cannot_write(place: Path, doing: str, error: OSError) -> UserError:
    """Return the error for what the operating system says of ``place``."""
    if error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}:
        return disk_is_full(place, doing)
    reason = error.strerror or "unknown reason"
    return UserError(f"The disk at {str(place.parent)!r} is not writable while {doing} ({reason}); check it.")
