"""Opening a ledger: find it, make it or bring it up to date."""

import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlalchemy import Text, column, insert, inspect, select, table, text

from qidguard.core.errors import InternalError, UserError
from qidguard.ledger.anchors import Anchors, Seen
from qidguard.ledger.error import LedgerError, LostError, NoLedgerError
from qidguard.ledger.ledger import Ledger
from qidguard.ledger.location import database_at
from qidguard.ledger.row import NO_HASH
from qidguard.ledger.schema import CHAIN_HEAD, HEAD_ID, METADATA, VERSION_TABLE
from qidguard.ledger.store import Database, LedgerStore

if TYPE_CHECKING:
    from alembic.config import Config
    from sqlalchemy import Connection


def open_ledger(
    url: str,
    *,
    anchors: "Path | str | None" = None,
    must_exist: bool = False,
    lock_seconds: float = 60.0,
    is_accepting: bool = False,
    is_to_look: bool = False,
) -> Ledger:
    """Open the ledger at a file path or URL; it is made when there is none, and migrated when it is older.

    Args:
        url: A file path or ``sqlite:///path`` (a new file gets mode 0600, new folders 0700), or
            ``postgresql://user@host/database``, whose database exists. No message shows user or password.
        anchors: The file in which this machine remembers the newest head of each ledger that it has seen;
            None remembers none, and a ledger cut at its end is not noticed.
        must_exist: Whether to raise, rather than make a ledger, where there is none.
        lock_seconds: How long to wait for other writers, in seconds, > 0.
        is_accepting: Whether one may be made in the place of a ledger that is lost.
        is_to_look: Whether nothing is decided by it, so that it may be read without a sound anchor.

    Returns:
        The open ledger; close it, or use it in a ``with`` statement.

    Units:
        ``lock_seconds`` in seconds.

    Raises:
        UserError: When the URL is wrong, the driver is not installed, there is no ledger where one must be,
            something else stands there, or a newer qidguard made it.
        LedgerError: When the database cannot be reached, read or written, or when this machine saw entries of
            a ledger there, and there is none.

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
    kept = None if anchors is None else Anchors(Path(anchors), database.identity)
    seen = None if is_accepting else _seen(kept)
    try:
        store = _store(database, must_exist=must_exist or seen is not None)
    except NoLedgerError:
        if seen is None:
            raise
        raise LostError(
            f"the ledger at {database.shown} is gone: this machine saw {seen.sequence:,} entries of it on"
            f" {seen.at}; restore it from a copy, or, where there is none, accept in words that it begins"
            " anew with: qidguard history --accept WORDS"
        ) from None
    return Ledger(store, kept, is_to_look=is_to_look)


def _store(database: Database, *, must_exist: bool) -> LedgerStore:
    if must_exist and not database.is_there():
        raise NoLedgerError(f"there is no ledger at {database.shown}; a release makes one")
    database.prepare()
    store = LedgerStore(database)
    migrate(store, must_exist=must_exist)
    return store


def _seen(kept: Anchors | None) -> Seen | None:
    """Return what this machine saw of a ledger with entries; whatever is wrong with anchors is said later."""
    with suppress(LedgerError):
        seen = None if kept is None else kept.seen()
        return seen if seen is not None and seen.sequence else None
    return None


NEWEST: Final = "0003"
"""The revision that this code reads and writes."""

FOLDER: Final = Path(__file__).parent / "migrations"

_FIRST: Final = "0003"
_SAME_TABLES: Final = frozenset({"0001", "0002"})
"""Revisions before the first of the folder, under which fewer kinds of entries stand in the same tables."""

_ONE_AT_A_TIME = threading.Lock()  # Alembic keeps its environment in a module


def migrate(store: LedgerStore, *, must_exist: bool) -> None:
    """Make the ledger, or bring it to the newest revision; one that is there already is only looked at.

    Args:
        store: Where it is or shall be.
        must_exist: Whether one is there already; it is never made then.

    Raises:
        UserError: When it must exist and does not, when a newer qidguard made it, or when something else
            stands in its place.
        LedgerError: When the database cannot be read or written.
    """
    with store.read() as connection:
        found = _revisions(connection)
    if found == (NEWEST,):
        return
    _check(store, found, must_exist=must_exist)
    with store.write() as connection:
        store.database.lock_schema(connection)
        found = _revisions(connection)  # another process may have been quicker
        if found == (NEWEST,):
            return
        _check(store, found, must_exist=must_exist)
        if found is None:
            store.database.check_vacant(connection)
        if found:
            _upgrade(connection, is_of_first=set(found) <= _SAME_TABLES)
        else:
            _make(connection, store)
        if _revisions(connection) != (NEWEST,):
            raise InternalError(f"the migrations of the ledger end at {NEWEST}, and these did not; reinstall")


def _check(store: LedgerStore, found: tuple[str, ...] | None, *, must_exist: bool) -> None:
    if not found:
        if must_exist:
            raise NoLedgerError(f"there is no ledger at {store.database.shown}; a release makes one")
        return
    from alembic.script import ScriptDirectory

    known = {script.revision for script in ScriptDirectory(str(FOLDER)).walk_revisions()}
    if not set(found) <= known | _SAME_TABLES:
        raise UserError(
            f"the ledger at {store.database.shown} was made by a newer qidguard (revision"
            f" {', '.join(map(ascii, found))}); install a newer qidguard"
        )


def _revisions(connection: "Connection") -> tuple[str, ...] | None:
    """Return what the version table says; None when there is none, which Alembic would not tell apart."""
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    versions = table(VERSION_TABLE, column("version_num", Text))
    return tuple(map(str, connection.execute(select(versions.c.version_num)).scalars()))


def _make(connection: "Connection", store: LedgerStore) -> None:
    """Make the tables, the one row that is locked first, and the triggers that refuse changes."""
    from alembic import command

    METADATA.create_all(connection)
    connection.execute(insert(CHAIN_HEAD).values(id=HEAD_ID, sequence=0, hash=NO_HASH))
    for statement in store.database.create_triggers:
        connection.execute(text(statement))
    with _ONE_AT_A_TIME:
        command.stamp(_config(connection), "head")


def _upgrade(connection: "Connection", *, is_of_first: bool) -> None:
    from alembic import command

    config = _config(connection)
    with _ONE_AT_A_TIME:
        if is_of_first:
            command.stamp(config, _FIRST, purge=True)
        command.upgrade(config, "head")


def _config(connection: "Connection") -> "Config":
    from alembic.config import Config

    config = Config()
    config.attributes["connection"] = connection
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    return config
