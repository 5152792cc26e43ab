"""Whether a ledger holds, found in time for a decision: old rows by one digest, new ones by the chain.

Whoever reads by data set or kind misses a row that was taken away or relabeled, since such a row is never
looked at. So the columns by which rows are chosen are read of all rows first. Up to the head that was
verified before, their digest must be the one that was remembered then; whatever is new is walked: each row
held against its own hash and against the row before. Where nothing is remembered, all of it is walked.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sqlalchemy import select

from qidguard.ledger.anchors import Seen, contradiction
from qidguard.ledger.chain import Chain
from qidguard.ledger.error import LedgerError
from qidguard.ledger.row import COLUMNS, entry_of, row_of, time_text
from qidguard.ledger.schema import CHAIN_HEAD, ENTRY, HEAD_ID

if TYPE_CHECKING:
    from hashlib import _Hash

    from sqlalchemy import Connection

_ROWS_AT_ONCE: Final = 200


class Place(NamedTuple):
    """One row of the ledger: what it is chosen by, and the hash that seals the rest of it."""

    sequence: int
    id: str
    kind: str
    data_set: str
    hash: str


@dataclass(frozen=True, kw_only=True)
class Verified:
    """A ledger that holds, as one transaction saw it.

    Args:
        sequence: That of its head.
        hash: That of its head.
        places: One for each entry, by sequence.
        digest: The digest over them, to be gone on with.
    """

    sequence: int
    hash: str
    places: Sequence[Place]
    digest: "_Hash"

    def seen(self, added: Sequence[Place] = ()) -> Seen:
        """Return what is to be remembered of the ledger, with rows that were added since."""
        digest = self.digest.copy()
        _feed(digest, added)
        newest = added[-1] if added else self
        at = time_text(datetime.now(UTC))
        return Seen(sequence=newest.sequence, hash=newest.hash, at=at, places=digest.hexdigest())


def lock_head(connection: "Connection", ledger: str) -> tuple[int, str]:
    """Return the head, locked until a transaction that writes ends; SQLite has locked everything by then."""
    return _one_head(connection.execute(select(CHAIN_HEAD).with_for_update()).all(), ledger)


def read_head(connection: "Connection", ledger: str) -> tuple[int, str]:
    """Return the head."""
    return _one_head(connection.execute(select(CHAIN_HEAD)).all(), ledger)


def verify(connection: "Connection", head: tuple[int, str], seen: Sequence[Seen], ledger: str) -> Verified:
    """Return the ledger as this transaction sees it, every row of it known to be what was written.

    Args:
        connection: A connection in a transaction.
        head: Its head.
        seen: What was verified of it before, by this process or as this machine remembers.
        ledger: What a message calls the ledger.

    Raises:
        LedgerError: When a row was changed, relabeled, added or taken away, when the head is not the last
            entry's, or when the ledger is no continuation of what was seen.
    """
    places = read_places(connection)
    digest, known = _known(places, seen)
    before = known[:-1]  # the last one is read again: whatever is added next rests on it
    chain = Chain(before[-1].sequence, before[-1].hash) if before else Chain()
    _walk(connection, chain, places[len(before) :], ledger)
    if head != (chain.sequence, chain.hash):
        raise LedgerError(
            f"the head of the ledger at {ledger} is not that of its last entry; run"
            " `qidguard history --check`, and restore the ledger from a copy"
        )
    for one in seen:
        found = places[one.sequence - 1].hash if 0 < one.sequence <= len(places) else None
        sentence = contradiction(one, chain.sequence, found, ledger)
        if sentence is not None:
            raise LedgerError(sentence)
    _feed(digest, places[len(known) :])
    return Verified(sequence=chain.sequence, hash=chain.hash, places=places, digest=digest)


def read_places(connection: "Connection") -> list[Place]:
    """Return all rows by sequence, without what they say."""
    columns = [ENTRY.c[name] for name in Place._fields]
    return list(map(Place._make, connection.execute(select(*columns).order_by(ENTRY.c.sequence))))


def places_digest(places: Sequence[Place]) -> str:
    """Return the digest of rows that were verified, as it is remembered."""
    digest = hashlib.sha256()
    _feed(digest, places)
    return digest.hexdigest()


def _known(places: Sequence[Place], seen: Sequence[Seen]) -> "tuple[_Hash, Sequence[Place]]":
    """Return the rows that are as they were when they were verified, and the digest over them."""
    for one in sorted((s for s in seen if s.sequence), key=lambda s: s.sequence, reverse=True):
        known = places[: one.sequence]
        digest = hashlib.sha256()
        try:
            _feed(digest, known)
        except TypeError:  # a database gives bytes where it was made to hold them
            continue
        if len(known) == one.sequence and digest.hexdigest() == one.places and known[-1].hash == one.hash:
            return digest, known
    return hashlib.sha256(), ()


def _walk(connection: "Connection", chain: Chain, new: Sequence[Place], ledger: str) -> None:
    """Hold each new row against its hash and the row before."""
    rows = select(*(ENTRY.c[name] for name in COLUMNS)).order_by(ENTRY.c.sequence, ENTRY.c.hash)
    if chain.sequence:
        rows = rows.where(ENTRY.c.sequence > chain.sequence)
    options = {"stream_results": True, "yield_per": _ROWS_AT_ONCE}
    count = 0
    with connection.execute(rows, execution_options=options) as found:
        for row in map(row_of, found):
            fault = next(chain.faults(row), None)
            if fault is not None:
                raise _does_not_hold(fault, ledger)
            entry_of(row, ledger)
            if new[count : count + 1] != [Place(row.sequence, row.id, row.kind, row.data_set, row.hash)]:
                raise _does_not_hold(f"entry {row.sequence} changed while it was read", ledger)
            count += 1
    if count != len(new):
        raise _does_not_hold("entries changed while they were read", ledger)


def _feed(digest: "_Hash", places: Sequence[Place]) -> None:
    """Add rows to a digest; JSON keeps apart what stands in different columns, whatever it is."""
    for first in range(0, len(places), 10_000):
        digest.update(json.dumps(places[first : first + 10_000])[1:-1].encode() + b", ")


def _one_head(heads: Sequence[Any], ledger: str) -> tuple[int, str]:
    if len(heads) != 1 or heads[0].id != HEAD_ID:
        raise LedgerError(
            f"the ledger at {ledger} has not one head but {len(heads)}, or it has another number; run"
            " `qidguard history --check`, and restore the ledger from a copy"
        )
    return heads[0].sequence, heads[0].hash


def _does_not_hold(fault: str, ledger: str) -> LedgerError:
    return LedgerError(
        f"the ledger at {ledger} does not hold: {fault}; run `qidguard history --check`, and"
        " restore it from a copy"
    )
