"""Locks that die with their process: a file that is locked is in use, one that is not was left behind."""

import errno
import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self

from qidguard.core.errors import UserError

try:
    import fcntl
except ImportError:  # pragma: no cover - a system without POSIX locks
    fcntl = None  # type: ignore[assignment]

MAKING = ".making-"
"""How the names of files begin that are not yet what they are to be."""

_ATTEMPTS = 10
_PAUSE_SECONDS = 0.005


class Lock:
    """An exclusive lock on a file, held until it is let go or the process ends, however it ends.

    Args:
        path: The file; its folder exists.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._handle: int | None = None

    def make(self) -> None:
        """Make the file, locked before anybody can see it; OSError when that cannot be done.

        FileNotFoundError where somebody who sweeps the folder took it for one that was left behind.
        """
        hidden = self.path.with_name(f"{MAKING}{secrets.token_hex(8)}")
        handle = _locked(hidden, os.O_RDWR | os.O_CREAT | os.O_EXCL)
        if handle is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(hidden))
        hidden.rename(self.path)
        self._handle = handle

    def take(self, *, may_write: bool = True) -> bool:
        """Take the lock of a file that is there; return whether it was free.

        A file that is gone, or that may not be opened, is not free: nothing may be concluded from it. Who
        asks for a file that another user made may not write to it.
        """
        try:
            handle = _locked(self.path, os.O_RDWR if may_write else os.O_RDONLY)
        except (FileNotFoundError, PermissionError):
            return False
        if handle is None:
            return False
        if not _is_at(handle, self.path):
            os.close(handle)
            return False
        self._handle = handle
        return True

    def drop(self) -> None:
        """Remove the file and let the lock go; a second call does nothing."""
        if self._handle is None:
            return
        with suppress(OSError):
            self.path.unlink()
        os.close(self._handle)
        self._handle = None

    def leave(self) -> None:
        """Let the lock go and the file stand, as the end of the process would; a second call does nothing."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.drop()


def made_lock(path: Path) -> Lock:
    """Return the lock of a new file; OSError when it cannot be made.

    Whoever sweeps the folder may take the file for one that was left behind until it is locked; it is made
    again then.
    """
    for _ in range(_ATTEMPTS):
        lock = Lock(path)
        with suppress(FileNotFoundError):
            lock.make()
            return lock
        if not path.parent.is_dir():
            break
    raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))


@contextmanager
def alone_in(folder: Path, seconds: float) -> Iterator[None]:
    """Keep out whoever else asks to be alone in a folder; TimeoutError when that lasts longer.

    Where the system or its files know no such locks, nobody is kept out.
    """
    deadline = time.monotonic() + seconds
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        yield
        return
    try:
        while fcntl is not None:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise TimeoutError from None
                time.sleep(_PAUSE_SECONDS)
            except OSError:
                break
            else:
                break
        yield
    finally:
        os.close(handle)


def _locked(path: Path, flags: int) -> int | None:
    """Return an open, locked file, or None where another process holds it."""
    if fcntl is None:  # pragma: no cover - as above
        raise UserError("This system lacks the file locks of POSIX, which releases need.")
    handle = os.open(path, os.O_CLOEXEC | flags, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        return None
    except BaseException:
        os.close(handle)
        raise
    return handle


def _is_at(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False
