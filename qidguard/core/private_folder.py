"""Private folders for copies of tables; what a dead process left in one, the next run removes."""

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from qidguard.core.lock import MAKING, Lock, made_lock

PREFIX = "qidguard-private-"
"""No other folder begins so: a sweep takes an empty one for the beginning of a copy."""
_IN_USE = "in-use"
_ATTEMPTS = 10


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
