"""One append, in a transaction that writes: lock the head, look, let the guard look, add, move the head."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from sqlalchemy import insert, select, update

from qidguard.core.errors import InternalError, UserError
from qidguard.ledger.anchors import Seen
from qidguard.ledger.canonical import canonical
from qidguard.ledger.entry import Entry, NewEntry
from qidguard.ledger.error import LedgerError
from qidguard.ledger.reader import Reader
from qidguard.ledger.reading import ConnectionReader, Selection
from qidguard.ledger.row import COLUMNS, NO_HASH, Row, digest_of, entry_of, seal, time_text
from qidguard.ledger.schema import ATTACHMENT, CHAIN_HEAD, ENTRY, HEAD_ID

if TYPE_CHECKING:
    from sqlalchemy import Connection

LARGEST_ATTACHMENT_BYTES: Final = 2**28
"""What both databases store and give back in one piece with room to spare."""

Guard = Callable[[Reader], None]


def append(
    connection: "Connection",
    new: NewEntry,
    *,
    contents: Sequence[bytes],
    guard: Guard | None,
    seen: Seen | None,
    ledger: str,
) -> Entry:
    """Add an entry and return it; one that is there already with the same content is returned as it is.

    Args:
        connection: A connection in a transaction that writes.
        new: What to record.
        contents: Bytes to keep under their SHA-256, each at most ``LARGEST_ATTACHMENT_BYTES``.
        guard: Called with what stands in the ledger, under the lock; what it raises refuses the entry.
        seen: The newest head that this machine has seen.
        ledger: What a message calls the ledger.

    Raises:
        UserError: When the id is taken by other content, or a content is too large.
        LedgerError: When the ledger does not agree with itself or with what this machine has seen.
    """
    digests = [digest_of(_checked(content)) for content in contents]
    attachments = dict(zip(digests, contents, strict=True))
    sequence, newest = _lock_head(connection, ledger)
    reader = ConnectionReader(connection, ledger)
    check_end(reader, sequence, newest, ledger)
    check_seen(connection, seen, sequence, ledger)
    stored = reader.entry(new.id)
    if stored is not None:
        _check_same(stored, new, digests)
        return stored
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
        sequence=sequence + 1,
        id=new.id,
        kind=new.kind,
        data_set=new.data_set,
        at=time_text(new.at),
        payload=canonical(new.payload),
        attachments=canonical(digests),
        previous_hash=newest,
    )
    row = replace(row, hash=seal(row))
    connection.execute(insert(ENTRY).values({name: getattr(row, name) for name in COLUMNS}))
    connection.execute(
        update(CHAIN_HEAD).where(CHAIN_HEAD.c.id == HEAD_ID).values(sequence=row.sequence, hash=row.hash)
    )
    return entry_of(row, ledger)


def check_end(reader: ConnectionReader, sequence: int, newest: str, ledger: str) -> None:
    """Raise LedgerError unless the head is the last entry's."""
    last = reader.page(Selection(newest_first=True, limit=1))
    if (last[0].sequence, last[0].hash) != (sequence, newest) if last else (sequence, newest) != (0, NO_HASH):
        raise LedgerError(
            f"the head of the ledger at {ledger} is not that of its last entry; run"
            " `qidguard history --check`, and restore the ledger from a copy"
        )


def check_seen(connection: "Connection", seen: Seen | None, sequence: int, ledger: str) -> None:
    """Raise LedgerError when the ledger is not a continuation of what this machine has seen."""
    if seen is None:
        return
    found = select(ENTRY.c.hash).where(ENTRY.c.sequence == seen.sequence)
    sentence = contradiction(seen, sequence, connection.execute(found).scalar(), ledger)
    if sentence is not None:
        raise LedgerError(sentence)


def contradiction(seen: Seen, sequence: int, found: str | None, ledger: str) -> str | None:
    """Return what contradicts an anchor; None when the ledger continues what this machine has seen.

    Args:
        seen: The newest head that this machine has seen.
        sequence: That of the ledger's head.
        found: The hash that the ledger has at the seen sequence; None when it has no such entry.
        ledger: What a message calls the ledger.
    """
    if sequence < seen.sequence:
        how = (
            f"older than what this machine saw on {seen.at}: it ends at entry {sequence}, not {seen.sequence}"
        )
    elif found != seen.hash:
        how = f"different from what this machine saw on {seen.at}: its entry {seen.sequence} is another"
    else:
        return None
    return f"the ledger at {ledger} is {how}; restore it from a copy"


def _lock_head(connection: "Connection", ledger: str) -> tuple[int, str]:
    """Return the head, locked until the transaction ends; SQLite has locked everything by then."""
    heads = connection.execute(select(CHAIN_HEAD).with_for_update()).all()
    if len(heads) != 1 or heads[0].id != HEAD_ID:
        raise LedgerError(
            f"the ledger at {ledger} has not one head but {len(heads)}, or it has another number; run"
            " `qidguard history --check`, and restore the ledger from a copy"
        )
    return heads[0].sequence, heads[0].hash


def _check_same(stored: Entry, new: NewEntry, digests: list[str]) -> None:
    wanted = (new.kind, new.data_set, canonical(new.payload), digests)
    if (stored.kind, stored.data_set, canonical(stored.payload), list(stored.attachments)) != wanted:
        raise UserError(
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
