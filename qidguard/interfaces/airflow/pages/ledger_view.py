"""The ledger as the pages read it: it is never made by looking at it, and what was read once is kept."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from threading import Lock
from typing import TYPE_CHECKING

from qidguard.core.errors import UserError
from qidguard.releasing.history.overview import KINDS, Overviews

if TYPE_CHECKING:
    from qidguard.ledger import Entry, Reader
    from qidguard.releasing.history.overview import DataSetOverview

_LOCK_SECONDS = 5.0
"""How long a page waits for a ledger that somebody else has locked."""

_NONE_YET = "there is no ledger at"
"""How the sentence begins that says so; a test holds it against the ledger's own words."""


def ledger_address() -> str:
    """Return where the ledger is: as the default connection says, else as the environment does."""
    from qidguard.evidence.home import Home
    from qidguard.interfaces.airflow.hook import QidguardHook

    access = QidguardHook().access()
    return access.ledger or Home.at(access.home).default_ledger()


class LedgerView:
    """What the pages have read of the ledger; several requests may use it at once."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._forget()

    def _forget(self) -> None:
        self._overviews = Overviews()
        self._newest: tuple[int, str] = (0, "")

    @contextmanager
    def opened(self, address: str) -> "Iterator[Reader | None]":
        """Yield a reader of the ledger, or None where none was ever made; pages show, and decide nothing."""
        from qidguard.ledger import open_ledger

        try:
            ledger = open_ledger(address, must_exist=True, lock_seconds=_LOCK_SECONDS)
        except UserError as error:
            if not str(error).startswith(_NONE_YET):
                raise
            yield None
            return
        with ledger:
            yield ledger.unverified

    def overview(self, address: str, today: date) -> "tuple[DataSetOverview, ...]":
        """Return every data set of the ledger; only entries that are new since the last time are read.

        Example:
            >>> import tempfile
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     LedgerView().overview(f"{folder}/ledger.db", date(2026, 11, 21))
            ()
        """
        with self._lock, self.opened(address) as ledger:
            if ledger is None:
                return ()
            new = self._since_newest(ledger)
            if new is None:
                self._forget()
                new = ledger.entries(kinds=KINDS)
            for entry in new:
                self._overviews.add(entry)
                self._newest = (entry.sequence, entry.hash)
            return self._overviews.on(today)

    def _since_newest(self, ledger: "Reader") -> "Iterator[Entry] | None":
        """Return the entries after the newest that was read; None where that is no longer in the ledger."""
        if not self._newest[0]:
            return None
        entries: list[Entry] = []
        for entry in ledger.entries(kinds=KINDS, newest_first=True):
            if entry.sequence <= self._newest[0]:
                return reversed(entries) if (entry.sequence, entry.hash) == self._newest else None
            entries.append(entry)
        return None
