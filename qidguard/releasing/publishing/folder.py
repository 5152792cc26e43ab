"""Releases in a folder of this machine: made beside their place, then renamed into it in one step.

A published folder has mode 0755 and its files 0644, whatever the umask: nobody but the owner can change them,
and who may not read them is kept out by the folder around. Folders that are made on the way there are never
writable by others either.
"""

import secrets
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from hashlib import file_digest
from pathlib import Path

from qidguard.core.errors import UserError
from qidguard.core.files import MAKING, Lock, made_lock, to_disk
from qidguard.core.naming import folded
from qidguard.core.system import why
from qidguard.evidence.fields import MANIFEST
from qidguard.releasing.publishing.destination import LONGEST_WAIT_SECONDS, OccupiedError

_FOLDER_MODE, _FILE_MODE = 0o755, 0o644
_PAUSE_SECONDS = 0.02
_NEW_MARK = ".new-mark-"
_STAGING, _LOCK, _MARK = ".staging-", ".lock-", ".qidguard-destination"


class LocalFolder:
    """A folder whose file system renames folders atomically."""

    def __init__(self, root: Path) -> None:
        self._root = root

    @property
    def label(self) -> str:
        """The folder's path."""
        return str(self._root)

    @property
    def path(self) -> Path:
        """The folder, for what must not stand inside it."""
        return self._root

    def identity(self) -> str:
        """Return what tells this very folder from another that is found at the same path later."""
        mark = self._root / _MARK
        try:
            _make_folder(self._root)
            if not mark.exists():
                _make_mark(mark)
            return mark.read_text(encoding="ascii")
        except (OSError, ValueError) as error:
            raise cannot_write(str(self._root), error) from None

    def address(self, data_set: str, release_id: str) -> str:
        """Return the release's folder."""
        return str(self._root / data_set / release_id)

    def release_ids(self, data_set: str) -> tuple[str, ...]:
        """Return the ids of the releases of a data set that stand here."""
        found = [
            path.parent.name for parent in self._folders(data_set) for path in parent.glob(f"*/{MANIFEST}")
        ]
        return tuple(sorted(name for name in found if name[0] != "."))

    def _folders(self, data_set: str) -> list[Path]:
        """Return the folders that a data set has here, one for each spelling of its name."""
        return [path for path in self._root.glob("*") if folded(path.name) == folded(data_set)]

    def check_unlinked(self, data_set: str, release_id: str) -> None:
        """Refuse a link in the place of a data set's folder, however it is spelled, or of a release's."""
        for folder in (self._root / data_set, *self._folders(data_set)):
            _check_unlinked(folder, folder / release_id)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the mark that every run finds here; the lock dies with its process."""
        lock = Lock(self._root / _MARK)
        deadline = time.monotonic() + LONGEST_WAIT_SECONDS
        try:
            while self.identity() and not lock.take(may_write=False):
                if time.monotonic() > deadline:
                    raise OccupiedError.at(self.label)
                time.sleep(_PAUSE_SECONDS)
        except OSError as error:
            raise cannot_write(str(lock.path), error) from None
        try:
            yield
        finally:
            lock.leave()

    def stage(self, data_set: str, release_id: str) -> "StagedFolder":
        """Return a hidden folder beside the release's own; UserError when it cannot be made."""
        parent = self._root / data_set
        token = f"{release_id}-{secrets.token_hex(4)}"
        try:
            _make_folder(self._root)
            with suppress(FileExistsError):
                parent.mkdir(mode=_FOLDER_MODE)
                parent.chmod(_FOLDER_MODE)
            self.check_unlinked(data_set, release_id)
            # the lock comes before the folder: a folder without a lock that is held belongs to nobody
            lock = made_lock(parent / f"{_LOCK}{token}")
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
        self.check_unlinked(data_set, release_id)
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

    def is_in_progress(self, data_set: str, token: str, since: datetime, now: datetime) -> bool:  # noqa: ARG002 - the lock knows better than the clock
        """Whether the lock of the staging folder is held, or cannot be looked at."""
        path = self._root / data_set / f"{_LOCK}{token}"
        if not path.exists():
            return False
        with Lock(path) as lock:
            return not lock.take() and path.exists()

    def clean(self, data_set: str, release_id: str, token: str, names: Sequence[str]) -> None:  # noqa: ARG002 - the token alone names it here
        """Remove a staging folder whose process is dead."""
        parent = self._root / data_set
        staging, lock = parent / f"{_STAGING}{token}", Lock(parent / f"{_LOCK}{token}")
        with lock:
            if lock.take() or not lock.path.exists():
                shutil.rmtree(staging, ignore_errors=True)

    def sweep(self, data_set: str) -> None:
        """Remove every staging folder and lock whose process is dead."""
        parent = self._root / data_set
        drafts = [
            path
            for folder, prefix in ((self._root, MAKING), (self._root, _NEW_MARK), (parent, MAKING))
            for path in folder.glob(f"{prefix}*")
        ]
        for path in drafts:
            with Lock(path) as lock:
                lock.take()
        for prefix in (_STAGING, _LOCK):
            for path in parent.glob(f"{prefix}*"):
                self.clean(data_set, "", path.name.removeprefix(prefix), ())


class StagedFolder:
    """A release being made in a hidden folder on the destination's own file system."""

    def __init__(self, folder: Path, target: Path, lock: Lock, token: str) -> None:
        self.folder = folder
        self.token = token
        self._target = target
        self._lock = lock
        self._is_published = False

    def settle(self) -> None:
        """Flush every file and the folder itself to the disk, and let nobody else write to them."""
        try:
            for file in sorted(self.folder.iterdir()):
                file.chmod(_FILE_MODE)
                to_disk(file)
            self.folder.chmod(_FOLDER_MODE)
            to_disk(self.folder)
        except OSError as error:
            raise cannot_write(str(self.folder), error) from None

    def publish(self) -> str:
        """Rename the folder to the release's own name; UserError when something of that name is there."""
        _check_unlinked(self._target.parent, self._target)
        taken = UserError(f"There is something at {str(self._target)!r} already; it is left as it is.")
        # a rename never replaces a folder that is not empty; an empty one it must not replace either
        if self._target.exists():
            raise taken
        try:
            self.folder.rename(self._target)
            self._is_published = True
            to_disk(self._target.parent)
        except OSError as error:
            if not self._is_published and self._target.exists():
                raise taken from None
            raise cannot_write(str(self._target), error) from None
        return str(self._target)

    def discard(self) -> None:
        """Remove the hidden folder, if it still is one, and let the lock go."""
        if not self._is_published:
            shutil.rmtree(self.folder, ignore_errors=True)
        self._lock.drop()


def _check_unlinked(*places: Path) -> None:
    """Refuse links where folders belong: what they lead to can be exchanged, and lie anywhere."""
    try:
        found = next((place for place in places if place.is_symlink()), None)
    except OSError as error:
        raise cannot_write(str(places[0]), error) from None
    if found is not None:
        raise UserError(
            f"A link stands at {str(found)!r}, where a folder of the releases belongs, so nothing is"
            " published through it; remove the link, or name another destination."
        )


def _make_folder(folder: Path) -> None:
    """Make a folder and those around it that are missing: as the umask says, but none for others to write."""
    for missing in reversed([f for f in (folder, *folder.parents) if not f.exists()]):
        missing.mkdir(mode=_FOLDER_MODE, exist_ok=True)


def _make_mark(mark: Path) -> None:
    """Write a random text into ``mark``, whole before anybody sees it, unless another process was first."""
    # locked, so that whoever sweeps meanwhile leaves it
    with made_lock(mark.with_name(f"{_NEW_MARK}{secrets.token_hex(8)}")) as lock:
        draft = lock.path
        draft.write_text(secrets.token_hex(16), encoding="ascii")
        draft.chmod(_FILE_MODE)
        try:
            with suppress(FileExistsError):
                mark.hardlink_to(draft)
        except OSError:  # a file system without hard links
            draft.replace(mark)


def cannot_write(place: str, error: Exception) -> UserError:
    """Return the error for a place that cannot be written, with the system's reason."""
    return UserError(f"The destination {place!r} cannot be written ({why(error)}); mend it and run it again.")
