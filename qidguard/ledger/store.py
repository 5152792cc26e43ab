"""What the ledger asks of its database, and transactions in it, each on a connection of its own."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from sqlalchemy.exc import DBAPIError

from qidguard.core.errors import InternalError

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from sqlalchemy import Connection, Engine

    from qidguard.core.errors import QidguardError


class Database(Protocol):
    """One place where a ledger can be."""

    shown: str
    """What messages call it: no user, no password."""

    identity: str
    """The same text for the same place, however it is written: no user, no password."""

    read_options: Mapping[str, Any]
    """Execution options of a transaction that reads one consistent state."""

    write_options: Mapping[str, Any]
    """Execution options of a transaction that writes."""

    create_triggers: tuple[str, ...]
    """Statements that make the database refuse changes, run where a ledger is made."""

    def is_there(self) -> bool:
        """Whether there is anything to look into."""

    def prepare(self) -> None:
        """Make what a first connection needs."""

    def engine(self) -> "Engine":
        """Return an engine without pooled connections, so that a fork or a restarted server does no harm."""

    def begin_writing(self, connection: "Connection") -> None:
        """Say how long to wait for a lock, at the beginning of a transaction that writes."""

    def lock_schema(self, connection: "Connection") -> None:
        """Wait until no other process migrates; the lock ends with the transaction."""

    def check_vacant(self, connection: "Connection") -> None:
        """Raise UserError unless a new ledger may be made here."""

    def alone(self) -> "AbstractContextManager[None]":
        """Keep other processes of this machine out, where one that only reads may change the state."""

    def state(self, connection: "Connection") -> str | None:
        """Return what is another text after any change but an append; None where nobody can tell."""

    def state_after(self, state: str | None) -> str | None:
        """Return the state after a transaction that appended is over, of which ``state`` was that before."""

    def other_triggers(self, connection: "Connection") -> tuple[str, ...]:
        """Return the names of triggers that are gone, switched off or changed, and of any that are more."""

    def damages(self, connection: "Connection") -> tuple[str, ...]:
        """Return what the database finds wrong with its own file."""

    def translate(self, error: Exception) -> "QidguardError":
        """Return what to say of a driver's error; the driver's own words stay out, they name users."""


class LedgerStore:
    """A database and the ways to begin a transaction in it.

    Args:
        database: Where the ledger is.

    Raises:
        UserError: When the database's driver is not installed.
    """

    def __init__(self, database: Database) -> None:
        self.database = database
        self._engine = database.engine()
        self._is_open = True

    @contextmanager
    def read(self) -> "Iterator[Connection]":
        """Give a connection that sees one consistent state until the end, while no other process is there."""
        with self.database.alone(), self.read_long() as connection:
            yield connection

    @contextmanager
    def read_long(self) -> "Iterator[Connection]":
        """Give such a connection for something that takes long, beside which others write."""
        with self._begun(self.database.read_options) as connection:
            yield connection

    @contextmanager
    def write(self) -> "Iterator[Connection]":
        """Give a connection whose changes are all kept at the end, or none; who asks is alone already."""
        with self._begun(self.database.write_options) as connection:
            self.database.begin_writing(connection)
            yield connection

    @contextmanager
    def _begun(self, options: Mapping[str, Any]) -> "Iterator[Connection]":
        if not self._is_open:
            raise InternalError(f"the ledger at {self.database.shown} is closed; open it again")
        try:
            with self._engine.connect() as plain:
                connection = plain.execution_options(**options)
                with connection.begin():
                    yield connection
        except (DBAPIError, UnicodeDecodeError) as error:
            raise self.database.translate(error) from None

    def close(self) -> None:
        """Close for good; a second call does nothing."""
        self._is_open = False
        self._engine.dispose()
