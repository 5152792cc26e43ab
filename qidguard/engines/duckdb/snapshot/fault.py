"""What DuckDB raises while it works on a private copy, as one sentence without any value."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from qidguard.core.errors import DataError, InternalError, MemoryLimitError, UserError
from qidguard.engines.duckdb.connection import Connection, interrupted, refusal, unwritable


@contextmanager
def working(
    connection: Connection, doing: str, *, target: Path | None = None, source: str | None = None
) -> Iterator[None]:
    """Turn what is raised inside into an error of qidguard; an interrupt stays one.

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
        if (reason := refusal(error)) is not None:
            is_spill = str(connection.spill) in str(error)
            place = connection.spill if target is None or is_spill else target
            raise unwritable(place.parent, doing, reason) from None
        if isinstance(error, duckdb.IOException) and target is not None:
            raise UserError(
                f"The disk at {str(target.parent)!r} is not writable while {doing}; check it."
            ) from None
        if source is not None:
            raise DataError(f"DuckDB cannot read {source} ({kind} error); correct or convert it.") from None
        raise InternalError(f"DuckDB failed while {doing} ({kind} error); please report it.") from None
    except RuntimeError as error:
        raise interrupted(error) from None


def cannot_write(place: Path, doing: str, error: OSError) -> UserError:
    """Return the error for what the operating system says of ``place``."""
    if error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}:
        return unwritable(place.parent, doing, error.errno)
    reason = error.strerror or "unknown reason"
    return UserError(f"The disk at {str(place.parent)!r} is not writable while {doing} ({reason}); check it.")
