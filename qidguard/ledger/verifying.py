"""Whether a ledger holds, found before anything is decided, at a cost that grows with what is new.

What was walked before is known to be as it was where the database is in the state in which this machine left
it: nobody changed a row, an attachment or a trigger since. Then only newer rows are walked, each held against
its own hash and the row before. Where the state is another, or ``WALK_EVERY`` has passed, everything is
walked again, as ``checking`` does.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import select

from qidguard.ledger.anchors import ACCEPTING, Seen, contradiction
from qidguard.ledger.chain import Chain
from qidguard.ledger.error import LedgerError, UnanchoredError
from qidguard.ledger.row import COLUMNS, entry_of, row_of, time_text
from qidguard.ledger.schema import CHAIN_HEAD, ENTRY, HEAD_ID

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from qidguard.ledger.databases.base import Database

_ROWS_AT_ONCE: Final = 200


def lock_head(connection: "Connection", ledger: str) -> tuple[int, str]:
    """Return the head, locked until a transaction that writes ends; SQLite has locked everything by then."""
    return _one_head(connection.execute(select(CHAIN_HEAD).with_for_update()).all(), ledger)


def read_head(connection: "Connection", ledger: str) -> tuple[int, str]:
    """Return the head."""
    return _one_head(connection.execute(select(CHAIN_HEAD)).all(), ledger)


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
    rows = select(*(ENTRY.c[name] for name in COLUMNS)).order_by(ENTRY.c.sequence, ENTRY.c.hash)
    options = {"stream_results": True, "yield_per": _ROWS_AT_ONCE}
    # asked one after the other, so that an index answers both; what stands before the first is a fault
    for new in (ENTRY.c.sequence < 1, ENTRY.c.sequence > chain.sequence):
        with connection.execute(rows.where(new), execution_options=options) as found:
            for row in map(row_of, found):
                fault = next(chain.faults(row), None)
                if fault is not None:
                    raise does_not_hold(fault, ledger)
                entry_of(row, ledger)


def _one_head(heads: Sequence[Any], ledger: str) -> tuple[int, str]:
    if len(heads) != 1 or heads[0].id != HEAD_ID:
        raise LedgerError(
            f"the ledger at {ledger} has not one head but {len(heads)}, or it has another number; run"
            " `qidguard history --check`, and restore the ledger from a copy"
        )
    sequence, digest = heads[0].sequence, heads[0].hash
    if type(sequence) is not int or not isinstance(digest, str):
        raise does_not_hold("its head is no number and no hash", ledger)
    return sequence, digest
