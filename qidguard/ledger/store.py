"""Transactions of the ledger: each on a connection of its own, each error said in words of its own."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sqlalchemy.exc import DBAPIError

from qidguard.core.errors import InternalError
from qidguard.ledger.databases.base import Database

if TYPE_CHECKING:
    from sqlalchemy import Connection


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
    def _begun(self, options: "Mapping[str, Any]") -> "Iterator[Connection]":
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
