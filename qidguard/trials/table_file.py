"""One file of a table at a path or a URL, apart from what it is made of, and there whole or not at all."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qidguard.core.address import shown_address
from qidguard.core.errors import UserError
from qidguard.core.files import PREFIX, PrivateFolder, sweep
from qidguard.core.system import why
from qidguard.engines.linked import LinkedTables
from qidguard.trials.read_places import is_local, local_path, no_path, read_places, real, spellings

if TYPE_CHECKING:
    from qidguard.engines.base import PublishedFormat


_STAGED = ".table"
"""The name of a file that is being made: hidden, and of no ending that a pattern would look for."""


@dataclass(frozen=True, kw_only=True)
class TableFile:
    """A file that is to be written.

    Args:
        address: A path, or a URL of fsspec.
        format: What it will hold.
        path: Where it is on this machine; None for a store.
    """

    address: str = field(repr=False)
    format: "PublishedFormat"
    path: Path | None

    @property
    def label(self) -> str:
        """The address without secrets."""
        return shown_address(self.address)

    def check_apart(self, source: Any) -> None:
        """Check that this file is no part of a source: the next run would read it as data.

        Args:
            source: What an engine opens; what is no address is always apart.

        Raises:
            UserError: When it is the source, is matched by its pattern, or stands in or below its folder.
        """
        if isinstance(source, LinkedTables):
            raise UserError(
                "The policy names several tables, which are published together or not at all; use qidguard"
                " release."
            )
        over = UserError(f"The table would be written over its source {self.label!r}; name another file.")
        text = os.fsdecode(source) if isinstance(source, (str, os.PathLike)) else ""
        # what is read is the last address of a chain: simplecache::s3://bucket/x.csv
        last = text.rpartition("::")[2] if "://" in text else text
        if self.path is None:
            if last == self.address:
                raise over
            return
        # what a rename replaces is the name itself, be it a link; what stands behind a link counts too
        places = {real(self.path.parent) / self.path.name, real(self.path)}
        for spelling in spellings(last):
            files, folders = read_places(spelling)
            if not places.isdisjoint(files):
                raise over
            if any(folder in place.parents for folder in folders for place in places):
                raise UserError(
                    f"The file {self.label!r} stands in what the source {shown_address(text)!r} reads, so it"
                    " would be read as data; name a file in another folder."
                )

    def sweep(self) -> None:
        """Remove what dead processes left beside the file; a store keeps nothing of a file on its way."""
        if self.path is not None:
            with suppress(OSError):
                sweep(self.path.parent)

    @contextmanager
    def staged(self, scratch: str | None = None) -> Iterator[Path]:
        """Yield a private path to write to; what stands there afterward becomes the file, or nothing does.

        Args:
            scratch: Where a file on its way to a store is made; None takes the system's folder.

        Raises:
            UserError: When it cannot be written.
        """
        try:
            if self.path is not None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            # beside its place, so that a rename is one step
            private = PrivateFolder(scratch if self.path is None else str(self.path.parent))
            try:
                made = private.path / _STAGED
                yield made
                made.chmod(0o600)
                if self.path is None:
                    self._send(made)
                else:
                    made.replace(self.path)
            finally:
                private.remove()
        except OSError as error:
            raise UserError(
                f"{self.label!r} cannot be written ({why(error)}); check its folder and rights"
            ) from None

    def _send(self, made: Path) -> None:
        import fsspec

        try:
            system, place = fsspec.core.url_to_fs(self.address)
            replace_in_store(system, made, place)
        except Exception as error:  # noqa: BLE001 - every protocol has errors of its own, and their text may hold secrets
            kind = type(error).__name__
            raise UserError(
                f"{self.label!r} cannot be written ({kind}); check its protocol and the access to it"
            ) from None


def open_table_file(to: str) -> TableFile:
    """Return the file at an address; nothing is touched yet.

    Args:
        to: A path or a URL of fsspec, ending in ``.parquet`` or ``.csv``; ``file://`` and ``local://`` are
            paths of this machine, percent-decoded.

    Returns:
        The file.

    Raises:
        UserError: When its ending says neither format, it is no path, or it leads through another address.

    Example:
        >>> open_table_file("cleaned.parquet").format
        'parquet'
        >>> open_table_file("file:///tables/of%20today.csv").address
        '/tables/of today.csv'
    """
    address = local_path(to) if is_local(to) else to
    label = shown_address(to)
    kind: PublishedFormat
    if address.lower().endswith(".parquet"):
        kind = "parquet"
    elif address.lower().endswith(".csv"):
        kind = "csv"
    else:
        raise UserError(f"{label!r} must end in .parquet or .csv, which says how it is written")
    if "://" in address:
        if "::" in address:
            raise UserError(f"{label!r} leads through another address; name the file itself")
        return TableFile(address=address, format=kind, path=None)
    if "\0" in address:
        raise no_path(to)
    try:
        return TableFile(address=address, format=kind, path=Path(address).expanduser().absolute())
    except (OSError, RuntimeError):
        raise no_path(to) from None


def replace_in_store(system: Any, made: Path, place: str) -> None:
    """Copy a file into a store, whole before it takes its name; what fails leaves no half of it."""
    if system.isdir(place):
        raise IsADirectoryError
    folder, slash, _ = place.rpartition("/")
    draft = f"{folder}{slash}.{PREFIX}{secrets.token_hex(8)}"
    with suppress(PermissionError):  # a bucket that is there already, and may not be made
        system.makedirs(folder, exist_ok=True)
    try:
        _put(system, made, draft)
        _rename(system, made, draft, place)
    except BaseException:
        _remove(system, draft)
        raise


def _rename(system: Any, made: Path, draft: str, place: str) -> None:
    before, expected = _size(system, place), made.stat().st_size
    try:
        system.mv(draft, place)
        if _size(system, place) not in {None, expected} or system.exists(draft):
            raise OSError  # noqa: TRY301 - a rename that did nothing, or half of it
    except NotImplementedError:  # this store can neither rename nor copy
        _remove(system, draft)
        try:
            _put(system, made, place)
        except BaseException:
            _remove(system, place)
            raise
    except BaseException:
        with suppress(Exception):
            if _size(system, place) not in {before, expected}:
                _remove(system, place)
        raise


def _put(system: Any, made: Path, place: str) -> None:
    system.put_file(str(made), place)
    if _size(system, place) not in {None, made.stat().st_size}:
        raise OSError  # the store kept fewer bytes


def _size(system: Any, place: str) -> int | None:
    """Return the bytes of a file in a store; None where the store does not know, -1 where there is none."""
    system.invalidate_cache()
    try:
        size: int | None = system.size(place)
    except FileNotFoundError:
        return -1
    return size


def _remove(system: Any, place: str) -> None:
    with suppress(Exception):
        system.rm_file(place)
