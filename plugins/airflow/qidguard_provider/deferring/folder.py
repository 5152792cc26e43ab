"""The private folder in which deferred work and those who wait for it leave signs for each other.

Liveness is a count that goes on, seen by whoever watches with a clock of its own: so it holds on another
machine that shares the folder, whose clock differs and where a process id says nothing.
"""

import json
import os
import re
import secrets
import shutil
import stat
import time
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from qidguard import UserError

SETTING = "QIDGUARD_DEFERRED"
"""Names the folder of folders, where worker and triggerer do not share ``$AIRFLOW_HOME``."""

SILENT_SECONDS = 60.0
"""A process that has not counted on for so long is taken for dead."""

UNWATCHED_SECONDS = 600.0
"""Work that nobody has watched for so long ends: nobody would read its answer."""

LARGEST_BYTES = 4_000_000
"""A longer answer is none."""

_ATTEMPTS = 10
_OLD_SECONDS = 7 * 24 * 3600.0


def root() -> Path:
    """Return the folder that holds the folders of all work of this account, made where it is missing."""
    named = os.environ.get(SETTING)
    if named and not Path(named).is_absolute():
        raise UserError(f"{SETTING} must be an absolute folder, not {named!r}; correct it.")
    home = os.environ.get("AIRFLOW_HOME") or "~/airflow"
    folder = Path(named) if named else Path(home).expanduser().absolute() / "qidguard-deferred"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        seen = folder.stat()
    except OSError as error:
        raise UserError(
            f"The folder {str(folder)!r} for work outside of a worker slot cannot be made"
            f" ({error.strerror}); name another one by {SETTING}."
        ) from None
    if seen.st_uid != os.getuid() or stat.S_IMODE(seen.st_mode) & 0o077:
        raise UserError(
            f"The folder {str(folder)!r} for work outside of a worker slot must belong to the account of"
            f" Airflow and be open to nobody else (mode 0700); correct it, or name another one by {SETTING}."
        )
    return folder


@dataclass(frozen=True)
class WorkFolder:
    """Where one try of one task leaves its signs.

    Args:
        path: The folder.
    """

    path: Path

    @classmethod
    def new(cls, parts: tuple[str, ...]) -> "WorkFolder":
        """Make a folder for a try of a task; work that an earlier start of this try left is asked to end."""
        place = root()
        _sweep(place)
        stop_all(parts)
        folder = place / f"{_mark(parts)}-{secrets.token_hex(16)}"
        folder.mkdir(mode=0o700)
        return cls(folder)

    @classmethod
    def named(cls, name: object, parts: tuple[str, ...]) -> "WorkFolder | None":
        """Return the folder of that name; None for a name that is not of this try of this task."""
        is_own = isinstance(name, str) and re.fullmatch(f"{_mark(parts)}-[0-9a-f]{{32}}", name)
        return cls(root() / str(name)) if is_own else None

    def exists(self) -> bool:
        """Whether the folder can be seen from here."""
        return self.path.is_dir()

    def remove(self) -> None:
        """Remove it; a second call does nothing, and what somebody leaves there meanwhile goes as well."""
        for _ in range(_ATTEMPTS):
            shutil.rmtree(self.path, ignore_errors=True)
            if not self.exists():
                return

    # -- signs of the work ---------------------------------------------------------------------------------

    def beat(self, count: int) -> None:
        """Say that the work is alive."""
        self._write("alive", str(count).encode())

    def pulse(self) -> bytes:
        """Return the last sign of life; empty where there was none."""
        return self._read("alive")

    def say(self, line: str) -> None:
        """Say how far the work is."""
        self._write("progress", line.encode())

    def said(self) -> str:
        """Return how far the work is, in one printable line."""
        text = self._read("progress")[:500].decode(errors="replace")
        return "".join(letter if letter.isprintable() else " " for letter in text)

    def answer(self, content: bytes) -> None:
        """Leave the answer, as a whole or not at all."""
        self._write("answer", content)

    def has_answer(self) -> bool:
        """Whether an answer lies there."""
        return (self.path / "answer").exists()

    def read_answer(self) -> bytes:
        """Return the answer; empty where there is none, where it is no plain file, or too long to be one."""
        return self._read("answer")

    # -- signs of those who wait ---------------------------------------------------------------------------

    def watch(self, count: int) -> None:
        """Say that somebody waits for the answer; nothing is made where the folder is gone."""
        with suppress(OSError):
            self._write("watched", str(count).encode())

    def watched(self) -> bytes:
        """Return the last sign of somebody who waits."""
        return self._read("watched")

    def stop(self) -> None:
        """Ask the work to end; it removes the folder when it has."""
        with suppress(OSError):
            self._write("stop", b"")

    def is_stopped(self) -> bool:
        """Whether the work is asked to end, as it also is by a folder that is gone."""
        return (self.path / "stop").exists() or not self.exists()

    def _write(self, name: str, content: bytes) -> None:
        draft = self.path / f".{name}-{os.getpid()}"
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            if name == "answer":
                file.flush()
                os.fsync(file.fileno())
        draft.replace(self.path / name)

    def _read(self, name: str) -> bytes:
        try:
            handle = os.open(self.path / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:
            return b""
        with os.fdopen(handle, "rb") as file:
            seen = os.fstat(file.fileno())
            is_ours = stat.S_ISREG(seen.st_mode) and seen.st_uid == os.getuid()
            return file.read() if is_ours and seen.st_size <= LARGEST_BYTES else b""


def stop_all(parts: tuple[str, ...]) -> None:
    """Ask all work of one try of a task to end."""
    for path in root().glob(f"{_mark(parts)}-*"):
        WorkFolder(path).stop()


def end_all(parts: tuple[str, ...]) -> None:
    """Remove the folders of one try of a task; work that is still there ends by that."""
    for path in root().glob(f"{_mark(parts)}-*"):
        WorkFolder(path).remove()


def _mark(parts: tuple[str, ...]) -> str:
    """Return what the names of all folders of one try of a task begin with; no two tries share it."""
    return sha256(json.dumps(parts).encode()).hexdigest()[:32]


class SignWatch:
    """Notices that a sign no longer changes, by a clock of its own.

    Args:
        seconds: For how long it may stay the same.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._last, self._since = b"", time.monotonic()

    def is_over(self, sign: bytes) -> bool:
        """Return whether the sign has stayed the same for too long."""
        if sign != self._last:
            self._last, self._since = sign, time.monotonic()
        return time.monotonic() - self._since > self._seconds


def _sweep(place: Path) -> None:
    """Remove what was answered long ago and never fetched."""
    with suppress(OSError):
        for folder in place.iterdir():
            if folder.is_dir() and time.time() - folder.stat().st_mtime > _OLD_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)
