"""Locks that die with their process: a file that is locked is in use, one that is not was left behind."""

import os
from pathlib import Path
from typing import Self

from qidguard.core.errors import UserError

try:
    import fcntl
except ImportError:  # pragma: no cover - a system without POSIX locks
    fcntl = None  # type: ignore[assignment]


class Lock:
    """An exclusive lock on a file, held until it is let go or the process ends, however it ends.

    Args:
        path: The file; its folder exists.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._handle: int | None = None

    def take(self, *, is_waiting: bool = False) -> bool:
        """Take the lock and return whether it was free; OSError when the file cannot be made."""
        if fcntl is None:  # pragma: no cover - as above
            raise UserError("Releases to a folder need POSIX file locks, which this system lacks.")
        while True:
            handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | (0 if is_waiting else fcntl.LOCK_NB))
            except BlockingIOError:
                os.close(handle)
                return False
            except BaseException:
                os.close(handle)
                raise
            if _is_at(handle, self.path):
                self._handle = handle
                return True
            os.close(handle)  # another process removed the file in between; take the new one

    def drop(self) -> None:
        """Remove the file and let the lock go; a second call does nothing."""
        if self._handle is None:
            return
        self.path.unlink(missing_ok=True)
        os.close(self._handle)
        self._handle = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.drop()


def _is_at(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False
