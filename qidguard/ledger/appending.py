"""One append, in a transaction that writes: lock the head, verify, let the guard look, add, move the head."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from sqlalchemy import insert, select, update

from qidguard.core.errors import InternalError, UserError
from qidguard.ledger.anchors import Seen
from qidguard.ledger.canonical import canonical
from qidguard.ledger.entry import Entry, NewEntry
from qidguard.ledger.error import IdTakenError
from qidguard.ledger.reader import Reader
from qidguard.ledger.reading import PagingReader
from qidguard.ledger.row import COLUMNS, Row, digest_of, entry_of, seal, time_text
from qidguard.ledger.schema import ATTACHMENT, CHAIN_HEAD, ENTRY, HEAD_ID

if TYPE_CHECKING:
    from sqlalchemy import Connection

LARGEST_ATTACHMENT_BYTES: Final = 2**28
"""What both databases store and give back in one piece with room to spare."""

Guard = Callable[[Reader], None]


def append(
    connection: "Connection",
    new: NewEntry,
    held: Seen,
    *,
    contents: Sequence[bytes],
    guard: Guard | None,
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
    connection.execute(insert(ENTRY).values({name: getattr(row, name) for name in COLUMNS}))
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
