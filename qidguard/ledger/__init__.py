"""The ledger: what was audited, released, let through and spent, over time; append-only and hash-chained.

Whatever needs a database library is imported when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from qidguard.ledger.entry import KINDS, Entry, NewEntry, Reader
from qidguard.ledger.error import IdTakenError, LedgerError
from qidguard.ledger.payload_json import new_entry, read, read_any
from qidguard.ledger.payloads import TypedEntry

if TYPE_CHECKING:
    from qidguard.ledger.ledger import Ledger
    from qidguard.ledger.location import ledger_file
    from qidguard.ledger.opening import open_ledger

__all__ = [
    "KINDS",
    "Entry",
    "IdTakenError",
    "Ledger",
    "LedgerError",
    "NewEntry",
    "Reader",
    "TypedEntry",
    "ledger_file",
    "new_entry",
    "open_ledger",
    "read",
    "read_any",
]

_LATE = {
    "Ledger": "qidguard.ledger.ledger",
    "ledger_file": "qidguard.ledger.location",
    "open_ledger": "qidguard.ledger.opening",
}


def __getattr__(name: str) -> Any:
    """Import a name when it is first asked for."""
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LATE[name]), name)
