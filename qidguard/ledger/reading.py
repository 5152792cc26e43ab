"""Reading entries and attachments page by page: of a ledger that was verified, or of one that was not."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from sqlalchemy import select, type_coerce
from sqlalchemy.types import NullType

from qidguard.core.errors import UserError
from qidguard.core.naming import folded
from qidguard.ledger.entry import Entry, check_data_set, check_kinds, is_id
from qidguard.ledger.error import LedgerError
from qidguard.ledger.row import COLUMNS, digest_of, entry_of, is_digest, row_of
from qidguard.ledger.schema import ATTACHMENT, ENTRY

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from sqlalchemy import Connection, Select

    from qidguard.ledger.verifying import Place

    Connect = Callable[[], AbstractContextManager[Connection]]

PAGE: Final = 200
"""Entries that are read and held at once."""

RAW_CONTENT: Final = type_coerce(ATTACHMENT.c.content, NullType())
"""The content as the driver gives it, whatever somebody may have written there."""


@dataclass(frozen=True, kw_only=True)
class Selection:
    """Which entries are wanted, checked when it is made.

    Args:
        data_set: Those of one data set, however its name is spelled; None takes all.
        kinds: Those of some kinds; None takes all.
        newest_first: Whether the highest sequence comes first.
        limit: How many at most, ≥ 0; None takes all.
        after: The sequence behind which the next page begins; None begins at the beginning.
    """

    data_set: str | None = None
    kinds: Collection[str] | None = None
    newest_first: bool = False
    limit: int | None = None
    after: int | None = None

    def __post_init__(self) -> None:
        if self.data_set is not None:
            check_data_set(self.data_set)
        if self.kinds is not None:
            check_kinds(self.kinds)
        if self.limit is not None and self.limit < 0:
            raise UserError(f"the limit of a listing is 0 or more, not {self.limit}; leave it out to see all")

    def next(self, page: list[Entry]) -> "Selection | None":
        """Return what is left after a page; None when nothing can be."""
        if len(page) < self.page:
            return None
        limit = None if self.limit is None else self.limit - len(page)
        return replace(self, after=page[-1].sequence, limit=limit) if page else None

    def is_of(self, place: "Place") -> bool:
        """Whether a row is among the wanted, apart from the limit."""
        is_named = self.data_set is None or folded(self.data_set) == folded(place.data_set)
        return is_named and (self.kinds is None or place.kind in self.kinds)

    @property
    def page(self) -> int:
        """Number of entries of the next page."""
        return PAGE if self.limit is None else min(PAGE, self.limit)


def attachment_of(connection: "Connection", digest: str, ledger: str) -> bytes:
    """Return a content held against its digest; ``ledger`` is what a message calls the ledger."""
    if not is_digest(digest):
        raise UserError(f"the digest of an attachment is 64 lower-case hex digits, not {digest[:80]!a}")
    content = connection.execute(
        select(RAW_CONTENT).where(ATTACHMENT.c.digest == digest)
    ).scalar_one_or_none()
    if content is None:
        raise UserError(f"the ledger at {ledger} has no attachment {digest}; see `qidguard show`")
    if not isinstance(content, bytes) or digest_of(content) != digest:
        raise LedgerError(
            f"attachment {digest} of the ledger at {ledger} is not what was written; run"
            " `qidguard history --check`, and restore the ledger from a copy"
        )
    return content


class PagingReader:
    """A Reader that verifies nothing but each entry, and reads each page in a transaction of its own.

    Args:
        connect: Gives a connection in a transaction.
        ledger: What a message calls the ledger.
    """

    def __init__(self, connect: "Connect", ledger: str) -> None:
        self._connect = connect
        self._ledger = ledger

    def entries(
        self,
        *,
        data_set: str | None = None,
        kinds: Collection[str] | None = None,
        newest_first: bool = False,
        limit: int | None = None,
    ) -> Iterator[Entry]:
        """Yield entries as ``Reader.entries`` says."""
        wanted = Selection(data_set=data_set, kinds=kinds, newest_first=newest_first, limit=limit)
        return self._pages(wanted)

    def _pages(self, wanted: Selection) -> Iterator[Entry]:
        left: Selection | None = wanted
        while left is not None:
            with self._connect() as connection:
                found = connection.execute(_statement(left, _spellings(connection, left.data_set)))
                page = [entry_of(row_of(row), self._ledger) for row in found]
            yield from page
            left = left.next(page)

    def entry(self, entry_id: str, /) -> Entry | None:
        """Return the entry with an id as ``Reader.entry`` says."""
        if not is_id(entry_id):
            return None
        found = _all_columns().where(ENTRY.c.id == entry_id).order_by(ENTRY.c.sequence)
        with self._connect() as connection:
            row = connection.execute(found).first()
        return None if row is None else entry_of(row_of(row), self._ledger)

    def attachment(self, digest: str, /) -> bytes:
        """Return a content as ``Reader.attachment`` says."""
        with self._connect() as connection:
            return attachment_of(connection, digest, self._ledger)


class VerifiedReader:
    """A Reader of a ledger that was verified: what is chosen is chosen among all rows, and none is left out.

    Args:
        places: All rows of the ledger, verified.
        connect: Gives a connection in a transaction; rows may be read by several.
        ledger: What a message calls the ledger.
    """

    def __init__(
        self,
        places: "Sequence[Place]",
        connect: "Connect",
        ledger: str,
    ) -> None:
        self._places = places
        self._connect = connect
        self._ledger = ledger

    def entries(
        self,
        *,
        data_set: str | None = None,
        kinds: Collection[str] | None = None,
        newest_first: bool = False,
        limit: int | None = None,
    ) -> Iterator[Entry]:
        """Yield entries as ``Reader.entries`` says."""
        wanted = Selection(data_set=data_set, kinds=kinds, newest_first=newest_first, limit=limit)
        places = reversed(self._places) if newest_first else iter(self._places)
        chosen = [place for place in places if wanted.is_of(place)][: wanted.limit]
        return self._pages(chosen)

    def _pages(self, chosen: "Sequence[Place]") -> Iterator[Entry]:
        for first in range(0, len(chosen), PAGE):
            yield from self._read(chosen[first : first + PAGE])

    def _read(self, places: "Sequence[Place]") -> list[Entry]:
        wanted = _all_columns().where(ENTRY.c.sequence.in_([place.sequence for place in places]))
        with self._connect() as connection:
            rows = {row.sequence: row for row in map(row_of, connection.execute(wanted))}
        found = []
        for place in places:
            row = rows.get(place.sequence)
            if row is None or row.hash != place.hash:
                raise LedgerError(
                    f"entry {place.sequence} of the ledger at {self._ledger} changed while it was read; run"
                    " `qidguard history --check`, and restore the ledger from a copy"
                )
            found.append(entry_of(row, self._ledger))
        return found

    def entry(self, entry_id: str, /) -> Entry | None:
        """Return the entry with an id as ``Reader.entry`` says."""
        place = next((place for place in self._places if place.id == entry_id), None)
        return None if place is None else self._read([place])[0]

    def attachment(self, digest: str, /) -> bytes:
        """Return a content as ``Reader.attachment`` says."""
        with self._connect() as connection:
            return attachment_of(connection, digest, self._ledger)


def _all_columns() -> "Select[tuple[object, ...]]":
    return select(*(ENTRY.c[name] for name in COLUMNS))


def _spellings(connection: "Connection", data_set: str | None) -> list[str]:
    """Return the names under which the ledger has a data set."""
    if data_set is None:
        return []
    names = connection.execute(select(ENTRY.c.data_set).distinct()).scalars()
    return [name for name in names if isinstance(name, str) and folded(name) == folded(data_set)]


def _statement(wanted: Selection, names: Sequence[str]) -> "Select[tuple[object, ...]]":
    sequence = ENTRY.c.sequence
    found = _all_columns().limit(wanted.page)
    if wanted.data_set is not None:
        found = found.where(ENTRY.c.data_set.in_(names))
    if wanted.kinds is not None:
        found = found.where(ENTRY.c.kind.in_(sorted(wanted.kinds)))
    if wanted.after is not None:
        found = found.where(sequence < wanted.after if wanted.newest_first else sequence > wanted.after)
    return found.order_by(sequence.desc() if wanted.newest_first else sequence)
