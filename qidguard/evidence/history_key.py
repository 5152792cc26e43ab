"""The secret under which the classes of releases are kept: made once, the same for every process."""

import os
import secrets
from pathlib import Path

from qidguard.core.errors import UserError
from qidguard.evidence.private_file import make_folder, read_file, reason, write_new

KEY_BYTES = 32


def read_or_make(path: Path) -> bytes:
    """Return the secret in a file, which is made if there is none; one that is damaged is never replaced.

    Args:
        path: The file.

    Returns:
        32 random bytes.

    Units:
        Bytes.

    Raises:
        UserError: when the file is damaged, others can read it, or it cannot be made.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     len(read_or_make(Path(folder, "history.key")))
        32
    """
    if not os.path.lexists(path):
        _make(path)
    key = read_file(path, "history key", is_secret=True)
    if len(key) != KEY_BYTES:
        raise UserError(
            f"the history key {str(path)!r} is damaged: it has {len(key):,} bytes, not {KEY_BYTES}; restore "
            "it from a backup, since earlier releases cannot be compared without it"
        )
    return key


def _make(path: Path) -> None:
    """Make the whole file aside and link it in, which fails where another process was first."""
    make_folder(path.parent)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        write_new(draft, secrets.token_bytes(KEY_BYTES))
        try:
            path.hardlink_to(draft)
        except FileExistsError:
            return
        finally:
            draft.unlink(missing_ok=True)
        _make_lasting(path.parent)
    except OSError as error:
        raise UserError(
            f"the history key {str(path)!r} cannot be made ({reason(error)}); "
            "set QIDGUARD_HOME to a folder on a disk of this machine"
        ) from None


def _make_lasting(folder: Path) -> None:
    """Keep the name through a loss of power; a key that is gone afterwards would be made anew."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
