"""Releases in a store without a rename: the manifest is written last, and without one there is no release."""

import os
import platform
import secrets
import shutil
import tempfile
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from qidguard.core.address import shown_address
from qidguard.core.errors import InternalError, QidguardError, UserError
from qidguard.releasing.destination import MANIFEST

_BLOCK = 1 << 22


def open_store(url: str) -> "Store":
    """Return the store at a URL of fsspec.

    Raises:
        UserError: When no library is installed that knows the protocol, or it refuses.
    """
    import fsspec

    label = shown_address(url)
    try:
        system, root = fsspec.core.url_to_fs(url)
    except ImportError as error:
        needed = f" ({error.name})" if error.name else ""
        raise UserError(f"Writing to {label!r} needs a library that is not installed{needed}.") from None
    except ValueError:
        raise UserError(f"The destination {label!r} is of no protocol that fsspec knows.") from None
    except Exception as error:  # noqa: BLE001 - every protocol has errors of its own, and their text may hold secrets
        raise _cannot_write(label, error) from None
    return Store(system, root.rstrip("/"), label.rstrip("/"))


class Store:
    """A store that fsspec opens; nothing is assumed of it but whole files."""

    def __init__(self, system: Any, root: str, label: str) -> None:
        self._system = system
        self._root = root
        self.label = label

    def address(self, data_set: str, release_id: str) -> str:
        """Return the URL of the release's folder."""
        return f"{self.label}/{data_set}/{release_id}"

    def stage(self, data_set: str, release_id: str) -> "StagedStore":
        """Return a private folder here, from which the files are copied; UserError where one is there."""
        folder = f"{self._root}/{data_set}/{release_id}"
        address = self.address(data_set, release_id)
        if self.manifest_digest(data_set, release_id) is not None:
            raise UserError(f"There is a release at {address!r} already; it is left as it is.")
        return StagedStore(self._system, folder, address)

    def manifest_digest(self, data_set: str, release_id: str) -> str | None:
        """Return the SHA-256 of the manifest, or None where there is no release."""
        try:
            return sha256(
                self._system.cat_file(f"{self._root}/{data_set}/{release_id}/{MANIFEST}")
            ).hexdigest()
        except FileNotFoundError:
            return None
        except Exception as error:  # noqa: BLE001 - as in open_store
            raise UserError(
                f"The store {self.label!r} cannot be read ({type(error).__name__}); check access."
            ) from None

    def is_in_progress(self, data_set: str, token: str) -> bool:  # noqa: ARG002 - the token alone says who it was
        """Whether the process may still be at work: it runs here, or it ran elsewhere and nobody knows."""
        host, process, _ = token.rsplit("/", 2)
        if host != platform.node():
            return True
        try:
            os.kill(int(process), 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            return True
        return int(process) != os.getpid()

    def clean(self, data_set: str, release_id: str, token: str) -> None:  # noqa: ARG002 - the folder is the release's
        """Remove the files of a release that has no manifest."""
        if self.manifest_digest(data_set, release_id) is None:
            with suppress(Exception):
                self._system.rm(f"{self._root}/{data_set}/{release_id}", recursive=True)

    def sweep(self, data_set: str) -> None:
        """Do nothing: what is left behind is known from the ledger alone."""


class StagedStore:
    """A release being made in a private folder here and copied file by file."""

    def __init__(self, system: Any, target: str, address: str) -> None:
        self._system = system
        self._target = target
        self._address = address
        self._is_published = False
        self._copied: list[str] = []
        self.folder = Path(tempfile.mkdtemp(prefix="qidguard-release-"))
        self.token = f"{platform.node()}/{os.getpid()}/{secrets.token_hex(4)}"

    def settle(self) -> None:
        """Copy every file but the manifest, and read each one back."""
        for file in sorted(self.folder.iterdir()):
            if file.name != MANIFEST:
                self._copy(file)

    def publish(self) -> str:
        """Copy the manifest, which makes the folder a release."""
        self._copy(self.folder / MANIFEST)
        self._is_published = True
        shutil.rmtree(self.folder, ignore_errors=True)
        return self._address

    def discard(self) -> None:
        """Remove what was copied and the private folder."""
        shutil.rmtree(self.folder, ignore_errors=True)
        if self._is_published:
            return
        # the manifest goes first: what lacks one is no release
        for name in reversed(self._copied):
            with suppress(Exception):
                self._system.rm_file(name)
        if self._copied:
            with suppress(Exception):
                self._system.rm(self._target, recursive=True)
        self._copied.clear()

    def _copy(self, file: Path) -> None:
        there = f"{self._target}/{file.name}"
        try:
            if not self._copied:
                self._system.makedirs(self._target, exist_ok=True)
            self._copied.append(there)
            self._system.put_file(str(file), there)
            found = self._digest_of(there)
        except QidguardError:
            raise
        except Exception as error:  # noqa: BLE001 - as in open_store
            raise _cannot_write(self._address, error) from None
        with file.open("rb") as mine:
            expected = _digest(mine)
        if found != expected:
            raise InternalError(
                f"The store gave back other bytes of {file.name!r} than were written to it, so nothing was"
                " published; check the store."
            )

    def _digest_of(self, there: str) -> str:
        with self._system.open(there, "rb") as theirs:
            return _digest(theirs)


def _digest(file: Any) -> str:
    found = sha256()
    while block := file.read(_BLOCK):
        found.update(block)
    return found.hexdigest()


def _cannot_write(place: str, error: BaseException) -> UserError:
    return UserError(
        f"The destination {place!r} cannot be written ({type(error).__name__}), so nothing was published;"
        " check the address and the access to it."
    )
