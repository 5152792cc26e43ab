"""One file of a table at a path or a URL, written in one step."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qidguard.core.address import shown_address
from qidguard.core.errors import UserError

if TYPE_CHECKING:
    from qidguard.engines.base import PublishedFormat


@dataclass(frozen=True, kw_only=True)
class TableFile:
    """A file that is to be written.

    Args:
        address: A path, or a URL of fsspec.
        format: What it will hold.
    """

    address: str
    format: "PublishedFormat"

    @property
    def label(self) -> str:
        """The address without secrets."""
        return shown_address(self.address)

    @property
    def _path(self) -> Path | None:
        return None if "://" in self.address else Path(self.address).expanduser().absolute()

    def is_same_as(self, source: Any) -> bool:
        """Whether a source is this very file."""
        text = str(source) if hasattr(source, "__fspath__") else source
        if not isinstance(text, str):
            return False
        if self._path is None or "://" in text:
            return text == self.address
        return Path(text).expanduser().absolute().resolve() == self._path.resolve()

    @contextmanager
    def staged(self, token: str) -> Iterator[str]:
        """Yield a path to write to; what stands there afterwards becomes the file, or nothing does.

        Raises:
            UserError: When it cannot be written.
        """
        path = self._path
        try:
            if path is None:
                with tempfile.TemporaryDirectory() as folder:
                    made = Path(folder) / Path(self.address).name
                    yield str(made)
                    self._send(made)
                return
            path.parent.mkdir(parents=True, exist_ok=True)
            made = path.with_name(f"{token}-{path.name}")
            try:
                yield str(made)
                made.replace(path)
            finally:
                with suppress(FileNotFoundError):
                    made.unlink()
        except OSError as error:
            why = error.strerror or type(error).__name__
            raise UserError(
                f"{self.label!r} cannot be written ({why}); check its folder and rights"
            ) from None

    def _send(self, made: Path) -> None:
        import fsspec

        try:
            with made.open("rb") as read, fsspec.open(self.address, "wb") as write:
                shutil.copyfileobj(read, write)
        except (ImportError, ValueError) as error:
            kind = type(error).__name__
            raise UserError(f"{self.label!r} cannot be written ({kind}); check its protocol") from None


def open_table_file(to: str) -> TableFile:
    """Return the file at an address; nothing is touched yet.

    Args:
        to: A path or a URL of fsspec, ending in ``.parquet`` or ``.csv``.

    Returns:
        The file.

    Units:
        None.

    Raises:
        UserError: When its ending says neither format.

    Example:
        >>> open_table_file("cleaned.parquet").format
        'parquet'
    """
    if to.lower().endswith(".parquet"):
        return TableFile(address=to, format="parquet")
    if to.lower().endswith(".csv"):
        return TableFile(address=to, format="csv")
    raise UserError(f"{shown_address(to)!r} must end in .parquet or .csv, which says how it is written")
