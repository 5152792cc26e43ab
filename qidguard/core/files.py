"""Files: locks that die with their process, files that are there whole or not at all, private folders."""

import errno
import glob
import math
import os
import secrets
import shutil
import tempfile
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
_NO_LOCKS = "This system lacks the file locks of POSIX, which releases need."


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
def alone(place: Path, seconds: float = math.inf, *, is_optional: bool = False) -> Iterator[None]:
    """Keep out whoever else asks to be alone at a place; the lock dies with its process.

    Args:
        place: A folder, or a file that is made for it.
        seconds: How long to wait for others, in seconds.
        is_optional: Whether nobody is kept out where the system or its files know no such locks.

    Raises:
        TimeoutError: When others stay longer.
        OSError: When the place cannot be opened; a TimeoutError is one.

    Units:
        ``seconds`` in seconds.

    Example:
        >>> with tempfile.TemporaryDirectory() as folder, alone(Path(folder)):
        ...     with alone(Path(folder), 0):
        ...         pass
        Traceback (most recent call last):
        ...
        TimeoutError
    """
    deadline = time.monotonic() + seconds
    try:
        flags = os.O_RDONLY if place.is_dir() else os.O_RDWR | os.O_CREAT
        handle = os.open(place, flags | os.O_CLOEXEC, 0o600)
    except OSError:
        if not is_optional:
            raise
        yield
        return
    try:
        while not _is_taken(handle, is_optional=is_optional):
            if time.monotonic() > deadline:
                raise TimeoutError
            time.sleep(_PAUSE_SECONDS)
        yield
    finally:
        os.close(handle)


def _is_taken(handle: int, *, is_optional: bool) -> bool:
    """Whether a file is locked now, or cannot be and need not."""
    if fcntl is None:  # pragma: no cover - as above
        if is_optional:
            return True
        raise UserError(_NO_LOCKS)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        if not is_optional:
            raise
    return True


def _locked(path: Path, flags: int) -> int | None:
    """Return an open, locked file, or None where another process holds it."""
    if fcntl is None:  # pragma: no cover - as above
        raise UserError(_NO_LOCKS)
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


_DRAFT = ".draft"
_KEPT_CHARACTERS = 40
"""How much of a file's name its draft carries: the longest name that a folder takes leaves little room."""


def write_whole(path: Path, content: bytes, *, mode: int, is_lasting: bool = False) -> None:
    """Write a file in one step: it takes the place of an earlier one, or that stays as it was.

    Args:
        path: Where; its folder exists.
        content: What.
        mode: Its rights; nobody else can read it before it has them.
        is_lasting: Whether it is on disk before it takes its place.

    Raises:
        OSError: When it cannot be written; nothing is left behind then.

    Example:
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_whole(Path(folder, "a.txt"), b"a", mode=0o600)
        ...     Path(folder, "a.txt").read_text()
        'a'
    """
    sweep_drafts(path)
    with new_draft(path) as lock:
        lock.path.write_bytes(content)
        lock.path.chmod(mode)
        if is_lasting:
            to_disk(lock.path)
        lock.path.replace(path)


def to_disk(path: Path) -> None:
    """Keep a file, or the names in a folder, through a loss of power; OSError when that fails.

    Example:
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     to_disk(Path(folder))
    """
    if path.is_dir() and os.name != "posix":  # pragma: no cover - a system that cannot open folders
        return
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def new_draft(path: Path) -> Lock:
    """Return a new, empty file beside a path, locked; it is removed with its lock unless it is renamed.

    Example:
        >>> with tempfile.TemporaryDirectory() as folder, new_draft(Path(folder, "a.txt")) as lock:
        ...     lock.path.name.startswith(".a.txt.")
        True
    """
    return made_lock(path.absolute().with_name(f"{_begin(path)}{secrets.token_hex(8)}{_DRAFT}"))


def sweep_drafts(path: Path) -> None:
    """Remove the drafts of a file that dead processes left beside it.

    Example:
        >>> sweep_drafts(Path("a.txt"))
    """
    with suppress(OSError):
        folder = path.absolute().parent
        for pattern in (f"{glob.escape(_begin(path))}*{_DRAFT}", f"{MAKING}*"):
            for draft in folder.glob(pattern):
                with Lock(draft) as lock:
                    lock.take()


def _begin(path: Path) -> str:
    return f".{path.name[:_KEPT_CHARACTERS]}."


PREFIX = "qidguard-private-"
"""No other folder begins so: a sweep takes an empty one for the beginning of a copy."""
_IN_USE = "in-use"

_swept: set[tuple[int, Path]] = set()
"""The processes, this one and those it was forked from, with the places that they swept."""


class PrivateFolder:
    """A folder that nobody else can enter (mode 0700), with a lock that says that it is in use.

    What dead processes left beside it is removed when a process makes its first one; a run that begins
    sweeps by itself.

    Args:
        parent: Where it is made; None takes the system's folder for temporary files.
    """

    def __init__(self, parent: str | None = None) -> None:
        place = _place(parent)
        if (os.getpid(), place) not in _swept:
            sweep(place)
        self.path, self._lock = _new(place)

    def remove(self) -> None:
        """Remove the folder with all that is in it; a second call does nothing."""
        _remove(self.path, self._lock)


def sweep_copies(spill_directory: str | None) -> None:
    """Remove the copies that dead processes left where a run makes its own; every run begins with it."""
    with suppress(OSError):  # whoever makes a folder there says what is wrong with the place
        sweep(_place(spill_directory))


def sweep(parent: Path) -> None:
    """Remove the private folders in ``parent`` whose processes are dead; others' and those in use stay.

    Args:
        parent: Where private folders are made.

    Example:
        >>> with tempfile.TemporaryDirectory() as parent:
        ...     folder = PrivateFolder(parent)
        ...     sweep(Path(parent))
        ...     folder.path.is_dir()
        True
    """
    for folder in parent.glob(f"{PREFIX}*/"):
        if not (folder / _IN_USE).exists():
            _remove_begun(folder)
            continue
        lock = Lock(folder / _IN_USE)
        try:
            if lock.take():
                _remove(folder, lock)
        finally:
            lock.leave()
    _swept.add((os.getpid(), parent))


def _new(place: Path) -> tuple[Path, Lock]:
    """Return a new folder with its lock; whoever sweeps meanwhile may take the folder away before that."""
    for attempt in range(1, _ATTEMPTS + 1):
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=place)).absolute()
        try:
            return folder, made_lock(folder / _IN_USE)
        except BaseException as error:
            shutil.rmtree(folder, ignore_errors=True)
            if not isinstance(error, FileNotFoundError) or attempt == _ATTEMPTS:
                raise
    raise AssertionError("the last attempt returns or raises")  # pragma: no cover - said by the loop


def _remove_begun(folder: Path) -> None:
    """Remove a folder whose process ended before its lock stood there, or after it was taken away.

    What somebody else keeps in a folder of such a name stays: only an empty folder is removed.
    """
    with suppress(OSError):
        for draft in folder.glob(f"{MAKING}*"):
            with Lock(draft) as lock:
                lock.take()
        folder.rmdir()


def _place(parent: str | None) -> Path:
    return Path(parent or tempfile.gettempdir())


def _remove(folder: Path, lock: Lock) -> None:
    """Remove a folder, its lock last: while anything is left, whoever comes later must be able to find it."""
    with suppress(OSError):
        for path in folder.iterdir():
            if path.name == _IN_USE:
                continue
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
        lock.drop()
        folder.rmdir()
