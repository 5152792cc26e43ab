"""The check of a whole ledger: what was changed, added or taken away, said in one sentence for each fault."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import func, inspect, select

from qidguard.ledger.anchors import Anchors, Seen, contradiction
from qidguard.ledger.chain import Chain
from qidguard.ledger.error import LedgerError
from qidguard.ledger.reading import RAW_CONTENT
from qidguard.ledger.row import COLUMNS, Row, digest_of, entry_of, is_sealed, row_of, time_text
from qidguard.ledger.schema import ATTACHMENT, CHAIN_HEAD, ENTRY, HEAD_ID, METADATA
from qidguard.ledger.store import Store
from qidguard.ledger.verifying import Place, places_digest, read_places

if TYPE_CHECKING:
    from sqlalchemy import Connection, Select

MOST_SENTENCES: Final = 100
"""Faults that are told one by one; the others are counted."""

_ROWS_AT_ONCE = 200


class Check:
    """One check, in one transaction that sees one state; entries and attachments pass one after another.

    Args:
        store: Where the ledger is.
        anchors: What this machine has seen; None where none are kept.
    """

    def __init__(self, store: Store, anchors: Anchors | None) -> None:
        self._store = store
        self._anchors = anchors
        self._chain = Chain()
        self._places: Sequence[Place] = ()
        self._seen: Seen | None = None
        self._found_at_seen: str | None = None
        self._listed: dict[str, int] = {}

    def run(self) -> tuple[str, ...]:
        """Return a sentence for each fault; without one, remember the head."""
        # before the transaction, so that the anchor is no newer than what that sees
        anchor_faults = self._read_anchor()
        with self._store.read() as connection:
            told: list[str] = []
            untold = 0
            for sentence in self._faults(connection):
                if len(told) < MOST_SENTENCES:
                    told.append(sentence)
                else:
                    untold += 1
        told += [f"and {untold} further faults"] if untold else []
        if not told and not anchor_faults:
            anchor_faults = self._remember()
        return (*told, *anchor_faults)

    def _faults(self, connection: "Connection") -> Iterator[str]:
        missing = [name for name in sorted(METADATA.tables) if not inspect(connection).has_table(name)]
        if missing:
            yield from (f"the table {name} is gone" for name in missing)
            return
        database = self._store.database
        yield from (f"the database finds its file damaged: {words}" for words in database.damages(connection))
        triggers = database.missing_triggers(connection)
        if triggers:
            yield f"the triggers that refuse changes are gone or changed: {', '.join(triggers)}"
        yield from self._entries(connection)
        self._places = read_places(connection)
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
            entry = entry_of(row, self._store.database.shown)
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

    def _read_anchor(self) -> tuple[str, ...]:
        if self._anchors is None:
            return ()
        try:
            self._seen = self._anchors.seen()
        except LedgerError as error:
            return (str(error),)
        return ()

    def _remember(self) -> tuple[str, ...]:
        """Remember the head of a ledger without a fault, and say so when this machine had seen none of it."""
        if self._anchors is None or not self._chain.sequence:
            return ()
        try:
            at = time_text(datetime.now(UTC))
            digest = places_digest(self._places)
            self._anchors.remember(
                Seen(sequence=self._chain.sequence, hash=self._chain.hash, at=at, places=digest)
            )
        except LedgerError as error:
            return (str(error),)
        if self._seen is not None:
            return ()
        sentence = (
            f"this machine had no anchor for the ledger at {self._store.database.shown}, so an earlier"
            " shortening or rewriting would not be noticed; compare its head with a signed release, for entry"
            f" {self._chain.sequence} is remembered from now on"
        )
        return (sentence,)


def _stream(
    connection: "Connection", statement: "Select[Any]", *, at_once: int = _ROWS_AT_ONCE
) -> Iterator[tuple[Any, ...]]:
    """Yield rows without holding more than some of them."""
    options = {"stream_results": True, "yield_per": at_once}
    yield from map(tuple, connection.execute(statement, execution_options=options))
