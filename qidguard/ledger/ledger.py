"""The ledger: append, read, check."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Self

from sqlalchemy import select

from qidguard.ledger.anchors import Anchors, Seen
from qidguard.ledger.appending import append
from qidguard.ledger.checking import Check
from qidguard.ledger.entry import Entry, NewEntry
from qidguard.ledger.error import ConnectionLostError, LedgerError
from qidguard.ledger.reader import Reader
from qidguard.ledger.reading import PagingReader, Selection, VerifiedReader, attachment_of
from qidguard.ledger.schema import CHAIN_HEAD
from qidguard.ledger.store import Store
from qidguard.ledger.verifying import read_head, verify


class Ledger:
    """An open ledger; ``open_ledger`` opens one. It may be used after a fork and by several threads.

    Args:
        store: Where it is, with its tables at the newest revision.
        anchors: What this machine has seen of it; None where that is not kept.
    """

    def __init__(self, store: Store, anchors: Anchors | None = None) -> None:
        self._store = store
        self._anchors = anchors
        self._verified: Seen | None = None

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

        The ledger is verified first, as ``verified`` says, under the lock that keeps others from adding to
        it; one that does not hold is refused, and nothing recorded. Anchors that are missing, damaged or
        cannot be written do not stop an append; ``check`` tells of them.

        Args:
            entry: What to record.
            attachments: Contents to keep under their SHA-256, each at most 268,435,456 bytes; equal ones are
                kept once. Their digests are part of what is hashed.
            guard: Called with a reader of what stands in the ledger while nobody else can add to it. What it
                raises refuses the entry and comes out of here unchanged.

        Returns:
            The entry as it stands in the ledger.

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
            return self._append_once(entry, contents, guard)
        except ConnectionLostError:
            return self._append_once(entry, contents, guard)

    def _append_once(
        self, entry: NewEntry, contents: tuple[bytes, ...], guard: Callable[[Reader], None] | None
    ) -> Entry:
        with self._store.write() as connection:
            record = partial(append, connection, entry, contents=contents, guard=guard, ledger=self.shown)
            begin = None if self._anchors is None else self._anchors.begin
            stored, seen = record(seen=self._seen(), before=begin)
        self._verified = seen
        if self._anchors is not None:
            with suppress(LedgerError):  # it is recorded; check() tells of anchors that cannot be kept
                self._anchors.remember(seen)
        return stored

    def _seen(self) -> tuple[Seen, ...]:
        """Return what was verified before, by this process and as this machine remembers."""
        remembered = None
        if self._anchors is not None:
            with suppress(LedgerError):  # check() tells of it
                remembered = self._anchors.seen()
        return tuple(seen for seen in (self._verified, remembered) if seen is not None)

    def verified(self) -> Reader:
        """Return a reader of the ledger as it is now, every row of it known to be what was written.

        Rows up to the head that this process, or this machine by its anchors, verified before are held
        against the digest that was remembered then; newer ones against the chain. Several questions that
        belong together are asked of one such reader, for each call reads all rows once.

        Raises:
            LedgerError: When a row was changed, relabeled, added or taken away, when the ledger is no
                continuation of what was seen, or when it cannot be read.

        Example:
            >>> import tempfile
            >>> from qidguard.ledger import open_ledger
            >>> with tempfile.TemporaryDirectory() as folder, open_ledger(f"{folder}/ledger.db") as ledger:
            ...     list(ledger.verified().entries(kinds={"released"}))
            []
        """
        seen = self._seen()
        with self._store.read() as connection:
            verified = verify(connection, read_head(connection, self.shown), seen, self.shown)
        if verified.sequence:
            self._verified = now = verified.seen()
            if seen and self._anchors is not None:
                with suppress(LedgerError):  # as above; an anchor is first made by an append or a check
                    self._anchors.remember(now)
        return VerifiedReader(verified.places, self._store.read, self.shown)

    @property
    def unverified(self) -> Reader:
        """A reader that holds each entry against its own hash alone: to show, not to decide."""
        return PagingReader(self._store.read, self.shown)

    def entries(
        self,
        *,
        data_set: str | None = None,
        kinds: Collection[str] | None = None,
        newest_first: bool = False,
        limit: int | None = None,
    ) -> Iterator[Entry]:
        """Yield entries by sequence, of a ledger that is verified first as ``verified`` says.

        Args:
            data_set: Those of one data set; None takes all.
            kinds: Those of some kinds; None takes all.
            newest_first: Whether the highest sequence comes first.
            limit: How many at most, ≥ 0; None takes all.

        Returns:
            The entries, read page by page; none of an empty ledger.

        Raises:
            UserError: When an argument is wrong.
            LedgerError: As ``verified`` raises it.

        Example:
            >>> import tempfile
            >>> from qidguard.ledger import open_ledger
            >>> with tempfile.TemporaryDirectory() as folder, open_ledger(f"{folder}/ledger.db") as ledger:
            ...     list(ledger.entries(kinds={"released"}, newest_first=True, limit=5))
            []
        """
        wanted = Selection(data_set=data_set, kinds=kinds, newest_first=newest_first, limit=limit)
        return self._entries(wanted)

    def _entries(self, wanted: Selection) -> Iterator[Entry]:
        yield from self.verified().entries(
            data_set=wanted.data_set,
            kinds=wanted.kinds,
            newest_first=wanted.newest_first,
            limit=wanted.limit,
        )

    def entry(self, entry_id: str, /) -> Entry | None:
        """Return the entry with an id; None when there is none.

        Args:
            entry_id: As the caller of ``append`` chose it.

        Raises:
            LedgerError: As ``verified`` raises it.

        Example:
            >>> import tempfile
            >>> from qidguard.ledger import open_ledger
            >>> with tempfile.TemporaryDirectory() as folder, open_ledger(f"{folder}/ledger.db") as ledger:
            ...     print(ledger.entry("a-1"))
            None
        """
        return self.verified().entry(entry_id)

    def attachment(self, digest: str, /) -> bytes:
        """Return an attached content, held against its digest.

        Args:
            digest: SHA-256, 64 lower-case hex digits, as an entry lists it.

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
            return attachment_of(connection, digest, self.shown)

    def check_seen(self) -> None:
        """Refuse a ledger that does not hold, or of which nobody can tell what this machine has seen of it.

        Raises:
            LedgerError: As ``verified`` raises it, and when the anchors cannot be read or are damaged.

        Example:
            >>> import tempfile
            >>> from qidguard.ledger import open_ledger
            >>> with tempfile.TemporaryDirectory() as folder, open_ledger(f"{folder}/ledger.db") as ledger:
            ...     ledger.check_seen()
        """
        if self._anchors is not None:
            self._anchors.seen()
        self.verified()

    def head(self) -> tuple[int, str]:
        """Return the sequence and the hash of the newest entry; 0 and 64 zeros of an empty ledger.

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
