"""Ways to write into a ledger's database behind its back, as an owner of the database could."""

import sqlite3
from contextlib import closing
from typing import Any


class Raw:
    """Writes into a ledger's database behind its back, as an owner of the database could."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.is_sqlite = not url.startswith("postgresql")

    def execute(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """Run a statement with ``?`` for values and return its rows."""
        if self.is_sqlite:
            path = self.url.removeprefix("sqlite:///")
            with closing(sqlite3.connect(path, isolation_level=None)) as connection:
                return connection.execute(statement, values).fetchall()
        import psycopg

        with psycopg.connect(self.url, autocommit=True) as connection:
            found = connection.execute(statement.replace("?", "%s"), values or None)
            return found.fetchall() if found.description else []

    def drop_triggers(self) -> None:
        """Take away what refuses changes."""
        if self.is_sqlite:
            names = self.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
            for (name,) in names:
                self.execute(f"DROP TRIGGER {name}")
        else:
            self.execute("DROP FUNCTION qidguard_ledger_refuse CASCADE")

    def without_triggers(self, *statements: str) -> None:
        """Run statements while nothing refuses them, and put everything back as it was."""
        if self.is_sqlite:
            kept = self.execute("SELECT sql FROM sqlite_master WHERE type = 'trigger'")
            self.drop_triggers()
            for statement in (*statements, *(sql for (sql,) in kept)):
                self.execute(statement)
            return
        changes = [f"ALTER TABLE {table} {{}} TRIGGER ALL" for table in ("entry", "attachment")]
        for statement in (
            *(change.format("DISABLE") for change in changes),
            *statements,
            *(change.format("ENABLE") for change in changes),
        ):
            self.execute(statement)

    def rebuild_without_constraints(self, table: str) -> None:
        """Put a table of the same content, without keys and triggers, in the place of one."""
        self.execute(f"CREATE TABLE copied AS SELECT * FROM {table}")
        self.execute(f"DROP TABLE {table}")
        self.execute(f"ALTER TABLE copied RENAME TO {table}")
