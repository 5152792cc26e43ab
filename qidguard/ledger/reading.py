"""Reading entries and attachments page by page; who gives the connection decides what is known of them."""

from collections.abc import Callable, Collection, Iterator
from operator import gt, lt
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import select, type_coerce
from sqlalchemy.types import NullType

from qidguard.core.errors import UserError
from qidguard.core.naming import folded
from qidguard.ledger.entry import Entry, check_data_set, check_kinds, is_id
from qidguard.ledger.error import LedgerError
from qidguard.ledger.row import digest_of, entry_of, is_digest, row_of
from qidguard.ledger.schema import ATTACHMENT, ENTRY

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from sqlalchemy import Connection, Select

    Connect = Callable[[], AbstractContextManager[Connection]]

PAGE: Final = 200
"""Entries that are read and held at once."""

RAW_CONTENT: Final = type_coerce(ATTACHMENT.c.content, NullType())
"""The content as the driver gives it, whatever somebody may have written there."""


class PagingReader:
    """A Reader that holds each entry against its own hash, and reads each page in a transaction of its own.

    Args:
        connect: Gives a connection in a transaction; it decides what is known of the ledger there.
        ledger: What a message calls the ledger.
        until: The newest entry that is read; None reads what there is.
    """

    def __init__(self, connect: "Connect", ledger: str, until: int | None = None) -> None:
        self._connect = connect
        self._ledger = ledger
        self._until = until

    def entries(
        self,
        *,
        data_set: str | None = None,
        kinds: Collection[str] | None = None,
        newest_first: bool = False,
        limit: int | None = None,
    ) -> Iterator[Entry]:
        """Yield entries as ``Reader.entries`` says; a data set is found however its name is spelled."""
        if data_set is not None:
            check_data_set(data_set)
        if kinds is not None:
            check_kinds(kinds)
        if limit is not None and limit < 0:
            raise UserError(f"the limit of a listing is 0 or more, not {limit}; leave it out to see all")
        sequence, found = ENTRY.c.sequence, self._bounded(select(ENTRY))
        if kinds is not None:
            found = found.where(ENTRY.c.kind.in_(sorted(kinds)))
        found = found.order_by(sequence.desc() if newest_first else sequence)
        return self._pages(found, data_set, limit, lt if newest_first else gt)

    def _pages(
        self,
        found: "Select[tuple[object, ...]]",
        data_set: str | None,
        limit: int | None,
        is_behind: Callable[[Any, Any], Any],
    ) -> Iterator[Entry]:
        """Yield what is found page by page; one that is not full is the last."""
        wanted, size = found, PAGE
        while size == PAGE:
            size = PAGE if limit is None else min(PAGE, limit)
            with self._connect() as connection:
                if data_set is not None:
                    wanted = wanted.where(ENTRY.c.data_set.in_(_spellings(connection, data_set)))
                page = [entry_of(row_of(row), self._ledger) for row in connection.execute(wanted.limit(size))]
            yield from page
            if not page or len(page) < size:
                return
            limit = None if limit is None else limit - len(page)
            wanted = found.where(is_behind(ENTRY.c.sequence, page[-1].sequence))

    def entry(self, entry_id: str, /) -> Entry | None:
        """Return the entry with an id as ``Reader.entry`` says."""
        if not is_id(entry_id):
            return None
        found = select(ENTRY).where(ENTRY.c.id == entry_id).order_by(ENTRY.c.sequence)
        with self._connect() as connection:
            row = connection.execute(self._bounded(found)).first()
        return None if row is None else entry_of(row_of(row), self._ledger)

    def attachment(self, digest: str, /) -> bytes:
        """Return a content held against its digest, as ``Reader.attachment`` says."""
        asked = select(RAW_CONTENT).where(ATTACHMENT.c.digest == digest)
        with self._connect() as connection:
            if not is_digest(digest):
                raise UserError(
                    f"the digest of an attachment is 64 lower-case hex digits, not {digest[:80]!a}"
                )
            content = connection.execute(asked).scalar_one_or_none()
        if content is None:
            raise UserError(f"the ledger at {self._ledger} has no attachment {digest}; see `qidguard show`")
        if not isinstance(content, bytes) or digest_of(content) != digest:
            raise LedgerError(
                f"attachment {digest} of the ledger at {self._ledger} is not what was written; run"
                " `qidguard history --check`, and restore the ledger from a copy"
            )
        return content

    def _bounded(self, found: "Select[tuple[object, ...]]") -> "Select[tuple[object, ...]]":
        return found if self._until is None else found.where(ENTRY.c.sequence <= self._until)


def _spellings(connection: "Connection", data_set: str) -> list[str]:
    """Return the names under which the ledger has a data set."""
    names = connection.execute(select(ENTRY.c.data_set).distinct()).scalars()
    return [name for name in names if isinstance(name, str) and folded(name) == folded(data_set)]
