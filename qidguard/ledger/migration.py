"""Brings the tables of a ledger to the newest revision, however many processes open it at once."""

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlalchemy import Text, column, inspect, select, table

from qidguard.core.errors import InternalError, UserError
from qidguard.ledger.error import NoLedgerError
from qidguard.ledger.schema import VERSION_TABLE
from qidguard.ledger.store import Store

if TYPE_CHECKING:
    from alembic.config import Config
    from sqlalchemy import Connection

NEWEST: Final = "0003"
"""The revision that this code reads and writes."""

FOLDER: Final = Path(__file__).parent / "migrations"

_ONE_AT_A_TIME = threading.Lock()  # Alembic keeps its environment in a module


def migrate(store: Store, *, must_exist: bool) -> None:
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
        _upgrade(connection, store)
        if _revisions(connection) != (NEWEST,):
            raise InternalError(f"the migrations of the ledger end at {NEWEST}, and these did not; reinstall")


def _check(store: Store, found: tuple[str, ...] | None, *, must_exist: bool) -> None:
    if not found:
        if must_exist:
            raise NoLedgerError(f"there is no ledger at {store.database.shown}; a release makes one")
        return
    from alembic.script import ScriptDirectory

    known = {script.revision for script in ScriptDirectory(str(FOLDER)).walk_revisions()}
    if not set(found) <= known:
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


def _upgrade(connection: "Connection", store: Store) -> None:
    from alembic import command

    config = _config()
    config.attributes["connection"] = connection
    config.attributes["create_triggers"] = store.database.create_triggers
    with _ONE_AT_A_TIME:
        command.upgrade(config, "head")


def _config() -> "Config":
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    return config
