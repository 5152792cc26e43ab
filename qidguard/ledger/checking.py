"""The check of a whole ledger: what was changed, added or taken away, said in one sentence for each fault."""

from collections.abc import Generator, Iterator
from contextlib import closing
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import func, inspect, select

from qidguard.ledger.anchors import Seen, contradiction
from qidguard.ledger.chain import Chain
from qidguard.ledger.error import LedgerError
from qidguard.ledger.reading import RAW_CONTENT
from qidguard.ledger.row import COLUMNS, Row, digest_of, entry_of, is_sealed, row_of, time_text
from qidguard.ledger.schema import ATTACHMENT, CHAIN_HEAD, ENTRY, HEAD_ID, METADATA

if TYPE_CHECKING:
    from sqlalchemy import Connection, Select

    from qidguard.ledger.databases.base import Database

MOST_SENTENCES: Final = 100
"""Faults that are told one by one; the others are counted."""

_ROWS_AT_ONCE = 200


class Check:
    """One check, in one transaction that sees one state; entries and attachments pass one after another.

    Args:
        database: Where the ledger is.
        seen: What this machine has seen of it; None where that is nothing.
    """

    def __init__(self, database: "Database", seen: Seen | None) -> None:
        self._database = database
        self._chain = Chain()
        self._seen = seen
        self._found_at_seen: str | None = None
        self._listed: dict[str, int] = {}
        self._state: str | None = None

    def head(self) -> Seen:
        """Return what is to be remembered of a ledger without a fault."""
        at = time_text(datetime.now(UTC))
        return Seen(sequence=self._chain.sequence, hash=self._chain.hash, at=at, state=self._state, walked=at)

    def faults(self, connection: "Connection") -> Generator[str]:
        """Yield a sentence for each fault.

        Args:
            connection: A connection in a transaction that has read nothing yet, or that writes.
        """
        before = self._database.state(connection)
        missing = [name for name in sorted(METADATA.tables) if not inspect(connection).has_table(name)]
        if missing:
            yield from (f"the table {name} is gone" for name in missing)
            return
        # the tables were looked for, so that what this transaction sees is fixed: nothing came in between
        self._state = before if before == self._database.state(connection) else None
        database = self._database
        yield from (f"the database finds its file damaged: {words}" for words in database.damages(connection))
        triggers = database.other_triggers(connection)
        if triggers:
            yield f"the triggers that refuse changes are gone or changed: {', '.join(triggers)}"
        yield from self._entries(connection)
        yield from self._repeated_ids(connection)
        yield from self._heads(connection)
        yield from self._attachments(connection)
        if self._seen is not None:
            sentence = contradiction(self._seen, self._chain.sequence, self._found_at_seen, database.shown)
            if sentence is not None:
                yield sentence

    def _entries(self, connection: "Connection") -> Iterator[str]:
        columns = [ENTRY.c[name] for name in COLUMNS]
        for found in _stream(connection, select(*columns).order_by(ENTRY.c.sequence, ENTRY.c.hash)):
            row = row_of(found)
            yield from self._chain.faults(row)
            if is_sealed(row):
                yield from self._content(row)
            if self._seen is not None and row.sequence == self._seen.sequence:
                self._found_at_seen = row.hash

    def _content(self, row: Row) -> Iterator[str]:
        try:
            entry = entry_of(row, self._database.shown)
        except LedgerError:
            yield f"entry {row.sequence} is none of qidguard's: its hash is right, its content no entry"
            return
        for digest in entry.attachments:
            self._listed.setdefault(digest, entry.sequence)

    def _repeated_ids(self, connection: "Connection") -> Iterator[str]:
        """Yield ids that several entries have, which a table without its constraint would let happen."""
        repeated = (
            select(func.min(ENTRY.c.sequence), func.max(ENTRY.c.sequence))
            .group_by(ENTRY.c.id)
            .having(func.count() > 1)
        )
        for first, last in _stream(connection, repeated):
            yield f"entries {first} and {last} have the same id"

    def _heads(self, connection: "Connection") -> Iterator[str]:
        heads = connection.execute(select(CHAIN_HEAD).limit(2)).all()
        if len(heads) != 1:
            yield f"the chain has {'no head' if not heads else 'more than one head'}"
            return
        if heads[0].id != HEAD_ID:
            yield f"the head of the chain has the number {heads[0].id!a}, not {HEAD_ID}"
        if (heads[0].sequence, heads[0].hash) != (self._chain.sequence, self._chain.hash):
            last = f"the last entry ({self._chain.sequence})" if self._chain.sequence else "an empty ledger"
            yield f"the head of the chain says entry {heads[0].sequence!a} and is not that of {last}"

    def _attachments(self, connection: "Connection") -> Iterator[str]:
        stored = select(ATTACHMENT.c.digest, RAW_CONTENT).order_by(ATTACHMENT.c.digest)
        for digest, content in _stream(connection, stored, at_once=1):
            if not isinstance(content, bytes) or digest_of(content) != digest:
                yield f"attachment {digest!a} was changed: its digest is not that of its content"
            if self._listed.pop(digest, None) is None:
                yield f"attachment {digest!a} is listed by no entry, or stands there more than once"
        for digest, sequence in self._listed.items():
            yield f"attachment {digest} of entry {sequence} is missing"


def first_fault(faults: Generator[str]) -> str | None:
    """Return the first fault, and look no further; None where there is none."""
    with closing(faults):
        return next(faults, None)


def told(faults: Iterator[str]) -> tuple[str, ...]:
    """Return the first ``MOST_SENTENCES`` faults, and how many more there are."""
    first = tuple(islice(faults, MOST_SENTENCES))
    more = sum(1 for _ in faults)
    return (*first, f"and {more} further faults") if more else first


def _stream(
    connection: "Connection", statement: "Select[Any]", *, at_once: int = _ROWS_AT_ONCE
) -> Iterator[tuple[Any, ...]]:
    """Yield rows without holding more than some of them."""
    options = {"stream_results": True, "yield_per": at_once}
    with connection.execute(statement, execution_options=options) as found:
        yield from map(tuple, found)
