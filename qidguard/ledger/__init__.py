"""The ledger: what was audited, released, let through and spent, over time; append-only and hash-chained.

Whatever needs a database library is imported when it is first used.
"""

from typing import TYPE_CHECKING

from qidguard.lazy import lazy_names
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

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "qidguard.ledger.ledger": "Ledger",
        "qidguard.ledger.location": "ledger_file",
        "qidguard.ledger.opening": "open_ledger",
    },
)
