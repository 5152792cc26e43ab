"""What can be asked of the ledger while it is open, and inside the transaction of an append."""

from collections.abc import Collection, Iterator
from typing import Protocol

from qidguard.ledger.entry import Entry


class Reader(Protocol):
    """Reads entries one page at a time; each is held against its own hash as it is read.

    A ``Ledger`` is one. The guard of an append gets one too, which sees exactly what stands in the ledger
    while no other writer can add to it.
    """

    def entries(
        self,
        *,
        data_set: str | None = None,
        kinds: Collection[str] | None = None,
        newest_first: bool = False,
        limit: int | None = None,
    ) -> Iterator[Entry]:
        """Yield entries by sequence: those of a data set and of some kinds, or all; at most ``limit``."""

    def entry(self, entry_id: str, /) -> Entry | None:
        """Return the entry with an id; None when there is none."""

    def attachment(self, digest: str, /) -> bytes:
        """Return the content with a SHA-256; LedgerError when what is stored does not have it."""
