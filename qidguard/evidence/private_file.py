"""Files that hold secrets: for their owner alone, never overwritten, not read if others can read them."""

import os
import stat
from pathlib import Path

from qidguard.core.errors import UserError
from qidguard.core.system import NoPlainFileError, open_plain, why

LARGEST_BYTES = 65_536
"""A larger file holds no key."""

OWNER_ONLY = 0o600


def make_folder(folder: Path) -> None:
    """Make a folder that only its owner can enter; one that exists stays as it is."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise UserError(
            f"the folder {str(folder)!r} cannot be made ({why(error)}); name another one"
        ) from None


def write_new(path: Path, content: bytes, *, mode: int = OWNER_ONLY) -> None:
    """Write a file that does not exist yet, with its rights from the first byte on.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_new(Path(folder, "x"), b"secret")
        ...     oct(Path(folder, "x").stat().st_mode & 0o777)
        '0o600'
    """
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), OWNER_ONLY)
    try:
        with os.fdopen(handle, "wb") as file:
            if os.name == "posix":
                os.fchmod(file.fileno(), mode)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def read_file(path: Path, what: str, *, is_secret: bool) -> bytes:
    """Return the content of a small file; of a secret one only if nobody but its owner can read it.

    Example:
        >>> read_file(Path("no-such.key"), "key file", is_secret=True)  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        qidguard.core.errors.UserError: the key file 'no-such.key' cannot be read (No such file...
    """
    name = repr(str(path))
    try:
        with open_plain(path) as file:
            # what is asked about is the open file, so nobody can exchange it in between
            mode = os.fstat(file.fileno()).st_mode
            if is_secret and os.name == "posix" and mode & 0o077:
                raise UserError(
                    f"the {what} {name} can be read by others (mode {stat.S_IMODE(mode):04o}); "
                    f"run: chmod 600 {path}"
                )
            content = file.read(LARGEST_BYTES + 1)
    except NoPlainFileError:
        raise UserError(f"the {what} {name} is no plain file; name another one") from None
    except (OSError, ValueError) as error:
        raise UserError(
            f"the {what} {name} cannot be read ({why(error)}); check its name and rights"
        ) from None
    if len(content) > LARGEST_BYTES:
        raise UserError(f"the {what} {name} is larger than a key is; name another one")
    return content
