"""The ledger: append, read, check."""

import secrets
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, Self

from sqlalchemy import insert, select, update

from qidguard.core.errors import InternalError, UserError
from qidguard.ledger.anchors import Anchors, Seen, contradiction
from qidguard.ledger.checking import Check, does_not_hold, hash_at, read_head, told, unanchored, verify
from qidguard.ledger.entry import Entry, NewEntry, Reader, canonical
from qidguard.ledger.error import ConnectionLostError, IdTakenError, LedgerError, UnanchoredError
from qidguard.ledger.payload_json import new_entry
from qidguard.ledger.payloads import Accepted
from qidguard.ledger.reading import PagingReader
from qidguard.ledger.row import Row, digest_of, entry_of, seal, time_text
from qidguard.ledger.schema import ATTACHMENT, CHAIN_HEAD, ENTRY, HEAD_ID
from qidguard.ledger.store import LedgerStore

if TYPE_CHECKING:
    from sqlalchemy import Connection


_TURNS: Final = (False, False, False, True)
"""How often a transaction is tried, since others may write between the walk and it; the last one walks."""


class Ledger:
    """An open ledger; ``open_ledger`` opens one. It may be used after a fork and by several threads.

    Args:
        store: Where it is, with its tables at the newest revision.
        anchors: What this machine has seen of it; None where that is not kept.
        is_to_look: Whether nothing is decided by it, so that it is read without a sound anchor, too.
    """

    def __init__(
        self, store: LedgerStore, anchors: Anchors | None = None, *, is_to_look: bool = False
    ) -> None:
        self._store = store
        self._anchors = anchors
        self._is_to_look = is_to_look
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
        it; one that does not hold is refused, and nothing recorded.

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
            LedgerError: When the ledger or the first anchor cannot be written, or as ``verified`` raises it.

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
        for is_last in _TURNS:
            with self._store.database.alone():
                with self._store.write() as connection:
                    held = self._held(connection, is_writing=True, is_walked_here=is_last)
                    if held is not None:
                        if self._anchors is not None:
                            self._anchors.begin(held)
                        stored, head = append(
                            connection, entry, held, contents=contents, guard=guard, ledger=self.shown
                        )
                if held is not None:
                    state = self._store.database.state_after(held.state)
                    self._remember(replace(head, state=state))
                    return stored
            self._walk()
        raise AssertionError("the last turn returns or raises")  # pragma: no cover - said by the loop

    @contextmanager
    def _reading(self) -> "Iterator[tuple[Connection, Seen]]":
        """Give a connection to a ledger that holds, with its head."""
        for is_last in _TURNS:
            with self._store.read() as connection:
                held = self._held(connection, is_writing=False, is_walked_here=is_last)
                if held is not None:
                    yield connection, held
                    return
            self._walk()

    def _held(self, connection: "Connection", *, is_writing: bool, is_walked_here: bool) -> Seen | None:
        """Return the head of a ledger that holds, remembered; None where all of it must be walked before."""
        database = self._store.database
        known = self._known()  # before the head: in a transaction that reads, none can be newer than that
        head = read_head(connection, self.shown, is_locked=is_writing)
        # whoever added a first entry in between kept an anchor before it
        is_anchored = self._is_anchored(known) or self._is_anchored(self._known())
        if head[0] and not is_anchored and not self._is_to_look:
            raise unanchored(self.shown, head[0])
        held = verify(connection, database, head, known)
        if held is None and is_walked_here:
            held = self._walked(connection, self._known())
        if held is not None and all((held.sequence, held.walked) != (o.sequence, o.walked) for o in known):
            self._remember(held)
        return held

    def _is_anchored(self, known: tuple[Seen, ...]) -> bool:
        return self._anchors is None or len(known) > len(self._own())

    def _own(self) -> tuple[Seen, ...]:
        return () if self._verified is None else (self._verified,)

    def _known(self) -> tuple[Seen, ...]:
        """Return what was seen before, by this process and as this machine remembers."""
        remembered = None
        try:
            remembered = None if self._anchors is None else self._anchors.seen()
        except UnanchoredError:
            if not self._is_to_look:
                raise
        return self._own() if remembered is None else (*self._own(), remembered)

    def _walk(self) -> None:
        """Walk the whole ledger beside those who write; raise LedgerError where it does not hold."""
        self._store.database.state_after(None)  # it is waited for
        with self._store.read_long() as connection:
            held = self._walked(connection, self._known())
        self._remember(held)

    def _walked(self, connection: "Connection", known: tuple[Seen, ...]) -> Seen:
        check = Check(self._store.database, known[-1] if known else None)
        with closing(check.faults(connection)) as faults:
            fault = next(faults, None)
        if fault is not None:
            raise does_not_hold(fault, self.shown)
        return check.head()

    def _remember(self, held: Seen) -> None:
        """Remember a head; anchors that cannot be written leave the next one more to walk."""
        self._verified = held
        if self._anchors is not None and held.sequence and not self._is_to_look:
            with suppress(LedgerError):  # check() tells of it
                self._anchors.remember(held)

    def verified(self) -> Reader:
        """Return a reader of the ledger as it is now, every row of it known to be what was written.

        Where nothing but appends changed the database since this process, or this machine by its anchors, saw
        it last, only newer rows are walked; else, and every seven days, all that ``check`` looks at. Several
        questions that belong together are asked of one such reader: it reads nothing that came later.

        Raises:
            LedgerError: When a row, an attachment or a trigger was changed, added or taken away, when the
                ledger is no continuation of what was seen, when this machine keeps anchors and has no sound
                one of it, or when it cannot be read.

        Example:
            >>> import tempfile
            >>> from qidguard.ledger import open_ledger
            >>> with tempfile.TemporaryDirectory() as folder, open_ledger(f"{folder}/ledger.db") as ledger:
            ...     list(ledger.verified().entries(kinds={"released"}))
            []
        """
        with self._reading() as (_, held):
            until = held.sequence
        return PagingReader(self._connection, self.shown, until)

    @contextmanager
    def _connection(self) -> "Iterator[Connection]":
        with self._reading() as (connection, _):
            yield connection

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
        return self.verified().entries(data_set=data_set, kinds=kinds, newest_first=newest_first, limit=limit)

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
        return self.verified().attachment(digest)

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
            return read_head(connection, self.shown)

    def check(self) -> tuple[str, ...]:
        """Check the whole ledger: each row's hash, the chain, the head, attachments, triggers and anchors.

        It reads one state of the ledger and holds no more of it in memory than some rows, one attachment and
        the digests of attachments. Whatever the chain cannot tell (entries cut from its end together with a
        mended head, a chain that was computed anew) is found by the anchors of this machine. A ledger that
        has no fault is remembered there; that this machine has no sound anchor is a fault until somebody
        accepts the ledger.

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
        seen, of_anchors = self._read_anchor()  # before the transaction, so that it is no newer than that
        self._store.database.state_after(None)  # it is waited for
        with self._store.read_long() as connection:
            check = Check(self._store.database, seen)
            faults = told(check.faults(connection))
        held = check.head()
        if self._anchors is not None and held.sequence and not (seen or of_anchors):
            of_anchors = (str(unanchored(self.shown, held.sequence)),)
        if not faults and not of_anchors and self._anchors is not None and held.sequence:
            try:
                self._anchors.remember(held)
            except LedgerError as error:
                of_anchors = (str(error),)
        return (*faults, *of_anchors)

    def _read_anchor(self) -> tuple[Seen | None, tuple[str, ...]]:
        try:
            return (None if self._anchors is None else self._anchors.seen()), ()
        except LedgerError as error:
            return None, (str(error),)

    def accept(self, reason: str, *, by: Mapping[str, str], at: datetime) -> Entry:
        """Take the ledger for sound as it is, although this machine cannot tell; the ledger records why.

        Args:
            reason: Why, in words.
            by: Who says so.
            at: When.

        Returns:
            The entry that says so, with what this machine had seen before.

        Raises:
            UserError: When there is no reason, or nothing to accept.
            LedgerError: When the ledger does not hold by itself, or cannot be written.

        Example:
            >>> import tempfile
            >>> from datetime import UTC, datetime
            >>> from qidguard.ledger import NewEntry, open_ledger
            >>> now = datetime.now(UTC)
            >>> new = NewEntry(id="a-1", kind="audited", data_set="visits", at=now, payload={})
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     with open_ledger(f"{folder}/ledger.db") as ledger:
            ...         _ = ledger.append(new)
            ...     with open_ledger(f"{folder}/ledger.db", anchors=f"{folder}/anchors") as ledger:
            ...         said = ledger.accept("the disk was replaced", by={"user": "eve"}, at=now)
            ...         said.payload["sequence"], ledger.check()
            (1, ())
        """
        seen, damage = self._read_anchor()
        if self._anchors is None:
            raise UserError(
                f"no anchors are kept of the ledger at {self.shown}, so there is nothing to accept"
            )
        database, words = self._store.database, " ".join(reason.split())
        with database.alone():
            with self._store.write() as connection:
                if not 0 < len(words) <= LONGEST_REASON:
                    raise UserError(
                        f"whoever accepts a ledger says why, in 1 to {LONGEST_REASON:,} characters; write"
                        " what happened"
                    )
                sequence, digest = read_head(connection, self.shown, is_locked=True)
                held = self._walked(connection, ())
                found = None if seen is None else hash_at(connection, seen.sequence)
                is_continued = seen is not None and contradiction(seen, sequence, found, self.shown) is None
                if not damage and (is_continued or (seen is None and not sequence)):
                    raise UserError(
                        f"there is nothing to accept: the ledger at {self.shown} is known to this machine"
                    )
                accepted = Accepted(
                    reason=words,
                    sequence=sequence,
                    hash=digest,
                    seen_sequence=None if seen is None else seen.sequence,
                    seen_hash=None if seen is None else seen.hash,
                    by=by,
                )
                entry_id = f"accepted-{secrets.token_hex(8)}"
                new = new_entry(accepted, entry_id=entry_id, data_set=OF_LEDGER, at=at)
                stored, head = append(connection, new, held, contents=(), guard=None, ledger=self.shown)
            self._verified = replace(head, state=database.state_after(head.state))
            self._anchors.accept(self._verified)
        return stored

    def close(self) -> None:
        """Close the ledger; a second call does nothing."""
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


OF_LEDGER: Final = "(ledger)"
"""In the place of a data set, for what is said of the ledger itself; no data set can be called so."""

LONGEST_REASON: Final = 1_000
"""Characters of the words that accept a ledger."""


LARGEST_ATTACHMENT_BYTES: Final = 2**28
"""What both databases store and give back in one piece with room to spare."""


def append(
    connection: "Connection",
    new: NewEntry,
    held: Seen,
    *,
    contents: Sequence[bytes],
    guard: Callable[[Reader], None] | None,
    ledger: str,
) -> tuple[Entry, Seen]:
    """Add an entry and return it; one that is there already with the same content is returned as it is.

    The head as it is then is returned too.

    Args:
        connection: A connection in a transaction that writes, in which the ledger was verified.
        new: What to record.
        held: The verified head.
        contents: Bytes to keep under their SHA-256, each at most ``LARGEST_ATTACHMENT_BYTES``.
        guard: Called with what stands in the ledger, under the lock; what it raises refuses the entry.
        ledger: What a message calls the ledger.

    Raises:
        UserError: When the id is taken by other content, or a content is too large.
        LedgerError: When what is read of the ledger is not what was written.
    """
    digests = [digest_of(_checked(content)) for content in contents]
    attachments = dict(zip(digests, contents, strict=True))
    reader = PagingReader(lambda: nullcontext(connection), ledger)
    stored = reader.entry(new.id)
    if stored is not None:
        _check_same(stored, new, digests)
        return stored, held
    if guard is not None:
        guard(reader)
    for digest, content in attachments.items():
        if (
            connection.execute(select(ATTACHMENT.c.digest).where(ATTACHMENT.c.digest == digest)).first()
            is None
        ):
            connection.execute(insert(ATTACHMENT).values(digest=digest, content=content))
        else:
            reader.attachment(digest)  # stored once; it must still be what it was
    row = Row(
        sequence=held.sequence + 1,
        id=new.id,
        kind=new.kind,
        data_set=new.data_set,
        at=time_text(new.at),
        payload=canonical(new.payload),
        attachments=canonical(digests),
        previous_hash=held.hash,
    )
    row = replace(row, hash=seal(row))
    connection.execute(insert(ENTRY).values(vars(row)))
    connection.execute(
        update(CHAIN_HEAD).where(CHAIN_HEAD.c.id == HEAD_ID).values(sequence=row.sequence, hash=row.hash)
    )
    at = time_text(datetime.now(UTC))
    return entry_of(row, ledger), replace(held, sequence=row.sequence, hash=row.hash, at=at)


def _check_same(stored: Entry, new: NewEntry, digests: list[str]) -> None:
    wanted = (new.kind, new.data_set, canonical(new.payload), digests)
    if (stored.kind, stored.data_set, canonical(stored.payload), list(stored.attachments)) != wanted:
        raise IdTakenError(
            f"an id stands for one entry, and {new.id!r} stands in the ledger with other content (entry"
            f" {stored.sequence}); choose another id"
        )


def _checked(content: object) -> bytes:
    if not isinstance(content, bytes):
        raise InternalError(f"an attachment of the ledger is bytes, not {type(content).__name__}")
    if len(content) > LARGEST_ATTACHMENT_BYTES:
        raise UserError(
            f"an attachment has at most {LARGEST_ATTACHMENT_BYTES:,} bytes, not {len(content):,}; make it"
            " smaller"
        )
    return content
