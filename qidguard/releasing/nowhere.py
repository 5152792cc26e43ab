"""The destination of a table that is only judged."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import NoReturn

from qidguard.core.errors import InternalError


class Nowhere:
    """A destination at which no release is, and none can be made: a ``Destination`` in name only."""

    label = "nowhere"
    path: Path | None = None

    def identity(self) -> str:
        """Return what no other destination is called."""
        return "nowhere"

    def address(self, data_set: str, release_id: str) -> str:
        """Refuse: nothing is published here."""
        self._refuse(data_set, release_id)

    def release_ids(self, data_set: str) -> tuple[str, ...]:  # noqa: ARG002 - there is none of any name
        """Return that there is no release."""
        return ()

    def stage(self, data_set: str, release_id: str) -> NoReturn:
        """Refuse: nothing is published here."""
        self._refuse(data_set, release_id)

    def manifest_digest(self, data_set: str, release_id: str) -> str | None:  # noqa: ARG002 - as above
        """Return that there is no release."""
        return None

    def is_in_progress(self, data_set: str, token: str, since: datetime, now: datetime) -> bool:
        """Refuse: nothing can be on its way to here."""
        self._refuse(data_set, token, since, now)

    def clean(self, data_set: str, release_id: str, token: str, names: Sequence[str]) -> None:
        """Refuse: nothing can have been left behind here."""
        self._refuse(data_set, release_id, token, names)

    def sweep(self, data_set: str) -> None:
        """Do nothing: nothing is here."""

    @staticmethod
    def _refuse(*asked: object) -> NoReturn:
        raise InternalError(f"a table that is only judged was to be published: {asked[0]!a}")
