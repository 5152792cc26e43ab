"""A file that is there whole or not at all."""

import glob
import os
import secrets
import tempfile  # noqa: F401 - the examples use it
from contextlib import suppress
from pathlib import Path

from qidguard.core.lock import MAKING, Lock, made_lock

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
        with lock.path.open("wb") as file:
            file.write(content)
            if is_lasting:
                file.flush()
                os.fsync(file.fileno())
        lock.path.chmod(mode)
        lock.path.replace(path)


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
