"""A text file that is there whole or not at all."""

import os
import tempfile
from pathlib import Path

from qidguard.core.errors import UserError


def is_there(path: Path) -> bool:
    """Return whether something stands at a path, be it a link that leads nowhere."""
    return path.is_symlink() or path.exists()


def write_whole(path: Path, text: str, *, mode: int = 0o644, remedy: str) -> None:
    """Write a file in one step: it takes the place of an earlier one, or that stays as it was.

    Args:
        path: Where; its folders are made.
        text: What; UTF-8, line feeds as they are.
        mode: Its rights.
        remedy: What an error tells the user to do.

    Units:
        None.

    Raises:
        UserError: When it cannot be written.

    Example:
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_whole(Path(folder) / "deep" / "a.txt", "a", remedy="name another folder")
        ...     (Path(folder) / "deep" / "a.txt").read_text()
        'a'
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(text.encode())
            Path(name).chmod(mode)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise UserError(f"{str(path)!r} cannot be written ({why}); {remedy}") from None
