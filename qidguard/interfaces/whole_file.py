"""Text files that are written for the user."""

from pathlib import Path

from qidguard.core.errors import UserError
from qidguard.core.whole_file import write_whole


def is_there(path: Path) -> bool:
    """Return whether something stands at a path, be it a link that leads nowhere."""
    return path.is_symlink() or path.exists()


def write_text(path: Path, text: str, *, mode: int = 0o644, remedy: str) -> None:
    """Write a file in one step: it takes the place of an earlier one, or that stays as it was.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_text(Path(folder) / "deep" / "a.txt", "a", remedy="name another folder")
        ...     (Path(folder) / "deep" / "a.txt").read_text()
        'a'
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text.encode(), mode=mode)
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise UserError(f"{str(path)!r} cannot be written ({why}); {remedy}") from None
