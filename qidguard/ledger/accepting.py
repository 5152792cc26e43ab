"""A ledger that is taken for sound in words, where a machine cannot tell or what it saw is lost."""

import secrets
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Final

from qidguard.core.errors import UserError
from qidguard.ledger.anchors import Seen, contradiction
from qidguard.ledger.appending import append
from qidguard.ledger.checking import Check, first_fault
from qidguard.ledger.entry import Entry
from qidguard.ledger.payload_json import new_entry
from qidguard.ledger.payloads import Accepted
from qidguard.ledger.verifying import does_not_hold, hash_at, lock_head

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from qidguard.ledger.databases.base import Database

OF_LEDGER: Final = "(ledger)"
"""In the place of a data set, for what is said of the ledger itself; no data set can be called so."""

LONGEST_REASON: Final = 1_000
"""Characters of the words that accept a ledger."""


def accept(
    connection: "Connection",
    database: "Database",
    seen: Seen | None,
    reason: str,
    *,
    by: Mapping[str, str],
    at: datetime,
    has_damage: bool,
) -> tuple[Entry, Seen]:
    """Record that a ledger is taken for sound, and return the entry with the head to be remembered.

    Args:
        connection: A connection in a transaction that writes.
        database: Where the ledger is.
        seen: What this machine saw of it.
        reason: Why, in words.
        by: Who says so.
        at: When.
        has_damage: Whether the anchors are damaged.

    Raises:
        UserError: When there is no reason, or nothing to accept.
        LedgerError: When the ledger does not hold by itself.
    """
    words = " ".join(reason.split())
    if not 0 < len(words) <= LONGEST_REASON:
        raise UserError(
            f"whoever accepts a ledger says why, in 1 to {LONGEST_REASON:,} characters; write what happened"
        )
    sequence, digest = lock_head(connection, database.shown)
    check = Check(database, None)
    fault = first_fault(check.faults(connection))
    if fault is not None:
        raise does_not_hold(fault, database.shown)
    found = None if seen is None else hash_at(connection, seen.sequence)
    is_continued = seen is not None and contradiction(seen, sequence, found, database.shown) is None
    if not has_damage and (is_continued or (seen is None and not sequence)):
        raise UserError(
            f"there is nothing to accept: the ledger at {database.shown} is known to this machine"
        )
    accepted = Accepted(
        reason=words,
        sequence=sequence,
        hash=digest,
        seen_sequence=None if seen is None else seen.sequence,
        seen_hash=None if seen is None else seen.hash,
        by=by,
    )
    new = new_entry(accepted, entry_id=f"accepted-{secrets.token_hex(8)}", data_set=OF_LEDGER, at=at)
    return append(connection, new, check.head(), contents=(), guard=None, ledger=database.shown)
