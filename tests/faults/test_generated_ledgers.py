"""Generated damage to ledgers on both databases: the check tells of it or refuses, and nothing else."""

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from generated import SECRET, generated
from mutation import PIECES, Mutator
from postgres import postgres_server
from qidguard.core.errors import QidguardError
from qidguard.ledger import NewEntry, open_ledger
from qidguard.ledger.anchors import Anchors

__all__ = ["postgres_server"]
pytestmark = [pytest.mark.faults, pytest.mark.timeout(36_000)]

COLUMNS = {
    "entry": (
        *("sequence", "id", "kind", "data_set", "at", "payload", "attachments", "previous_hash"),
        "hash",
    ),
    "attachment": ("digest", "content"),
    "chain_head": ("sequence", "hash"),
}
KEYS = {"entry": "sequence", "attachment": "digest", "chain_head": "id"}
WORDS = ("audited", "released", "withdrawn", "d", "e", "e0", "e1", "", "2026-01-01T00:00:00Z", "0" * 64, "{}")
ODD: tuple[Any, ...] = (*PIECES, *WORDS, None, -1, 0, 2, 99, 10**15, 2.5, b"\xff\x00")

Run = Callable[[str, Sequence[Any]], list[tuple[Any, ...]]]
"""Runs a statement with ``?`` for values; RuntimeError where the database refuses it."""


def write_ledger(url: str, anchors: Path) -> None:
    """Make a ledger of four entries and their attachments."""
    with open_ledger(url, anchors=anchors) as ledger:
        for i in range(4):
            payload = {"k": i, "text": SECRET, "list": [1, None, {"a": "b"}]}
            new = NewEntry(id=f"e{i}", kind="audited", data_set="d", at=datetime.now(UTC), payload=payload)
            ledger.append(new, attachments=[bytes([i])])


def damage(run: Run, mutator: Mutator) -> str:
    """Change a cell, relabel or exchange rows, or take some away; return how."""
    draw = mutator.draw
    table = draw.choice(["entry", "entry", "entry", "attachment", "chain_head"])
    key, column = KEYS[table], draw.choice(COLUMNS[table])
    keys = [row[0] for row in run(f"SELECT {key} FROM {table} ORDER BY {key}", ())]
    one, other = draw.choice(keys), draw.choice(keys)
    match draw.randrange(6):
        case 0:
            run(f"DELETE FROM {table} WHERE {key} = ?", (one,))
            return "a row taken away"
        case 1:
            run(f"DELETE FROM {table} WHERE {key} >= ?", (one,))
            return "rows cut off"
        case 2 if one != other:
            return _exchange(run, table, column, (one, other))
        case 3 if table == "entry":
            sequence, found = run("SELECT sequence, hash FROM entry WHERE sequence = ?", (one,))[0]
            run("DELETE FROM entry WHERE sequence > ?", (one,))
            run("UPDATE chain_head SET sequence = ?, hash = ?", (sequence, found))
            return "cut off with its head" if one != keys[-1] else ""
        case _:
            return _set(run, table, column, one, draw.choice(ODD))


def _cell(run: Run, table: str, column: str, row: Any) -> Any:
    found = run(f"SELECT {column} FROM {table} WHERE {KEYS[table]} = ?", (row,))
    return found[0][0] if found else None


def _put(run: Run, table: str, column: str, row: Any, value: Any) -> None:
    run(f"UPDATE {table} SET {column} = ? WHERE {KEYS[table]} = ?", (value, row))


def _exchange(run: Run, table: str, column: str, rows: tuple[Any, Any]) -> str:
    """Exchange the cells of two rows; by way of a third value where each may stand there once only."""
    one, other = (_cell(run, table, column, row) for row in rows)
    if one == other:
        return ""
    if column == KEYS[table]:
        for old, new in ((one, f"{one}0"), (other, one), (f"{one}0", other)):
            _put(run, table, column, old, type(one)(new))
    else:
        for row, new in ((rows[0], type(one)()), (rows[1], one), (rows[0], other)):
            _put(run, table, column, row, new)
    return f"{column} of two rows exchanged"


def _set(run: Run, table: str, column: str, row: Any, value: Any) -> str:
    """Set a cell; where the database refuses the value, take the row away."""
    before = _column(run, table, column)
    try:
        _put(run, table, column, row, value)
    except RuntimeError:
        run(f"DELETE FROM {table} WHERE {KEYS[table]} = ?", (row,))
        return "a row taken away"
    return "" if _column(run, table, column) == before else f"{column} set"


def _column(run: Run, table: str, column: str) -> list[str]:
    return sorted(repr(row) for row in run(f"SELECT {column} FROM {table}", ()))


def look(url: str, anchors: Path, how: str) -> str:
    """Return what the check finds, which tells of any damage; where it finds some, reading is refused."""
    with open_ledger(url, anchors=anchors, must_exist=True) as ledger:
        faults = ledger.check()
        assert bool(faults) >= bool(how), how
        with suppress(QidguardError):
            list(ledger.unverified.entries())
        list(ledger.entries())
        assert not faults, f"read although the check says {faults[0]}"
    return " ".join(faults)


def test_ledgers(tmp_path):
    """On SQLite: bytes of the file, and cells and rows, with what this machine has seen."""
    whole, seen = tmp_path / "whole.db", tmp_path / "whole.jsonl"
    write_ledger(str(whole), seen)
    with closing(sqlite3.connect(whole)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = whole.read_bytes()
    last = Anchors(seen, f"sqlite:{whole.resolve()}").seen()
    path, anchors = tmp_path / "changed.db", tmp_path / "changed.jsonl"

    def act(mutator: Mutator, number: int) -> str:
        for beside in tmp_path.glob("changed.db*"):
            beside.unlink()
        how = ""
        path.write_bytes(content if number % 3 else mutator.content(content))
        anchors.unlink(missing_ok=True)
        Anchors(anchors, f"sqlite:{path.resolve()}").remember(last)
        if number % 3:
            with closing(sqlite3.connect(path, isolation_level=None)) as connection:
                triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
                kept = dict(triggers.fetchall())
                for name in kept:
                    connection.execute(f"DROP TRIGGER {name}")

                def run(statement: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
                    try:
                        return connection.execute(statement, values).fetchall()
                    except sqlite3.Error as error:
                        raise RuntimeError(str(error)) from error

                how = damage(run, mutator)
                for statement in kept.values():
                    connection.execute(statement)
        return look(str(path), anchors, how)

    generated("ledgers", act)


def test_ledgers_on_postgresql(tmp_path, postgres_server):
    """The same cells and rows, while the triggers that would refuse it are switched off."""
    import psycopg

    url, anchors = postgres_server.create_database(), tmp_path / "anchors.jsonl"
    write_ledger(url, anchors)
    seen = anchors.read_bytes()
    with psycopg.connect(url, autocommit=True) as connection:
        for table in KEYS:
            connection.execute(f"CREATE TABLE whole_{table} AS SELECT * FROM {table}")

        def run(statement: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
            try:
                found = connection.execute(statement.replace("?", "%s"), values or None)
                return found.fetchall() if found.description else []
            except (psycopg.Error, ValueError) as error:
                raise RuntimeError(str(error)) from error

        def act(mutator: Mutator, number: int) -> str:  # noqa: ARG001 - as all of them
            for table in KEYS:
                connection.execute(f"ALTER TABLE {table} DISABLE TRIGGER ALL")
                connection.execute(f"DELETE FROM {table}")
                connection.execute(f"INSERT INTO {table} SELECT * FROM whole_{table}")
            how = damage(run, mutator)
            for table in KEYS:
                connection.execute(f"ALTER TABLE {table} ENABLE TRIGGER ALL")
            anchors.write_bytes(seen)
            return look(url, anchors, how)

        generated("ledgers on PostgreSQL", act)
    postgres_server.drop_database(url)
