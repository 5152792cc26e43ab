"""Files that are there whole or not at all."""

import os
import tempfile
from pathlib import Path

from qidguard.core.errors import UserError


def save_whole(path: Path, content: bytes) -> None:
    """Write a file in one step: it takes the place of an earlier one, or that stays as it was.

    Args:
        path: Where; its folders are made.
        content: What.

    Units:
        None.

    Raises:
        UserError: When it cannot be written.

    Example:
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     save_whole(Path(folder) / "deep" / "a.svg", b"<svg/>")
        ...     (Path(folder) / "deep" / "a.svg").read_bytes()
        b'<svg/>'
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            Path(draft).chmod(0o644)
            Path(draft).replace(path)
        except BaseException:
            Path(draft).unlink(missing_ok=True)
            raise
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise UserError(f"the plot {str(path)!r} cannot be written ({why}); name another place") from None
