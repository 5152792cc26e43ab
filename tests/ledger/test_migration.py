"""Migrations: what they make is what the code expects, and an older or newer ledger is recognized."""

import shutil

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from qidguard.core.errors import UserError
from qidguard.ledger import open_ledger, opening
from qidguard.ledger.schema import METADATA, VERSION_TABLE

SECOND = '''
"""A second revision."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade():
    op.add_column("chain_head", sa.Column("note", sa.Text, server_default="from 0004"))
'''


@pytest.fixture
def newer(tmp_path):
    """Let the code be that of a newer version, with a second revision, while it is entered."""
    folder = tmp_path / "100%migrations"
    shutil.copytree(opening.FOLDER, folder)
    (folder / "versions" / "0004_second.py").write_text(SECOND)

    def enter(context):
        context.setattr(opening, "FOLDER", folder)
        context.setattr(opening, "NEWEST", "0004")

    return enter


def test_migrations_end_where_the_code_begins():
    """The last revision in the folder is the one that the code reads and writes, and there is one end."""
    assert ScriptDirectory(str(opening.FOLDER)).get_heads() == [opening.NEWEST]


def test_tables_are_as_the_code_says(url):
    """Alembic finds no difference between a ledger and the code's tables."""
    with open_ledger(url) as ledger, ledger._store.read() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
        assert compare_metadata(context, METADATA) == []


def test_the_comparison_can_fail(url, raw):
    """A further column and a missing index are differences that the test above would see."""
    with open_ledger(url) as ledger, ledger._store.read() as connection:
        raw.execute("DROP INDEX ix_entry_kind")
        raw.execute("ALTER TABLE attachment ADD COLUMN more TEXT")
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
        assert sorted(d[0] for d in compare_metadata(context, METADATA)) == ["add_index", "remove_column"]


def test_an_older_ledger_is_migrated(url, new, raw, newer, monkeypatch):
    """Its entries and its chain stay, and the new column is there; also where it must exist."""
    with open_ledger(url) as ledger:
        stored = ledger.append(new("a"), attachments=[b"x"])
    with monkeypatch.context() as context:
        newer(context)
        with open_ledger(url, must_exist=True) as ledger:
            assert [stored] == list(ledger.entries())
            assert ledger.append(new("b")).sequence == 2
            assert ledger.check() == ()
    assert raw.execute("SELECT note FROM chain_head") == [("from 0004",)]
    assert raw.execute(f"SELECT version_num FROM {VERSION_TABLE}") == [("0004",)]


@pytest.mark.parametrize("revision", ["0001", "0002"])
def test_a_ledger_of_the_first_revisions_goes_on(url, new, raw, newer, monkeypatch, revision):
    """Their tables were the same: the ledger is read, written, and changed by what comes later."""
    with open_ledger(url) as ledger:
        stored = ledger.append(new("a"))
    raw.execute(f"UPDATE {VERSION_TABLE} SET version_num = '{revision}'")
    with open_ledger(url, must_exist=True) as ledger:
        assert [stored] == list(ledger.entries())
        assert ledger.check() == ()
    assert raw.execute(f"SELECT version_num FROM {VERSION_TABLE}") == [("0003",)]
    raw.execute(f"UPDATE {VERSION_TABLE} SET version_num = '{revision}'")
    with monkeypatch.context() as context:
        newer(context)
        open_ledger(url).close()
    assert raw.execute("SELECT note FROM chain_head") == [("from 0004",)]


def test_a_newer_ledger_is_not_touched(url, new, newer, monkeypatch):
    """A ledger of a newer qidguard is neither read nor written by this one."""
    with monkeypatch.context() as context:
        newer(context)
        with open_ledger(url) as ledger:
            ledger.append(new("a"))
    for must_exist in (False, True):
        with pytest.raises(UserError, match=r"made by a newer qidguard \(revision '0004'\); install a newer"):
            open_ledger(url, must_exist=must_exist)


def test_a_ledger_before_its_first_revision_is_none(url, raw):
    """A version table without a revision is what a killed first opening of another tool could leave."""
    raw.execute(f"CREATE TABLE {VERSION_TABLE} (version_num VARCHAR(32) NOT NULL PRIMARY KEY)")
    with pytest.raises(UserError, match="there is no ledger"):
        open_ledger(url, must_exist=True)
    with open_ledger(url) as ledger:
        assert ledger.check() == ()


def test_a_migration_that_fails_leaves_the_ledger_as_it_was(url, new, raw, newer, monkeypatch):
    """What it had changed before is undone, on SQLite too."""
    with open_ledger(url) as ledger:
        ledger.append(new("a"))
    with monkeypatch.context() as context:
        newer(context)
        second = opening.FOLDER / "versions" / "0004_second.py"
        second.write_text(SECOND + "    raise RuntimeError('in the middle')\n")
        with pytest.raises(RuntimeError, match="in the middle"):
            open_ledger(url)
    with open_ledger(url, must_exist=True) as ledger:
        assert ledger.check() == ()
        assert ledger.append(new("b")).sequence == 2
    with pytest.raises(Exception, match="note"):
        raw.execute("SELECT note FROM chain_head")
