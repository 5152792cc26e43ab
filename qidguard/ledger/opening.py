"""Opening a ledger: find it, make it or bring it up to date."""

from pathlib import Path

from qidguard.core.errors import UserError
from qidguard.ledger.anchors import Anchors
from qidguard.ledger.ledger import Ledger
from qidguard.ledger.location import database_at
from qidguard.ledger.migration import migrate
from qidguard.ledger.store import Store


def open_ledger(
    url: str, *, anchors: Path | None = None, must_exist: bool = False, lock_seconds: float = 60.0
) -> Ledger:
    """Open the ledger at a file path or URL; it is made when there is none, and migrated when it is older.

    Args:
        url: A file path or ``sqlite:///path`` (a new file gets mode 0600, new folders 0700), or
            ``postgresql://user@host/database``, whose database exists. No message shows user or password.
        anchors: The file in which this machine remembers the newest head of each ledger that it has seen;
            None remembers none, and a ledger cut at its end is not noticed.
        must_exist: Whether to raise, rather than make a ledger, where there is none.
        lock_seconds: How long to wait for other writers, in seconds, > 0.

    Returns:
        The open ledger; close it, or use it in a ``with`` statement.

    Units:
        ``lock_seconds`` in seconds.

    Raises:
        UserError: When the URL is wrong, the driver is not installed, there is no ledger where one must be,
            something else stands there, or a newer qidguard made it.
        LedgerError: When the database cannot be reached, read or written.

    Example:
        >>> import tempfile
        >>> from qidguard.ledger import open_ledger
        >>> with tempfile.TemporaryDirectory() as folder, open_ledger(f"{folder}/ledger.db") as ledger:
        ...     ledger.head()[0]
        0
    """
    if not 0 < lock_seconds < float("inf"):
        raise UserError(
            f"the wait for a lock is a positive number of seconds, not {lock_seconds}; correct it"
        )
    database = database_at(url, lock_seconds=lock_seconds)
    if must_exist and not database.is_there():
        raise UserError(f"there is no ledger at {database.shown}; a release makes one")
    database.prepare()
    store = Store(database)
    migrate(store, must_exist=must_exist)
    return Ledger(store, Anchors(anchors, database.identity) if anchors is not None else None)
