"""Private connections for work on copies; one is kept for the next piece, since opening one takes a while."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from qidguard.engines.base import EngineSettings
from qidguard.engines.duckdb.connection import Connection, connect, taken_up
from qidguard.engines.sql.identifier import quote

_OWN_DATABASES = {"memory", "system", "temp"}


class Lender:
    """Lends private, unlocked connections that keep the order of what they read.

    One that comes back without a fault is emptied and kept, as long as a snapshot holds on to the lender; no
    file of it is left meanwhile.

    Args:
        settings: The limits of each connection.
    """

    def __init__(self, settings: EngineSettings) -> None:
        self.settings = settings
        self._kept: list[Connection] = []
        self._holders = 0
        self._lock = threading.Lock()
        self._process = os.getpid()

    def hold(self) -> None:
        """Keep a connection from now on; each holder lets go once."""
        with self._lock:
            self._holders += 1

    def let_go(self) -> None:
        """Keep none any more where this was the last who held on."""
        with self._lock:
            self._holders -= 1
            closed = [] if self._holders else self._taken()
        for connection in closed:
            connection.close()

    @contextmanager
    def lent(self) -> Iterator[Connection]:
        """Give a connection for one piece of work; whatever fails closes it."""
        connection = self._connected()
        try:
            connection.duckdb.execute("SET preserve_insertion_order = true")
            yield connection
            is_empty = _emptied(connection)
            connection.lay_down()
        except BaseException:
            connection.close()
            raise
        with self._lock:
            is_kept = is_empty and self._holders > 0 and not self._kept and self._process == os.getpid()
            if is_kept:
                self._kept.append(connection)
        if not is_kept:
            connection.close()

    def _connected(self) -> Connection:
        """Return the kept connection, or else a new one."""
        with self._lock:
            kept = self._taken()
        for connection in kept:
            try:
                again = taken_up(connection, self.settings)
            except BaseException:
                connection.close()
                raise
            if again is not None:
                return again
            connection.close()
        return connect(self.settings)

    def _taken(self) -> list[Connection]:
        """Take the kept connection, if there is one; a copy of this process has none of its own."""
        if self._process != os.getpid():
            return []
        taken, self._kept = self._kept, []
        return taken


def _emptied(connection: Connection) -> bool:
    """Drop the tables of a piece of work; whether nothing else is left of it."""
    database = connection.duckdb
    [(views, attached)] = database.execute(
        "SELECT (SELECT count(*) FROM duckdb_views() WHERE NOT internal),"
        " (SELECT list(database_name) FROM duckdb_databases())"
    ).fetchall()
    if views or not set(attached) <= _OWN_DATABASES:
        return False
    for catalog, name in database.execute("SELECT database_name, table_name FROM duckdb_tables()").fetchall():
        database.execute(f"DROP TABLE {quote(catalog)}.main.{quote(name)}")
    return True
