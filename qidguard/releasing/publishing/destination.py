"""Where releases go: a folder on this machine, or any store that fsspec opens."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import Protocol

from qidguard.core.errors import UserError

LONGEST_WAIT_SECONDS = 300.0
"""How long a run waits until another one has published; that takes a moment, unless the store hangs."""


class OccupiedError(UserError):
    """Another run is publishing at the destination and does not end."""

    is_transient = True

    @classmethod
    def at(cls, place: str) -> "OccupiedError":
        """Return the error for a place."""
        return cls(
            f"Another run has kept the destination {place!r} for more than {LONGEST_WAIT_SECONDS:g} s, so"
            " nothing was published; run it again."
        )


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

    @property
    def path(self) -> Path | None:
        """The folder on this machine; None for a store."""

    def identity(self) -> str:
        """Return what tells this very place from another one that is found at the same address later."""

    def address(self, data_set: str, release_id: str) -> str:
        """Return the address at which a release is, or will be."""

    def release_ids(self, data_set: str) -> tuple[str, ...]:
        """Return the ids of the releases of a data set that are here, however its name is spelled; sorted."""

    def check_unlinked(self, data_set: str, release_id: str) -> None:
        """Raise UserError where a link stands in the place of the data set's folder or of the release's."""

    def locked(self) -> AbstractContextManager[None]:
        """Keep every other run from publishing here, whatever its ledger; OccupiedError where one does so on.

        The lock of a process that died is none.
        """

    def stage(self, data_set: str, release_id: str) -> Staging:
        """Return a place to make a release in; UserError when it cannot be written or is taken."""

    def manifest_digest(self, data_set: str, release_id: str) -> str | None:
        """Return the SHA-256 of the release's manifest, hex; None where there is none, so no release."""

    def is_in_progress(self, data_set: str, token: str, since: datetime, now: datetime) -> bool:
        """Whether the process that staged this, and promised it at ``since``, may still be at work."""

    def clean(self, data_set: str, release_id: str, token: str, names: Sequence[str]) -> None:
        """Remove what a dead process left behind under this token; ``names`` are the files it promised."""

    def sweep(self, data_set: str) -> None:
        """Remove everything that dead processes left behind."""
