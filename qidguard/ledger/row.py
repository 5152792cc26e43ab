"""One row of the ledger as its database keeps it, and the hash that seals it."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Any, Final

from qidguard.core.canonical import compact
from qidguard.ledger.entry import KINDS, Entry
from qidguard.ledger.error import LedgerError

FORMAT: Final = "qidguard-ledger/1"
"""Stands in the hashed text, so that no other text can be taken for an entry."""

NO_HASH: Final = "0" * 64
"""What the first entry has for the hash of the entry before."""

DIGEST_LENGTH: Final = 64


@dataclass(frozen=True, kw_only=True)
class Row:
    """The columns of the table ``entry``; texts are kept as they are stored, since these bytes are hashed."""

    sequence: int
    id: str
    kind: str
    data_set: str
    at: str
    payload: str
    attachments: str
    previous_hash: str
    hash: str = ""


COLUMNS: Final = tuple(field.name for field in fields(Row))


def row_of(values: Iterable[Any]) -> Row:
    """Return the row whose columns have these values, in the order of ``COLUMNS``."""
    return Row(**dict(zip(COLUMNS, values, strict=True)))


def seal(row: Row) -> str:
    """Return the hash of a row: SHA-256, hex, over canonical JSON of the format and of every other column.

    The chain follows Haber and Stornetta (1991), section 5.1: each certificate contains the hash of the one
    before, so that none can be changed without changing all that follow.

    Args:
        row: The row; its own ``hash`` does not count.

    Returns:
        64 hex digits.

    Example:
        >>> row = Row(
        ...     sequence=1,
        ...     id="a",
        ...     kind="spent",
        ...     data_set="d",
        ...     at="",
        ...     payload="{}",
        ...     attachments="[]",
        ...     previous_hash=NO_HASH,
        ... )
        >>> seal(row)[:8]
        'e82218c3'
    """
    columns = {name: getattr(row, name) for name in COLUMNS if name != "hash"}
    return digest_of(compact({"format": FORMAT, **columns}).encode("ascii"))


def digest_of(content: bytes) -> str:
    """Return the SHA-256 of bytes in hex."""
    return hashlib.sha256(content).hexdigest()


def time_text(at: datetime) -> str:
    """Return a time as it is stored: UTC, ISO 8601, microseconds."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def is_sealed(row: Row) -> bool:
    """Whether the columns have the types that were stored and the hash that was stored is theirs."""
    values = [getattr(row, name) for name in COLUMNS]
    if type(values[0]) is not int or not all(isinstance(value, str) for value in values[1:]):
        return False
    return seal(row) == row.hash


def entry_of(row: Row, ledger: str) -> Entry:
    """Return the entry of a row.

    Args:
        row: A row as read.
        ledger: What a message calls the ledger.

    Raises:
        LedgerError: When the row is not what was written.
    """
    entry = _parsed(row) if is_sealed(row) else None
    if entry is None:
        raise LedgerError(
            f"entry {row.sequence!a} of the ledger at {ledger} is not what was written; run"
            " `qidguard history --check`, and restore the ledger from a copy"
        )
    return entry


def _parsed(row: Row) -> Entry | None:
    """Return the entry of a sealed row; None when somebody else sealed what is no entry."""
    try:
        payload, attachments = json.loads(row.payload), json.loads(row.attachments)
        at = datetime.fromisoformat(row.at)
    except (ValueError, RecursionError):
        return None
    is_listed = isinstance(attachments, list) and all(is_digest(digest) for digest in attachments)
    if not is_listed or not isinstance(payload, dict) or row.kind not in KINDS or at.tzinfo is None:
        return None
    return Entry(
        sequence=row.sequence,
        id=row.id,
        kind=row.kind,
        data_set=row.data_set,
        at=at.astimezone(UTC),
        payload=payload,
        attachments=tuple(attachments),
        previous_hash=row.previous_hash,
        hash=row.hash,
    )


def is_digest(text: object) -> bool:
    """Whether this is a SHA-256 in lower-case hex."""
    return isinstance(text, str) and len(text) == DIGEST_LENGTH and set(text) <= set("0123456789abcdef")
