"""A ledger on a PostgreSQL server."""

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import NullPool, create_engine, text
from sqlalchemy.exc import DBAPIError, ProgrammingError

from qidguard.core.errors import QidguardError, UserError
from qidguard.ledger.error import ConnectionLostError, LedgerError, NoLedgerError

if TYPE_CHECKING:
    from sqlalchemy import URL, Connection, Engine


_TABLES = ("entry", "attachment")
_BODY = " BEGIN RAISE EXCEPTION 'the ledger is append-only'; END "
_FUNCTION = "qidguard_ledger_refuse"
_TRIGGERS = (
    ("no_change", "UPDATE OR DELETE", "ROW", 1 | 2 | 8 | 16),  # for each row, before, delete, update
    ("no_truncate", "TRUNCATE", "STATEMENT", 2 | 32),  # before, truncate
)
"""Name, event, how often it is asked, and the bits by which the server tells it."""

CREATE_TRIGGERS: Final = (
    f"CREATE FUNCTION {_FUNCTION}() RETURNS trigger LANGUAGE plpgsql AS $${_BODY}$$",
    *(
        f"CREATE TRIGGER {table}_{name} BEFORE {event} ON {table}"
        f" FOR EACH {each} EXECUTE FUNCTION {_FUNCTION}()"
        for name, event, each, _ in _TRIGGERS
        for table in _TABLES
    ),
)

_EXPECTED = ", ".join(
    f"('{table}', '{table}_{name}', {bits})" for table in _TABLES for name, _, _, bits in _TRIGGERS
)

_NAMES = ", ".join(f"'{table}_{name}'" for table in _TABLES for name, *_ in _TRIGGERS)

FIND_TRIGGERS: Final = f"""
SELECT expected.name
FROM (VALUES {_EXPECTED}) AS expected(relation, name, bits)
WHERE NOT EXISTS (
    SELECT 1
    FROM pg_trigger
    JOIN pg_class ON pg_class.oid = pg_trigger.tgrelid
    JOIN pg_proc ON pg_proc.oid = pg_trigger.tgfoid
    WHERE pg_class.relname = expected.relation
      AND pg_table_is_visible(pg_class.oid)
      AND pg_trigger.tgname = expected.name
      AND pg_trigger.tgtype = expected.bits
      AND pg_trigger.tgenabled IN ('O', 'A')
      AND pg_trigger.tgqual IS NULL
      AND cardinality(pg_trigger.tgattr::int2[]) = 0
      AND pg_proc.prosrc = '{_BODY.replace("'", "''")}'
)
UNION
SELECT pg_trigger.tgname::text
FROM pg_trigger
JOIN pg_class ON pg_class.oid = pg_trigger.tgrelid
WHERE pg_class.relname IN ('entry', 'attachment', 'chain_head')
  AND pg_table_is_visible(pg_class.oid)
  AND NOT pg_trigger.tgisinternal
  AND pg_trigger.tgname NOT IN ({_NAMES})
ORDER BY 1
"""  # noqa: S608 - every word of it stands in this file

STATE: Final = """
SELECT pg_class.oid::text, pg_class.relfilenode::text, pg_class.xmin::text,
    pg_stat_get_tuples_updated(pg_class.oid)::text, pg_stat_get_tuples_deleted(pg_class.oid)::text,
    (
        SELECT string_agg(concat_ws(' ', t.oid, t.xmin, t.tgenabled, p.xmin), ', ' ORDER BY t.oid)
        FROM pg_trigger AS t JOIN pg_proc AS p ON p.oid = t.tgfoid
        WHERE t.tgrelid = pg_class.oid
    )
FROM pg_class
WHERE pg_class.relname IN ('entry', 'attachment') AND pg_table_is_visible(pg_class.oid)
ORDER BY pg_class.relname
"""
"""What is another where a trigger was dropped, switched off or made anew, a table rewritten or a row changed.

The server counts changed rows a moment after they are committed.
"""


_CONNECT_SECONDS = 10

_PLACE_OPTIONS = ("dbname", "host", "hostaddr", "options", "port", "service")
"""Options of an address that say which database is meant, not who asks."""

_SCHEMA_LOCK = int.from_bytes(hashlib.sha256(b"qidguard ledger schema").digest()[:8], signed=True)

_REASONS: Final = {
    "55P03": "another process has kept it locked for more than {seconds:g} s; try again",
    "53100": "the server's disk is full; make room",
    "25006": "the server is read-only; give the address of the one that takes writes",
    "42501": "the user may not read or write there; let the server's owner grant it",
    "23": "the chain refuses the entry; run `qidguard history --check`",
    "42P01": "a table of it is gone; restore it from a copy",
}
"""SQLSTATE or its beginning → why the ledger cannot be used, and the remedy."""


class PostgresqlDatabase:
    """A database of a PostgreSQL server; the row of ``chain_head`` is the lock that every writer takes first.

    Args:
        url: The address, with psycopg as its driver.
        lock_seconds: How long to wait for another writer, in seconds.
    """

    read_options: Mapping[str, Any] = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
    # each statement sees what was committed before it began, so also what another writer did before the lock
    write_options: Mapping[str, Any] = {"isolation_level": "READ COMMITTED"}
    create_triggers = CREATE_TRIGGERS

    def __init__(self, url: "URL", lock_seconds: float) -> None:
        self._url = url
        self._lock_seconds = lock_seconds
        place = url.host or ""
        port = f":{url.port}" if url.port else ""
        self.shown = f"postgresql://{place}{port}/{url.database or ''}"
        further = "".join(f" {name}={url.query[name]}" for name in _PLACE_OPTIONS if name in url.query)
        self.identity = self.shown + further

    def is_there(self) -> bool:
        """Whether there is a server is found out by connecting."""
        return True

    def prepare(self) -> None:
        """Do nothing: the server is somebody else's."""

    def engine(self) -> "Engine":
        """Return an engine; statements are not prepared, so that it works behind a pooler too."""
        settings: dict[str, Any] = {
            "connect_timeout": _CONNECT_SECONDS,
            "client_encoding": "utf8",
            "application_name": "qidguard",
        }
        chosen = {name: value for name, value in settings.items() if name not in self._url.query}
        try:
            return create_engine(
                self._url,
                poolclass=NullPool,
                hide_parameters=True,
                connect_args={**chosen, "prepare_threshold": None},
            )
        except ImportError:
            raise UserError(
                "a ledger on PostgreSQL needs the driver psycopg; pip install 'qidguard[postgresql]'"
            ) from None

    def begin_writing(self, connection: "Connection") -> None:
        """Set how long to wait for a lock, and that a commit is on disk before it is reported."""
        connection.execute(
            text("SELECT set_config('lock_timeout', :milliseconds, true)"),
            {"milliseconds": str(max(1, round(self._lock_seconds * 1000)))},
        )
        connection.execute(
            text(
                "SELECT set_config('synchronous_commit', 'on', true)"
                " WHERE current_setting('synchronous_commit') = 'off'"
            )
        )

    def lock_schema(self, connection: "Connection") -> None:
        """Take the advisory lock of migrations until the transaction ends."""
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _SCHEMA_LOCK})

    def check_vacant(self, connection: "Connection") -> None:
        """Raise UserError when the database is not UTF-8 or has tables of these names."""
        encoding = connection.execute(text("SHOW server_encoding")).scalar_one()
        if encoding != "UTF8":
            raise UserError(
                f"the database of a ledger is encoded in UTF8, and {self.shown} in {encoding}; make another"
            )
        taken = connection.execute(
            text(
                "SELECT relname FROM pg_class WHERE relname IN ('entry', 'attachment', 'chain_head')"
                " AND pg_table_is_visible(oid) ORDER BY relname"
            )
        ).scalars()
        names = ", ".join(taken)
        if names:
            raise NoLedgerError(
                f"{self.shown} has tables of something else ({names}) where the ledger would have its own;"
                " give it a database or, by ?options=-csearch_path%3Dname, a schema of its own"
            )

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep nobody out: a server's own locks are enough."""
        yield

    def state(self, connection: "Connection") -> str | None:
        """Return which tables and triggers there are, and how often the server counted a row as changed."""
        rows = connection.execute(text(STATE)).all()
        return hashlib.sha256(repr([tuple(row) for row in rows]).encode()).hexdigest()

    def state_after(self, state: str | None) -> str | None:
        """Return the same: an append changes no row but the head."""
        return state

    def other_triggers(self, connection: "Connection") -> tuple[str, ...]:
        """Return the names of triggers that are gone, switched off, call another function, or are more."""
        return tuple(connection.execute(text(FIND_TRIGGERS)).scalars())

    def damages(self, connection: "Connection") -> tuple[str, ...]:
        """Return nothing: a server looks after its own files."""
        _ = connection
        return ()

    def translate(self, error: Exception) -> QidguardError:
        """Return what to say of an error of the server or the driver."""
        state = str(getattr(getattr(error, "orig", None), "sqlstate", None) or "")
        if isinstance(error, DBAPIError) and error.connection_invalidated:
            return ConnectionLostError(
                f"the ledger at {self.shown} cannot be used: the connection was lost; run again, which does"
                " not record twice"
            )
        for beginning, reason in _REASONS.items():
            if state.startswith(beginning):
                said = reason.format(seconds=self._lock_seconds)
                return LedgerError(f"the ledger at {self.shown} cannot be used: {said}")
        if not state and isinstance(error, ProgrammingError):
            return UserError(
                f"the address of the ledger at {self.shown} has an option that PostgreSQL does not know;"
                " correct what follows the question mark"
            )
        if not state:  # a connection that was never made has none, whatever was wrong with it
            return LedgerError(
                f"the ledger at {self.shown} cannot be reached; check the address, the user and that the"
                " server runs"
            )
        return LedgerError(
            f"the ledger at {self.shown} cannot be used: the server reports error {state}; ask its owner"
        )
