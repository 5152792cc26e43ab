"""Releases in a store without a rename: claimed by one process, the manifest last; without it there is none.

A claim is a file of its own. Whoever wrote one and then sees no other may go on: who comes later writes first
and looks then, so it sees the claim and takes its own back, for a moment whose length is drawn. Two that came
at once see one another, and both step back. All that is asked of the store is that a file that was written is
listed from then on, as S3, Google Cloud Storage and Azure promise.
"""

import json
import os
import platform
import random
import secrets
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

from qidguard.core.address import shown_address
from qidguard.core.errors import InternalError, UserError
from qidguard.core.files import PrivateFolder
from qidguard.core.naming import folded
from qidguard.evidence.fields import MANIFEST
from qidguard.releasing.publishing.destination import LONGEST_WAIT_SECONDS, OccupiedError

_BLOCK = 1 << 22

_LONGEST_RUN = timedelta(hours=24)
"""A run of another machine that promised a release this long ago is dead."""

_LONGEST_ELSEWHERE = timedelta(hours=1)
"""A claim of another machine this old is of a dead process: one is held for the time of writing one file."""
_PAUSE_SECONDS = 0.05
_chance = random.SystemRandom()


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
    _refuse_local(system, label)
    return Store(system, root.rstrip("/"), label.rstrip("/"))


def _refuse_local(system: Any, label: str) -> None:
    """Refuse a chain of protocols that ends in a folder of this machine, whose place nobody looked at."""
    from fsspec.implementations.local import LocalFileSystem

    while (inner := getattr(system, "fs", None)) is not None:
        system = inner
    if isinstance(system, LocalFileSystem):
        raise UserError(
            f"The destination {label!r} leads to a folder of this machine; name the folder itself."
        )


class Store:
    """A store that fsspec opens; nothing is assumed of it but whole files."""

    path = None

    def __init__(self, system: Any, root: str, label: str) -> None:
        self._system = system
        self._root = root
        self._claims = f"{root}/.qidguard-claims"
        self.label = label

    def identity(self) -> str:
        """Return the address: a store has no other place at the same one."""
        return self.label

    def address(self, data_set: str, release_id: str) -> str:
        """Return the URL of the release's folder."""
        return f"{self.label}/{data_set}/{release_id}"

    def release_ids(self, data_set: str) -> tuple[str, ...]:
        """Return the ids of the releases of a data set that are here."""
        names = [
            name for folder in self._folders(data_set) for name in _names(self._system, folder, self.label)
        ]
        return tuple(
            sorted(name.split("/")[0] for name in names if name.count("/") == 1 and name.endswith(MANIFEST))
        )

    def _folders(self, data_set: str) -> list[str]:
        """Return the folders that a data set has here, one for each spelling of its name."""
        self._system.invalidate_cache()
        try:
            paths = self._system.ls(self._root, detail=False)
        except FileNotFoundError:
            return []
        except Exception as error:  # noqa: BLE001 - as in open_store
            raise _cannot_read(self.label, error) from None
        names = [path.rstrip("/").rpartition("/")[2] for path in paths]
        return [f"{self._root}/{name}" for name in names if folded(name) == folded(data_set)]

    def check_unlinked(self, data_set: str, release_id: str) -> None:
        """Do nothing: a store has no links."""

    def stage(self, data_set: str, release_id: str) -> "StagedStore":
        """Return a private folder here, to copy the files from; UserError where something is there."""
        return StagedStore(
            self._system, f"{self._root}/{data_set}/{release_id}", self.address(data_set, release_id)
        )

    def manifest_digest(self, data_set: str, release_id: str) -> str | None:
        """Return the SHA-256 of the manifest, or None where there is no release."""
        try:
            content = self._system.cat_file(f"{self._root}/{data_set}/{release_id}/{MANIFEST}")
        except FileNotFoundError:
            return None
        except Exception as error:  # noqa: BLE001 - as in open_store
            raise _cannot_read(self.label, error) from None
        return sha256(content).hexdigest()

    def is_in_progress(self, data_set: str, token: str, since: datetime, now: datetime) -> bool:  # noqa: ARG002 - the token alone says who it was
        """Whether the process may still be at work: it runs here, or it began elsewhere not long ago."""
        return is_alive(token, is_recent_elsewhere=now - since < _LONGEST_RUN)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Publish alone: whoever sees the claim of another run takes its own back.

        OccupiedError where others stay, UserError where no claim can be made.
        """
        token, path = process_token(), f"{self._claims}/{secrets.token_hex(8)}"
        deadline = time.monotonic() + LONGEST_WAIT_SECONDS
        MAKERS.add(token)
        try:
            while not self._is_alone(token, path):
                self._take_back(path)
                if time.monotonic() > deadline:
                    raise OccupiedError.at(self.label)
                time.sleep(_PAUSE_SECONDS * (1 + _chance.random()))
            yield
        finally:
            self._take_back(path)
            MAKERS.discard(token)

    def clean(self, data_set: str, release_id: str, token: str, names: Sequence[str]) -> None:  # noqa: ARG002 - the folder is the release's
        """Remove the promised files of a release that has no manifest."""
        if self.manifest_digest(data_set, release_id) is None:
            _remove(self._system, f"{self._root}/{data_set}/{release_id}", names)

    def sweep(self, data_set: str) -> None:
        """Do nothing: what is left behind is known from the ledger alone."""

    def _is_alone(self, token: str, path: str) -> bool:
        """Write the claim, and return whether no other one stands there."""
        now = datetime.now(UTC)
        try:
            self._system.makedirs(self._claims, exist_ok=True)
            self._system.pipe_file(path, json.dumps([token, now.isoformat()]).encode("ascii"))
            self._system.invalidate_cache()
            others = [found for found in self._system.find(self._claims) if not found.endswith(path[-16:])]
            return not [found for found in others if self._is_held(found, now)]
        except Exception as error:  # noqa: BLE001 - as in open_store
            raise _cannot_write(self.label, error) from None

    def _is_held(self, path: str, now: datetime) -> bool:
        """Whether a claim is of a run that may be at work; that of a dead one is removed."""
        try:
            token, since = json.loads(self._system.cat_file(path))
            is_recent = now - datetime.fromisoformat(since) < _LONGEST_ELSEWHERE
            is_held = is_alive(token, is_recent_elsewhere=is_recent)
        except FileNotFoundError:
            return False
        except (ValueError, TypeError, AttributeError):
            return True  # not yet whole, or not ours
        if not is_held:
            self._take_back(path)
        return is_held

    def _take_back(self, path: str) -> None:
        with suppress(Exception):
            self._system.rm_file(path)
        with suppress(Exception):
            self._system.rmdir(self._claims)


class StagedStore:
    """A release being made in a private folder here and copied file by file."""

    def __init__(self, system: Any, target: str, address: str) -> None:
        self._system = system
        self._target = target
        self._address = address
        self._is_published = False
        self._copied: list[str] = []
        self._refuse_taken()
        self._private = PrivateFolder()
        self.folder = self._private.path / "release"
        self.folder.mkdir()
        self.token = process_token()
        MAKERS.add(self.token)

    def settle(self) -> None:
        """Copy every file but the manifest, and read each one back."""
        self._refuse_taken()
        for file in sorted(self.folder.iterdir()):
            if file.name != MANIFEST:
                self._copy(file)

    def publish(self) -> str:
        """Copy the manifest, which makes the folder a release."""
        self._refuse_taken()
        self._copy(self.folder / MANIFEST)
        self._is_published = True
        return self._address

    def discard(self) -> None:
        """Remove what was copied, unless it was published, and the private folder."""
        self._private.remove()
        MAKERS.discard(self.token)
        if not self._is_published:
            # the manifest goes first: what lacks one is no release
            _remove(self._system, self._target, self._copied[::-1])
            self._copied.clear()

    def _refuse_taken(self) -> None:
        """Refuse a place in which anything stands that this release did not put there."""
        others = set(_names(self._system, self._target, self._address)) - set(self._copied)
        if others:
            raise UserError(f"There is something at {self._address!r} already; it is left as it is.")

    def _copy(self, file: Path) -> None:
        there = f"{self._target}/{file.name}"
        try:
            if not self._copied:
                self._system.makedirs(self._target, exist_ok=True)
            self._copied.append(file.name)
            self._system.put_file(str(file), there)
            with self._system.open(there, "rb") as theirs:
                actual = _digest(theirs)
        except Exception as error:  # noqa: BLE001 - as in open_store
            raise _cannot_write(self._address, error) from None
        with file.open("rb") as mine:
            expected = _digest(mine)
        if actual != expected:
            raise InternalError(
                f"The store gave back other bytes of {file.name!r} than were written to it, so nothing was"
                " published; check the store."
            )


def _names(system: Any, folder: str, label: str) -> list[str]:
    """Return the names of all files below a folder, relative to it; none where there is no folder."""
    system.invalidate_cache()
    try:
        paths = system.find(folder)
    except FileNotFoundError:
        return []
    except Exception as error:  # noqa: BLE001 - as in open_store
        raise _cannot_read(label, error) from None
    inside = folder.strip("/") + "/"
    return [path.strip("/").removeprefix(inside) for path in paths if path.strip("/").startswith(inside)]


def _remove(system: Any, folder: str, names: Sequence[str]) -> None:
    """Remove files and then the folder, if nothing else is in it."""
    for name in names:
        with suppress(Exception):
            system.rm_file(f"{folder}/{name}")
    with suppress(Exception):
        system.rmdir(folder)


def _digest(file: Any) -> str:
    digest = sha256()
    while block := file.read(_BLOCK):
        digest.update(block)
    return digest.hexdigest()


def _cannot_write(place: str, error: BaseException) -> UserError:
    return UserError(
        f"The destination {place!r} cannot be written ({type(error).__name__}), so nothing was published;"
        " check the address and the access to it."
    )


def _cannot_read(place: str, error: BaseException) -> UserError:
    return UserError(f"The store {place!r} cannot be read ({type(error).__name__}); check access.")


MAKERS: set[str] = set()
"""The tokens of this very process that are still at work."""


def process_token() -> str:
    """Return a new token that names this machine, this process and when it began."""
    process = os.getpid()
    return f"{_machine()}/{process}/{_began(process)}/{secrets.token_hex(4)}"


def is_alive(token: str, *, is_recent_elsewhere: bool) -> bool:
    """Whether a token's process may be at work; one of another machine is while it is recent."""
    machine, process, began, _ = token.rsplit("/", 3)
    if machine != _machine():
        return is_recent_elsewhere
    if int(process) == os.getpid():
        return token in MAKERS
    return began == _began(int(process)) or (began == "" and _is_running(int(process)))


def _machine() -> str:
    """Return what tells this machine, since it was started, from another of the same name."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        space = str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        boot = space = ""
    return f"{platform.node()}:{boot}:{space}"


def _began(process: int) -> str:
    """Return when a process began, as its system says; empty where it does not say or there is none."""
    try:
        status = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    return status.rpartition(")")[2].split()[19]


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
