"""What the operating system refuses, said by its cause."""

import errno
import os
import stat
from io import BufferedReader
from pathlib import Path

from qidguard.core.errors import MemoryLimitError, QidguardError, UserError

try:
    import resource
except ImportError:  # pragma: no cover - as below
    resource = None  # type: ignore[assignment]

_REMEDIES = {
    errno.ENOSPC: "the disk is full; make room",
    errno.EDQUOT: "the disk quota is used up; make room",
    errno.EFBIG: "it would be larger than this process may write; raise that limit (ulimit -f)",
    errno.EROFS: "the disk is read-only; name another place",
    errno.EIO: "the disk fails; look after it",
    errno.ENAMETOOLONG: "the name is too long; choose a shorter one",
    errno.EACCES: "this account may not; mend its rights",
    errno.EPERM: "this account may not; mend its rights",
    errno.EMFILE: "this process may open no more files; raise that limit (ulimit -n)",
    errno.ENOMEM: "there is no memory left; raise the limit of this process",
}


LEAST_MEMORY = 1_000_000_000
"""Bytes of address space below which the libraries may end the process in their own ways, at any moment."""


class NoPlainFileError(OSError):
    """What stands at a path is a pipe or a device, whose reading may never end."""


def check_memory() -> None:
    """Refuse to begin in a process to which the system gives too little memory.

    Example:
        >>> check_memory()
    """
    if resource is None:  # pragma: no cover - a system without such limits
        return
    given, _ = resource.getrlimit(resource.RLIMIT_AS)
    if given != resource.RLIM_INFINITY and given < LEAST_MEMORY:
        raise MemoryLimitError(
            f"The system gives this process {given / 1e6:,.0f} MB of memory, and it needs"
            f" {LEAST_MEMORY / 1e6:,.0f} MB to begin; raise that limit (ulimit -v)."
        )


def why(error: BaseException) -> str:
    """Return why the operating system refused, without the path and without any content.

    Example:
        >>> why(OSError(errno.ENOSPC, "No space left on device"))
        'No space left on device'
    """
    if isinstance(error, UserError) or type(error) is ValueError:  # a NUL, a home of nobody
        return "its name is not a path"
    return getattr(error, "strerror", None) or type(error).__name__


def refused(error: BaseException) -> QidguardError | None:
    """Return an error of the system as one of ours that names its cause; None where it is no such error.

    Example:
        >>> str(refused(OSError(errno.EROFS, "Read-only file system", "/x")))
        "The system refuses '/x' (Read-only file system): the disk is read-only; name another place."
    """
    if isinstance(error, MemoryError):
        return MemoryLimitError(
            "The memory that the system gives this process is too small for the work; raise that limit"
            " (ulimit -v), or use a smaller table."
        )
    if not isinstance(error, OSError) or error.errno is None:
        return None
    what = f" {os.fsdecode(error.filename)!r}" if isinstance(error.filename, (str, bytes)) else ""
    remedy = _REMEDIES.get(error.errno, "look after it")
    return UserError(f"The system refuses{what or ' the work'} ({why(error)}): {remedy}.")


def open_plain(path: Path) -> BufferedReader:
    """Open a file to be read; OSError where it cannot be, and for a pipe, on which it would wait for ever.

    Example:
        >>> open_plain(Path(os.devnull))
        Traceback (most recent call last):
        ...
        qidguard.core.system.NoPlainFileError: [Errno 22] it is a pipe or a device, no plain file
    """
    file = open(path, "rb", opener=_without_waiting)  # noqa: SIM115 - the caller closes it
    if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        return file
    file.close()
    raise NoPlainFileError(errno.EINVAL, "it is a pipe or a device, no plain file")


def expanded(path: str | os.PathLike[str]) -> Path:
    """Return a path with its leading ``~`` as a home folder; UserError where none is meant by it.

    Example:
        >>> expanded("tables/ward.csv").as_posix()
        'tables/ward.csv'
    """
    text = os.fspath(path)
    if "\0" in text:
        raise UserError(f"A path has no NUL in it, unlike {text!r}; name another one.")
    try:
        return Path(text).expanduser()
    except RuntimeError:
        raise UserError(
            f"There is no home folder {text.split(os.sep, maxsplit=1)[0]!r}; write the path of {text!r} out."
        ) from None


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
