"""Texts written into a folder of the user's, and never over what differs."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from qidguard.core.errors import UserError
from qidguard.core.files import write_whole
from qidguard.core.system import why

PUBLIC = 0o644
"""The permissions of what everybody may read."""

_AS_EVERYBODY: Mapping[str, int] = {}


def write_texts(
    folder: Path,
    texts: Mapping[str, str],
    *,
    is_forced: bool = False,
    modes: Mapping[str, int] = _AS_EVERYBODY,
) -> dict[str, bool]:
    """Write texts as files; everything is looked at before the first is written.

    Args:
        folder: Where they go; it is made where there is none.
        texts: Path below the folder → text.
        is_forced: Whether files that differ are replaced.
        modes: Path → who may read and write the file; others are for everybody to read.

    Returns:
        Path → whether it was written; False for a file that holds the same already.

    Raises:
        UserError: When a file is there that differs and ``is_forced`` is False, or one cannot be written.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_texts(Path(folder), {"a.txt": "a"}), write_texts(Path(folder), {"a.txt": "a"})
        ({'a.txt': True}, {'a.txt': False})
    """
    changed = {path: not _is_same(folder / path, text) for path, text in texts.items()}
    standing = [path for path, is_new in changed.items() if is_new and _is_there(folder / path)]
    if standing and not is_forced:
        raise UserError(
            f"In {str(folder)!r} these files differ from what would be written: {', '.join(standing)};"
            " nothing was written. Compare them, and name another folder, or replace them with --force"
        )
    for path, is_new in changed.items():
        if is_new and (folder / path).is_dir():
            raise UserError(f"{str(folder / path)!r} is a folder, and a file must stand there; move it")
    for path, text in texts.items():
        if changed[path]:
            _write(folder / path, text, modes.get(path, PUBLIC))
    return changed


def _is_same(path: Path, text: str) -> bool:
    try:
        return path.read_bytes() == text.encode()
    except OSError:
        return False


def _is_there(path: Path) -> bool:
    """Return whether something stands at a path, be it a link that leads nowhere."""
    return path.is_symlink() or path.exists()


def _write(path: Path, text: str, mode: int) -> None:
    with suppress(OSError):
        mode &= path.stat().st_mode  # what was narrowed by hand stays so
    write_text(path, text, mode=mode, remedy="name another folder")


def write_text(path: Path, text: str, *, mode: int = PUBLIC, remedy: str) -> None:
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
        raise UserError(f"{str(path)!r} cannot be written ({why(error)}); {remedy}") from None
