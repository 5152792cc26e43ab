"""The ledger: append, read, check."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from typing import Self

from sqlalchemy import select

from qidguard.ledger.anchors import Anchors, Seen
from qidguard.ledger.appending import append, check_seen
from qidguard.ledger.checking import Check
from qidguard.ledger.entry import Entry, NewEntry
from qidguard.ledger.error import ConnectionLostError, LedgerError
from qidguard.ledger.reader import Reader
from qidguard.ledger.reading import ConnectionReader, Selection
from qidguard.ledger.schema import CHAIN_HEAD
from qidguard.ledger.store import Store


class Ledger:
    """An open ledger; ``open_ledger`` opens one. It may be used after a fork and by several threads.

    Args:
        store: Where it is, with its tables at the newest revision.
        anchors: What this machine has seen of it; None where that is not kept.
    """

    def __init__(self, store: Store, anchors: Anchors | None = None) -> None:
        self._store = store
        self._anchors = anchors

    @property
    def shown(self) -> str:
        """What messages call the ledger: its path, or its address without user and password."""
        return self._store.database.shown

    def append(
        self,
        entry: NewEntry,
        *,
        attachments: Sequence[bytes] = (),
        guard: Callable[[Reader], None] | None = None,
    ) -> Entry:
        """Record an entry: all of it, chained to the one before, or nothing.

        Asking again with the same id, kind, data set, payload and attachments returns what stands there,
        without asking the guard; so whoever does not know whether an append was kept asks again. A connection
        that is lost in the middle is tried once more here; the guard may then be called a second time.

        The ledger is refused, and nothing recorded, when its head is not its last entry's, or when it is no
        continuation of what ``anchors`` remember. Anchors that are missing, damaged or cannot be written do
        not stop an append; ``check`` tells of them.

        Args:
            entry: What to record.
            attachments: Contents to keep under their SHA-256, each at most 268,435,456 bytes; equal ones are
                kept once. Their digests are part of what is hashed.
            guard: Called with a reader of what stands in the ledger while nobody else can add to it. What it
                raises refuses the entry and comes out of here unchanged.

        Returns:
            The entry as it stands in the ledger.

        Units:
            None.

        Raises:
            UserError: When the id is taken by other content, or an attachment is too large.
            LedgerError: When the ledger cannot be written, or contradicts itself or the anchors.

        Example:
            >>> import tempfile
            >>> from datetime import UTC, datetime
            >>> from qidguard.ledger import NewEntry, open_ledger
            >>> new = NewEntry(
            ...     id="a-1",
            ...     kind="spent",
            ...     data_set="visits",
            ...     at=datetime.now(UTC),
            ...     payload={"epsilon": "1/10"},
            ... )
            >>> with tempfile.TemporaryDirectory() as folder, open_ledger(f"{folder}/ledger.db") as ledger:
            ...     first, again = ledger.append(new), ledger.append(new)
            ...     first.sequence, first == again, first.payload
            (1, True, {'epsilon': '1/10'})
        """
        contents = tuple(attachments)
        try:
            stored = self._append_once(entry, contents, guard)
        except ConnectionLostError:
            stored = self._append_once(entry, contents, guard)
        if self._anchors is not None:
            with suppress(LedgerError):  # it is recorded; check() tells of anchors that cannot be kept
                self._anchors.remember(stored.sequence, stored.hash)
        return stored

    def _append_once(
        self, entry: NewEntry, contents: tuple[bytes, ...], guard: Callable[[Reader], None] | None
    ) -> Entry:
        with self._store.write() as connection:
            seen = self._seen()
            return append(connection, entry, contents=contents, guard=guard, seen=seen, ledger=self.shown)

    def _seen(self) -> Seen | None:
        if self._anchors is None:
            return None
        try:
            return self._anchors.seen()
        except LedgerError:
            return None  # check() tells of it

    def entries(
        self,
        *,
        data_set: str | None = None,
        kinds: Collection[str] | None = None,
        newest_first: bool = False,
        limit: int | None = None,
    ) -> Iterator[Entry]:
        """Yield entries by sequence, each held against its own hash as it is read.

        Args:
            data_set: Those of one data set; None takes all.
            kinds: Those of some kinds; None takes all.
            newest_first: Whether the highest sequence comes first.
            limit: How many at most, ≥ 0; None takes all.

        Returns:
            The entries, read page by page; none of an empty ledger.

        Units:
            None.

        Raises:
            UserError: When an argument is wrong.
            LedgerError: When the ledger cannot be read, or an entry is not what was written.

        Example:
            >>> import tempfile
            >>> from qidguard.ledger import open_ledger
            >>> with tempfile.TemporaryDirectory() as folder, open_ledger(f"{folder}/ledger.db") as ledger:
            ...     list(ledger.entries(kinds={"released"}, newest_first=True, limit=5))
            []
        """
        wanted = Selection(data_set=data_set, kinds=kinds, newest_first=newest_first, limit=limit)
        return self._pages(wanted)

    def _pages(self, wanted: Selection) -> Iterator[Entry]:
        left: Selection | None = wanted
        while left is not None:
            with self._store.read() as connection:
                page = ConnectionReader(connection, self.shown).page(left)
            yield from page
            left = left.next(page)

    def entry(self, entry_id: str, /) -> Entry | None:
        """Return the entry with an id; None when there is none.

        Args:
            entry_id: As the caller of ``append`` chose it.

        Units:
            None.

        Raises:
            LedgerError: When the ledger cannot be read, or the entry is not what was written.

        Example:
            >>> import tempfile
            >>> from qidguard.ledger import open_ledger
            >>> with tempfile.TemporaryDirectory() as folder, open_ledger(f"{folder}/ledger.db") as ledger:
            ...     print(ledger.entry("a-1"))
            None
        """
        with self._store.read() as connection:
            return ConnectionReader(connection, self.shown).entry(entry_id)

    def attachment(self, digest: str, /) -> bytes:
        """Return an attached content, held against its digest.

        Args:
            digest: SHA-256, 64 lower-case hex digits, as an entry lists it.

        Units:
            None.

        Raises:
            UserError: When there is none with this digest.
            LedgerError: When the ledger cannot be read, or the content is not what was written.

        Example:
            >>> import tempfile
            >>> from datetime import UTC, datetime
            >>> from qidguard.ledger import NewEntry, open_ledger
            >>> new = NewEntry(id="a-1", kind="audited", data_set="visits", at=datetime.now(UTC), payload={})
            >>> with tempfile.TemporaryDirectory() as folder, open_ledger(f"{folder}/ledger.db") as ledger:
            ...     ledger.attachment(ledger.append(new, attachments=[b"report"]).attachments[0])
            b'report'
        """
        with self._store.read() as connection:
            return ConnectionReader(connection, self.shown).attachment(digest)

    def check_seen(self) -> None:
        """Refuse a ledger that is no continuation of what this machine has seen of it.

        A reader whose list must be whole asks first: entries that were cut from the end are missing from
        every listing. Where this machine keeps no anchor of the ledger, nothing is known or refused.

        Units:
            None.

        Raises:
            LedgerError: When it ends earlier, or has another entry where one was seen; when it cannot be
                read, or the anchors are damaged.

        Example:
            >>> import tempfile
            >>> from qidguard.ledger import open_ledger
            >>> with tempfile.TemporaryDirectory() as folder, open_ledger(f"{folder}/ledger.db") as ledger:
            ...     ledger.check_seen()
        """
        seen = None if self._anchors is None else self._anchors.seen()
        with self._store.read() as connection:
            heads = connection.execute(select(CHAIN_HEAD)).all()
            sequence = heads[0].sequence if len(heads) == 1 else 0
            check_seen(connection, seen, sequence, self.shown)

    def head(self) -> tuple[int, str]:
        """Return the sequence and the hash of the newest entry; 0 and 64 zeros of an empty ledger.

        Units:
            None.

        Raises:
            LedgerError: When the ledger cannot be read, or has no head.

        Example:
            >>> import tempfile
            >>> from qidguard.ledger import open_ledger
            >>> with tempfile.TemporaryDirectory() as folder, open_ledger(f"{folder}/ledger.db") as ledger:
            ...     ledger.head() == (0, "0" * 64)
            True
        """
        with self._store.read() as connection:
            heads = connection.execute(select(CHAIN_HEAD)).all()
        if len(heads) != 1:
            raise LedgerError(
                f"the ledger at {self.shown} has {len(heads)} heads, not one; restore it from a copy"
            )
        return heads[0].sequence, heads[0].hash

    def check(self) -> tuple[str, ...]:
        """Check the whole ledger: each row's hash, the chain, the head, attachments, triggers and anchors.

        It reads one state of the ledger and holds no more of it in memory than some rows, one attachment and
        the digests of attachments. Whatever the chain cannot tell (entries cut from its end together with a
        mended head, a chain that was computed anew) is found by the anchors of this machine. A ledger that
        has no fault is remembered there; where this machine had no anchor for a ledger with entries, that is
        a sentence too, once.

        Returns:
            A sentence for each fault, at most 100 and the number of the others; empty when all is well.

        Units:
            None.

        Raises:
            LedgerError: When the ledger cannot be read.

        Example:
            >>> import tempfile
            >>> from qidguard.ledger import open_ledger
            >>> with tempfile.TemporaryDirectory() as folder, open_ledger(f"{folder}/ledger.db") as ledger:
            ...     ledger.check()
            ()
        """
        return Check(self._store, self._anchors).run()

    def close(self) -> None:
        """Close the ledger; a second call does nothing."""
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
