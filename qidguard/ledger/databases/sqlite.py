"""A ledger in an SQLite file."""

import json
import os
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from sqlalchemy import NullPool, create_engine, event, text
from sqlalchemy.exc import DBAPIError

from qidguard.core.errors import QidguardError, UserError
from qidguard.core.files import alone
from qidguard.ledger.error import LedgerError, NoLedgerError
from qidguard.ledger.row import digest_of

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine


_REFUSE = "SELECT RAISE(ABORT, 'the ledger is append-only');"

_CLASHES = {
    "entry": (
        "SELECT 1 FROM entry WHERE sequence = NEW.sequence OR id = NEW.id"
        " OR previous_hash = NEW.previous_hash OR hash = NEW.hash"
    ),
    "attachment": "SELECT 1 FROM attachment WHERE digest = NEW.digest",
}
"""INSERT OR REPLACE deletes without a trigger, so a row that is there already is refused on its way in."""


_REFUSED = {
    "update": "BEFORE UPDATE ON {table}",
    "delete": "BEFORE DELETE ON {table}",
    "replace": "BEFORE INSERT ON {table} WHEN EXISTS ({clash})",
}

CREATE_TRIGGERS: Final = {
    f"{table}_no_{what}": (
        f"CREATE TRIGGER {table}_no_{what} {when.format(table=table, clash=clash)} BEGIN {_REFUSE} END"
    )
    for table, clash in _CLASHES.items()
    for what, when in _REFUSED.items()
}
"""Name → statement, which SQLite keeps to the letter."""


_BUSY_PAUSE_SECONDS = 0.01

_TICK_NANOSECONDS: Final = 12_000_000
"""Longer than the clock of any system's files stands still: 10 ms at 100 Hz."""
_PAUSES: Final = 20

_LONGEST_PATH_BYTES: Final = 500
"""SQLite takes 512 bytes, its own endings such as -journal among them."""

_REASONS: Final = {
    "SQLITE_BUSY": "another process has kept it locked for more than {seconds:g} s; try again",
    "SQLITE_LOCKED": "another process has kept it locked for more than {seconds:g} s; try again",
    "SQLITE_FULL": "its disk is full; make room",
    "SQLITE_IOERR": "its disk fails or a limit on file sizes is reached; look after the disk",
    "SQLITE_READONLY": "it or its folder is read-only; give write access or another place",
    "SQLITE_PERM": "it or its folder is read-only; give write access or another place",
    "SQLITE_CANTOPEN": "it or its folder is gone or may not be opened; give access or another place",
    "SQLITE_CORRUPT": "its file is damaged; restore it from a copy",
    "SQLITE_ERROR": "a table of it is gone or another; restore it from a copy",
    "SQLITE_CONSTRAINT": "the chain refuses the entry; run `qidguard history --check`",
}
"""Primary error → why the ledger cannot be used, and the remedy."""


class SqliteDatabase:
    """An SQLite file in WAL mode; ``BEGIN IMMEDIATE`` is the lock that every writer takes first.

    Args:
        path: Where the file is or shall be.
        lock_seconds: How long to wait for another writer, in seconds.
    """

    read_options: Mapping[str, Any] = {}
    write_options: Mapping[str, Any] = {"ledger_is_writing": True}
    create_triggers = tuple(CREATE_TRIGGERS.values())

    def __init__(self, path: Path, lock_seconds: float) -> None:
        self.path = path.absolute()
        self._lock_seconds = lock_seconds
        self.shown = str(path)
        self.identity = f"sqlite:{path.resolve()}"

    def is_there(self) -> bool:
        """Whether there is a file that is not empty."""
        try:
            return self.path.stat().st_size > 0
        except FileNotFoundError:
            return False
        except OSError as error:
            raise self.translate(error) from None

    def prepare(self) -> None:
        """Make the folder (0700) and the file (0600) where they are missing; an empty one gets WAL."""
        try:
            self._make_folders()
            with self.alone():
                os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
                with closing(self._connect()) as connection:
                    self._set_wal(connection)
        except (OSError, sqlite3.Error, UnicodeDecodeError) as error:
            raise self.translate(error) from None

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other processes and threads out: whoever closes the file last moves what is in its WAL."""
        with ExitStack() as entered:
            try:
                entered.enter_context(alone(self.path.parent, self._lock_seconds, is_optional=True))
            except TimeoutError:
                reason = _REASONS["SQLITE_BUSY"].format(seconds=self._lock_seconds)
                raise LedgerError(f"the ledger at {self.shown} cannot be used: {reason}") from None
            yield

    def state(self, connection: "Connection | None" = None) -> str | None:
        """Return which file it is, how large and when it was last written, with its WAL.

        The time is that of the system, which nobody can set back as they can a file's own. None where it is
        so young that another change may have the same, or where the files know whole seconds only.
        """
        _ = connection
        told, newest = [], 0
        for file in (self.path, self.path.with_name(f"{self.path.name}-wal")):
            try:
                found = file.stat()
            except OSError:
                continue
            if found.st_size:
                told.append([found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns])
                newest = max(newest, found.st_ctime_ns)
        is_settled = time.time_ns() - newest > _TICK_NANOSECONDS and newest % 10**9
        return digest_of(json.dumps(told).encode()) if is_settled else None

    def state_after(self, state: str | None) -> str | None:
        """Return the state once the file is no longer young."""
        _ = state
        for _attempt in range(_PAUSES):
            if (found := self.state()) is not None:
                return found
            time.sleep(_TICK_NANOSECONDS / 10**9 / 4)
        return None

    def _make_folders(self) -> None:
        folder = self.path.parent
        for missing in reversed([f for f in (folder, *folder.parents) if not f.exists()]):
            missing.mkdir(mode=0o700, exist_ok=True)

    def _connect(self) -> sqlite3.Connection:
        """Connect without ever making a file, and without the driver's own transactions."""
        address = f"file:{quote(str(self.path))}?mode=rw"
        connection = sqlite3.connect(address, uri=True, timeout=self._lock_seconds, isolation_level=None)
        try:
            connection.text_factory = _text
            connection.execute("PRAGMA synchronous = FULL")
        except BaseException:
            connection.close()
            raise
        return connection

    def _set_wal(self, connection: sqlite3.Connection) -> None:
        """Switch to WAL for good; SQLite does not wait for a lock here, so this does."""
        if connection.execute("SELECT count(*) FROM sqlite_master").fetchone() != (0,):
            return  # a ledger has it already, and the database of something else is left alone
        deadline = time.monotonic() + self._lock_seconds
        while True:
            try:
                connection.execute("PRAGMA journal_mode = WAL").fetchall()
            except sqlite3.OperationalError as error:
                if _name(error) != "SQLITE_BUSY" or time.monotonic() > deadline:
                    raise
                time.sleep(_BUSY_PAUSE_SECONDS)
            else:
                return

    def engine(self) -> "Engine":
        """Return an engine whose transactions begin as they should: SQLAlchemy leaves it to the driver."""
        engine = create_engine(
            "sqlite+pysqlite://", creator=self._connect, poolclass=NullPool, hide_parameters=True
        )
        event.listen(engine, "begin", _begin)
        return engine

    def begin_writing(self, connection: "Connection") -> None:
        """Do nothing: the wait is an argument of the connection, the lock the way its transaction began."""

    def lock_schema(self, connection: "Connection") -> None:
        """Do nothing: a transaction that writes has locked the whole file."""

    def check_vacant(self, connection: "Connection") -> None:
        """Raise UserError when the file is the database of something else."""
        found = connection.execute(text("SELECT count(*) FROM sqlite_master")).scalar_one()
        if found:
            raise NoLedgerError(
                f"the file {self.shown!r} is an SQLite database of something else; name a new file"
            )

    def other_triggers(self, connection: "Connection") -> tuple[str, ...]:
        """Return the names of triggers whose statement is not the one that made them, or that nobody made."""
        rows = connection.execute(text("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"))
        found = {row.name: row.sql for row in rows}
        names = dict.fromkeys((*CREATE_TRIGGERS, *sorted(found)))
        return tuple(name for name in names if found.get(name) != CREATE_TRIGGERS.get(name))

    def damages(self, connection: "Connection") -> tuple[str, ...]:
        """Return what SQLite's own check of the file finds, indices included."""
        rows = connection.execute(text("PRAGMA integrity_check(10)")).scalars()
        return tuple(str(row) for row in rows if row != "ok")

    def translate(self, error: Exception) -> QidguardError:
        """Return what to say of an error of SQLite or of the file system."""
        cause = error.orig if isinstance(error, DBAPIError) else error
        if isinstance(cause, OSError):
            reason = (
                f"the system says {cause.strerror or type(cause).__name__!r}; give access or another place"
            )
            return LedgerError(f"the ledger at {self.shown} cannot be used: {reason}")
        # SQLite quotes a damaged schema in its error, and Python fails to read that
        name = "SQLITE_CORRUPT" if isinstance(cause, UnicodeDecodeError) else _name(cause)
        if name == "SQLITE_NOTADB":
            return NoLedgerError(f"the file {self.shown!r} is no ledger of qidguard; name another")
        if name == "SQLITE_CANTOPEN" and len(os.fsencode(self.path)) > _LONGEST_PATH_BYTES:
            return UserError(
                f"the ledger at {self.shown} cannot be used: SQLite takes no path this long; name a"
                " shorter one"
            )
        reason = _REASONS.get(name, f"SQLite says {name}; look after the file").format(
            seconds=self._lock_seconds
        )
        return LedgerError(f"the ledger at {self.shown} cannot be used: {reason}")


def _begin(connection: "Connection") -> None:
    is_writing = connection.get_execution_options().get("ledger_is_writing")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if is_writing else "BEGIN")


def _text(stored: bytes) -> str:
    """Read a text even where somebody wrote bytes that are none; its hash will not match."""
    return stored.decode("utf-8", "surrogateescape")


def _name(error: BaseException | None) -> str:
    """Return SQLite's primary error, such as SQLITE_BUSY for SQLITE_BUSY_SNAPSHOT."""
    name = getattr(error, "sqlite_errorname", "an unknown error")
    return "_".join(name.split("_")[:2])
