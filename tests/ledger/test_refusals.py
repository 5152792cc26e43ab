"""The database itself refuses to change what stands in the ledger."""

import sqlite3

import psycopg
import pytest

from qidguard.ledger import open_ledger

REFUSED = "the ledger is append-only"


@pytest.fixture(autouse=True)
def _filled(url, new):
    with open_ledger(url) as ledger:
        ledger.append(new(), attachments=[b"x"])
        yield
        assert ledger.check() == ()


@pytest.mark.parametrize("statement", [
    "UPDATE entry SET payload = '{}'",
    "UPDATE entry SET sequence = 2",
    "DELETE FROM entry",
    "UPDATE attachment SET content = digest",
    "DELETE FROM attachment",
])  # fmt: skip
def test_changes_are_refused(raw, statement):
    """UPDATE and DELETE of entries and attachments fail, whoever tries."""
    statement = statement if raw.is_sqlite else statement.replace("= digest", "= digest::bytea")
    with pytest.raises((sqlite3.IntegrityError, psycopg.errors.RaiseException), match=REFUSED):
        raw.execute(statement)


@pytest.mark.parametrize("table", ["entry", "attachment"])
def test_a_row_is_not_replaced_nor_a_table_emptied(raw, table):
    """The ways round UPDATE and DELETE are closed: INSERT OR REPLACE of SQLite, TRUNCATE of PostgreSQL."""
    statement = (
        f"INSERT OR REPLACE INTO {table} SELECT * FROM {table}" if raw.is_sqlite else f"TRUNCATE {table}"
    )
    with pytest.raises((sqlite3.IntegrityError, psycopg.errors.RaiseException), match=REFUSED):
        raw.execute(statement)


def test_the_chain_has_one_head(raw):
    """A second head is refused."""
    with pytest.raises((sqlite3.IntegrityError, psycopg.errors.CheckViolation)):
        raw.execute("INSERT INTO chain_head SELECT 2, sequence, hash FROM chain_head")
