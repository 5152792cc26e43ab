"""Where a ledger is: a file path or a URL, as the user writes it."""

import re
from pathlib import Path
from typing import Final

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from qidguard.core.address import shown_address
from qidguard.core.errors import UserError
from qidguard.core.system import why
from qidguard.ledger.databases.postgresql import PostgresqlDatabase
from qidguard.ledger.databases.sqlite import SqliteDatabase
from qidguard.ledger.store import Database

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_SQLITE: Final = frozenset({"sqlite", "sqlite+pysqlite"})
_POSTGRESQL: Final = frozenset({"postgresql", "postgres", "postgresql+psycopg"})


def database_at(url: str, *, lock_seconds: float) -> Database:
    """Return the database that a URL or a file path means; nothing is opened yet.

    Raises:
        UserError: When it means none; the message shows the scheme alone, for the rest may hold a password.
    """
    found = _SCHEME.match(url)
    if found is None:
        return _file(url, lock_seconds)
    scheme = found[1].lower()
    if scheme not in _SQLITE | _POSTGRESQL:
        raise UserError(
            f"a ledger is in SQLite or PostgreSQL, not {scheme!r}; write a file path, sqlite:///path or"
            " postgresql://host/database"
        )
    parsed = _parsed(url, scheme)
    if scheme in _POSTGRESQL:
        return PostgresqlDatabase(parsed.set(drivername="postgresql+psycopg"), lock_seconds)
    if parsed.host or parsed.query or not parsed.database:
        raise UserError(
            "the URL of a ledger in SQLite is sqlite:/// and the path of a file, nothing more; correct it"
        )
    return _file(parsed.database, lock_seconds)


def ledger_file(url: str) -> Path | None:
    """Return the file that a URL or a path means, absolute; None for a database that is none.

    Example:
        >>> ledger_file("sqlite:////srv/ledger.db").as_posix(), ledger_file("postgresql://host/books")
        ('/srv/ledger.db', None)
    """
    database = database_at(url, lock_seconds=1.0)
    return database.path if isinstance(database, SqliteDatabase) else None


def _parsed(url: str, scheme: str) -> URL:
    if url.partition("?")[0].count("@") > 1:
        raise UserError(
            f"the URL of the ledger beginning with {scheme}:// has more than one @; write one in a password"
            " as %40"
        )
    try:
        return make_url(url)
    except (ArgumentError, ValueError):
        raise UserError(
            f"the URL of the ledger beginning with {scheme}:// cannot be read; write host, port and database"
            " like postgresql://host:5432/database"
        ) from None


def _file(path: str, lock_seconds: float) -> Database:
    if shown_address(path) != path:
        raise UserError(
            f"the ledger {shown_address(path)!r} is no path of a file; write one, or"
            " postgresql://host/database"
        )
    if not path or path == ":memory:" or "\0" in path:
        raise UserError(f"a ledger needs a file that lasts, and {path!a} is none; name one")
    try:
        is_folder = Path(path).is_dir()
    except OSError as error:  # a name that is too long
        raise UserError(f"the ledger {path!r} cannot be a file ({why(error)}); name another") from None
    if is_folder:
        raise UserError(f"a ledger in SQLite is a file, and {path!r} is a folder; name a file in it")
    return SqliteDatabase(Path(path), lock_seconds)
