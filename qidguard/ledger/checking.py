"""Whether a ledger holds: what was changed, added or taken away, said in one sentence for each fault.

Before anything is decided it is verified, at a cost that grows with what is new. What was walked before is
known to be as it was where the database is in the state in which this machine left it: nobody changed a row,
an attachment or a trigger since. Then only newer rows are walked, each held against its own hash and the row
before. Where the state is another, or ``WALK_EVERY`` has passed, everything is walked again.
"""

from collections.abc import Generator, Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import func, inspect, select

from qidguard.ledger.anchors import ACCEPTING, Seen, contradiction
from qidguard.ledger.error import LedgerError, UnanchoredError
from qidguard.ledger.reading import RAW_CONTENT
from qidguard.ledger.row import NO_HASH, Row, digest_of, entry_of, is_sealed, row_of, time_text
from qidguard.ledger.schema import ATTACHMENT, CHAIN_HEAD, ENTRY, HEAD_ID, METADATA

if TYPE_CHECKING:
    from sqlalchemy import Connection, Select

    from qidguard.ledger.store import Database

MOST_SENTENCES: Final = 100
"""Faults that are told one by one; the others are counted."""

_ROWS_AT_ONCE = 200
_ROWS: Final = select(ENTRY).order_by(ENTRY.c.sequence, ENTRY.c.hash)


class Chain:
    """How far the chain holds; each row is held against the one before.

    Args:
        sequence: The last entry that is known to be as it was written; 0 begins at the beginning.
        digest: Its hash.
    """

    def __init__(self, sequence: int = 0, digest: str = NO_HASH) -> None:
        self.sequence, self.hash = sequence, digest

    def faults(self, row: Row) -> Iterator[str]:
        """Yield what is wrong with the next row, and go on behind it."""
        if type(row.sequence) is not int:
            yield "an entry has no number for its sequence"
            return
        yield from self._place(row)
        if not is_sealed(row):
            yield f"entry {row.sequence!a} was changed: its hash is not that of its content"
        self.sequence, self.hash = max(self.sequence, row.sequence), row.hash

    def _place(self, row: Row) -> Iterator[str]:
        expected = self.sequence + 1
        if row.sequence < 1:
            yield f"entry {row.sequence} stands before the first"
        elif row.sequence < expected:
            yield f"entry {row.sequence} stands there more than once"
        elif row.sequence > expected:
            last = row.sequence - 1
            yield (
                f"entry {expected} is missing"
                if last == expected
                else f"entries {expected} to {last} are missing"
            )
        elif row.previous_hash != self.hash:
            before = f"entry {self.sequence}" if self.sequence else "the beginning"
            yield f"entry {row.sequence} does not follow {before}: its previous hash is another"


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
        for row in map(row_of, _stream(connection, _ROWS)):
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


def read_head(connection: "Connection", ledger: str, *, is_locked: bool = False) -> tuple[int, str]:
    """Return the head, locked until a transaction that writes ends where that is asked for.

    SQLite has locked everything by then.
    """
    asked = select(CHAIN_HEAD).with_for_update() if is_locked else select(CHAIN_HEAD)
    heads = connection.execute(asked).all()
    if len(heads) != 1 or heads[0].id != HEAD_ID:
        raise LedgerError(
            f"the ledger at {ledger} has not one head but {len(heads)}, or it has another number; run"
            " `qidguard history --check`, and restore the ledger from a copy"
        )
    sequence, digest = heads[0].sequence, heads[0].hash
    if type(sequence) is not int or not isinstance(digest, str):
        raise does_not_hold("its head is no number and no hash", ledger)
    return sequence, digest


def verify(
    connection: "Connection", database: "Database", head: tuple[int, str], known: Sequence[Seen]
) -> Seen | None:
    """Return the head, with all that is below known to be what was written; None where all must be walked.

    Args:
        connection: A connection in a transaction.
        database: Where the ledger is.
        head: Its head, read in that transaction.
        known: What was seen of it before, by this process or as this machine remembers.

    Raises:
        LedgerError: When a new row was changed, added or taken away, when the head is not the last entry's,
            or when the ledger is no continuation of what was seen.
    """
    hashes = {one.sequence: hash_at(connection, one.sequence) for one in known}
    for one in known:
        sentence = contradiction(one, head[0], hashes[one.sequence], database.shown)
        if sentence is not None:
            raise LedgerError(sentence)
    now = datetime.now(UTC)
    state = database.state(connection)
    base = next((one for one in known if one.carries(state, now)), None)
    if base is None:
        return None
    chain = Chain(base.sequence, base.hash)
    _walk(connection, chain, database.shown)
    if head != (chain.sequence, chain.hash):
        raise LedgerError(
            f"the head of the ledger at {database.shown} is not that of its last entry; run"
            " `qidguard history --check`, and restore the ledger from a copy"
        )
    return Seen(sequence=head[0], hash=head[1], at=time_text(now), state=state, walked=base.walked)


def unanchored(ledger: str, sequence: int) -> UnanchoredError:
    """Return what to say of a ledger with entries of which this machine has seen none."""
    return UnanchoredError(
        f"this machine has no anchor for the ledger at {ledger}, which has {sequence:,} entries, so nobody"
        f" can tell whether it was shortened or rewritten; {ACCEPTING}"
    )


def does_not_hold(fault: str, ledger: str) -> LedgerError:
    """Return what to say of a ledger with a fault."""
    return LedgerError(
        f"the ledger at {ledger} does not hold: {fault}; run `qidguard history --check`, and"
        " restore it from a copy"
    )


def hash_at(connection: "Connection", sequence: int) -> str | None:
    """Return the hash that the entry at a place has; None where there is none."""
    return connection.execute(select(ENTRY.c.hash).where(ENTRY.c.sequence == sequence)).scalar()


def _walk(connection: "Connection", chain: Chain, ledger: str) -> None:
    """Hold each new row against its hash and the row before."""
    # asked one after the other, so that an index answers both; what stands before the first is a fault
    for new in (ENTRY.c.sequence < 1, ENTRY.c.sequence > chain.sequence):
        for row in map(row_of, _stream(connection, _ROWS.where(new))):
            fault = next(chain.faults(row), None)
            if fault is not None:
                raise does_not_hold(fault, ledger)
            entry_of(row, ledger)
