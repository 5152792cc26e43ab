"""What the ledger says is out there."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from qidguard.core.errors import UserError
from qidguard.releasing.past import RELEASE_KINDS, Past, past_of

if TYPE_CHECKING:
    from qidguard.ledger import Entry, Ledger


@dataclass(frozen=True, kw_only=True)
class Published:
    """One published release.

    Args:
        data_set: The data set.
        release_id: The release's own name.
        address: Where it is.
        released_at: When it was published, ISO text in UTC.
    """

    data_set: str
    release_id: str
    address: str
    released_at: str


def published(ledger: "Ledger", data_set: str | None = None) -> tuple[Published, ...]:
    """Return the releases that were published, by data set and then oldest first.

    One that was withdrawn does not count. A release whose run died before it could say how it ended counts:
    its content may be out.

    Args:
        ledger: The ledger.
        data_set: Those of one data set; None takes all.

    Returns:
        The releases.

    Units:
        Moments in UTC.

    Raises:
        LedgerError: When the ledger cannot be read, or is no continuation of what this machine has seen.

    Example:
        >>> import tempfile
        >>> from qidguard.ledger import open_ledger
        >>> with tempfile.TemporaryDirectory() as folder, open_ledger(f"{folder}/ledger.db") as ledger:
        ...     published(ledger)
        ()
    """
    ledger.check_seen()  # of a ledger that was cut, this would be a list with holes
    entries = list(ledger.entries(data_set=data_set, kinds={*RELEASE_KINDS, "withdrawn"}))
    gone = {e.payload["audit_id"] for e in entries if e.kind == "withdrawn"}
    found = []
    for name in sorted({entry.data_set for entry in entries}):
        past = past_of([entry for entry in entries if entry.data_set == name])
        found += [_published(entry) for entry in past.begun if entry.payload["audit_id"] not in gone]
    return tuple(found)


def promise_of(past: Past, data_set: str, release_id: str) -> "Entry":
    """Return the ledger's promise of a release; UserError when there is none."""
    for entry in past.begun:
        if entry.payload["release_id"] == release_id:
            return entry
    raise UserError(f"The ledger knows no release {release_id!r} of {data_set!r}; see: qidguard history")


def _published(entry: "Entry") -> Published:
    said: Any = entry.payload
    return Published(
        data_set=entry.data_set,
        release_id=str(said["release_id"]),
        address=str(said["address"]),
        released_at=entry.at.strftime("%Y-%m-%dT%H:%M:%SZ"),
    )
