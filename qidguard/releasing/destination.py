"""Where releases go: a folder on this machine, or any store that fsspec opens."""

from pathlib import Path
from typing import Protocol

from qidguard.core.errors import UserError

MANIFEST = "manifest.json"
ATTESTATION = "attestation.json"


class Staging(Protocol):
    """A release on its way: nobody takes it for one before ``publish`` has returned."""

    @property
    def folder(self) -> Path:
        """The private folder in which the files are made, on this machine."""

    @property
    def token(self) -> str:
        """What is written into the ledger, so that a later run can find what was left behind."""

    def settle(self) -> None:
        """Make the files lasting; to a store without a rename all of them go but the manifest."""

    def publish(self) -> str:
        """Publish in one step and return the address of the release."""

    def discard(self) -> None:
        """Remove whatever was made; a second call does nothing, and after ``publish`` nothing is removed."""


class Destination(Protocol):
    """A place that holds releases as ``<data set>/<release id>/``."""

    @property
    def label(self) -> str:
        """The address as it may be shown and kept: no user, no password."""

    def address(self, data_set: str, release_id: str) -> str:
        """Return the address at which a release is, or will be."""

    def stage(self, data_set: str, release_id: str) -> Staging:
        """Return a place to make a release in; UserError when it cannot be written."""

    def manifest_digest(self, data_set: str, release_id: str) -> str | None:
        """Return the SHA-256 of the release's manifest, hex; None where there is none, so no release."""

    def is_in_progress(self, data_set: str, token: str) -> bool:
        """Whether the process that staged this may still be at work."""

    def clean(self, data_set: str, release_id: str, token: str) -> None:
        """Remove what a dead process left behind under this token."""

    def sweep(self, data_set: str) -> None:
        """Remove everything that dead processes left behind."""


def open_destination(to: str) -> Destination:
    """Return the destination at an address.

    Args:
        to: A folder, which is made when it is missing, or a URL of fsspec such as ``memory://published``.

    Returns:
        The destination.

    Units:
        None.

    Raises:
        UserError: When there is no such protocol, its library is missing, or the folder cannot be written.

    Example:
        >>> open_destination("memory://published").label
        'memory://published'
    """
    if not to.strip():
        raise UserError("The destination is empty; name a folder or a URL.")
    scheme, separator, rest = to.partition("://")
    if separator and scheme not in {"file", "local"}:
        from qidguard.releasing.store import open_store

        return open_store(to)
    from qidguard.releasing.folder import LocalFolder

    return LocalFolder(Path(rest if separator else to).absolute())
