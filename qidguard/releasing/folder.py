"""Releases in a folder of this machine: made beside their place, then renamed into it in one step."""

import os
import secrets
import shutil
from hashlib import file_digest
from pathlib import Path

from qidguard.core.errors import UserError
from qidguard.releasing.destination import MANIFEST
from qidguard.releasing.lock import Lock

_STAGING = ".staging-"
_LOCK = ".lock-"


class LocalFolder:
    """A folder whose file system renames folders atomically."""

    def __init__(self, root: Path) -> None:
        self._root = root

    @property
    def label(self) -> str:
        """The folder's path."""
        return str(self._root)

    def address(self, data_set: str, release_id: str) -> str:
        """Return the release's folder."""
        return str(self._root / data_set / release_id)

    def stage(self, data_set: str, release_id: str) -> "StagedFolder":
        """Return a hidden folder beside the release's own; UserError when it cannot be made."""
        parent = self._root / data_set
        token = f"{release_id}-{secrets.token_hex(4)}"
        try:
            parent.mkdir(parents=True, exist_ok=True)
            # the lock comes before the folder: a folder without a lock that is held belongs to nobody
            lock = Lock(parent / f"{_LOCK}{token}")
            lock.take()
            try:
                folder = parent / f"{_STAGING}{token}"
                folder.mkdir(mode=0o700)
            except BaseException:
                lock.drop()
                raise
        except OSError as error:
            raise cannot_write(str(parent), error) from None
        return StagedFolder(folder, parent / release_id, lock, token)

    def manifest_digest(self, data_set: str, release_id: str) -> str | None:
        """Return the SHA-256 of the manifest, or None where there is no release."""
        try:
            with (self._root / data_set / release_id / MANIFEST).open("rb") as file:
                return file_digest(file, "sha256").hexdigest()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise UserError(
                f"The release at {self.address(data_set, release_id)!r} cannot be read"
                f" ({error.strerror or 'unknown reason'}); mend its rights."
            ) from None

    def is_in_progress(self, data_set: str, token: str) -> bool:
        """Whether the lock of the staging folder is held."""
        path = self._root / data_set / f"{_LOCK}{token}"
        if not path.exists():
            return False
        with Lock(path) as lock:
            return not lock.take()

    def clean(self, data_set: str, release_id: str, token: str) -> None:  # noqa: ARG002 - the token alone names it here
        """Remove a staging folder whose process is dead."""
        parent = self._root / data_set
        if not parent.is_dir():
            return
        with Lock(parent / f"{_LOCK}{token}") as lock:
            if lock.take():
                shutil.rmtree(parent / f"{_STAGING}{token}", ignore_errors=True)

    def sweep(self, data_set: str) -> None:
        """Remove every staging folder and lock whose process is dead."""
        parent = self._root / data_set
        if not parent.is_dir():
            return
        for prefix in (_STAGING, _LOCK):
            for path in parent.glob(f"{prefix}*"):
                self.clean(data_set, "", path.name.removeprefix(prefix))


class StagedFolder:
    """A release being made in a hidden folder on the destination's own file system."""

    def __init__(self, folder: Path, target: Path, lock: Lock, token: str) -> None:
        self.folder = folder
        self.token = token
        self._target = target
        self._lock = lock
        self._is_published = False

    def settle(self) -> None:
        """Flush every file and the folder itself to the disk, readable like the folder around it."""
        try:
            for file in sorted(self.folder.iterdir()):
                file.chmod(0o666 & ~_umask())
                _flush(file)
            self.folder.chmod(0o777 & ~_umask())
            _flush(self.folder)
        except OSError as error:
            raise cannot_write(str(self.folder), error) from None

    def publish(self) -> str:
        """Rename the folder to the release's own name; UserError when a release of that name is there."""
        try:
            # a folder that is not empty is never replaced by a rename; an empty one must not be either
            if self._target.exists():
                raise UserError(f"There is a release at {str(self._target)!r} already; it is left as it is.")
            self.folder.rename(self._target)
            self._is_published = True
            _flush(self._target.parent)
        except OSError as error:
            if self._is_published or not self._target.exists():
                raise cannot_write(str(self._target), error) from None
            raise UserError(
                f"There is a release at {str(self._target)!r} already; it is left as it is."
            ) from None
        finally:
            if self._is_published:
                self._lock.drop()
        return str(self._target)

    def discard(self) -> None:
        """Remove the hidden folder and let the lock go."""
        if not self._is_published:
            shutil.rmtree(self.folder, ignore_errors=True)
        self._lock.drop()


def cannot_write(place: str, error: OSError) -> UserError:
    """Return the error for a place that cannot be written, with the system's reason."""
    why = error.strerror or type(error).__name__
    return UserError(
        f"The destination {place!r} cannot be written ({why}), so nothing was published; mend it."
    )


def _flush(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
