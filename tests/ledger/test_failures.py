"""When a database fails: one sentence, nothing half-written, and the next append works."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import event

from qidguard.core.errors import ExitCode, UserError
from qidguard.ledger import LedgerError, open_ledger
from qidguard.ledger.databases.sqlite import SqliteDatabase

SQLITE = pytest.mark.parametrize("databases", ["sqlite"], indirect=True)
POSTGRESQL = pytest.mark.parametrize(
    "databases", [pytest.param("postgresql", marks=pytest.mark.postgresql)], indirect=True
)


def refused(ledger, entry, words, **arguments):
    """Hold that an append is refused by one sentence of the ledger, and that nothing was written."""
    before = ledger.head()
    with pytest.raises(LedgerError, match=words) as raised:
        ledger.append(entry, **arguments)
    assert raised.value.exit_code == ExitCode.INTERNAL_ERROR
    assert "\n" not in str(raised.value)
    assert before == ledger.head()


def test_a_ledger_that_is_locked_too_long_is_said(url, new, raw):
    """Who holds the lock is waited for so long and no longer; afterward the entry is taken."""
    with open_ledger(url, lock_seconds=0.2) as ledger:
        ledger.append(new("a"))
        holder = (
            sqlite3.connect(url, isolation_level=None)
            if raw.is_sqlite
            else psycopg.connect(url, autocommit=True)
        )
        with closing(holder):
            holder.execute("BEGIN IMMEDIATE" if raw.is_sqlite else "BEGIN")
            holder.execute("UPDATE chain_head SET id = 1")
            refused(ledger, new("b"), r"has kept it locked for more than 0\.2 s; try again")
            holder.execute("ROLLBACK")
        assert ledger.append(new("b")).sequence == 2
        assert ledger.check() == ()


@SQLITE
def test_a_full_disk_is_said(url, new, monkeypatch):
    """SQLite's own limit stands for the disk's: the attachment does not fit, a smaller entry does."""
    connect = SqliteDatabase._connect

    def limited(self):
        connection = connect(self)
        connection.execute("PRAGMA max_page_count = 40")
        return connection

    monkeypatch.setattr(SqliteDatabase, "_connect", limited)
    with open_ledger(url) as ledger:
        refused(ledger, new("a"), "its disk is full; make room", attachments=[bytes(1_000_000)])
        assert ledger.append(new("a")).sequence == 1
        assert ledger.check() == ()


def reported(code, path, *options):
    """Return what a writer prints of its one append, after some code in its process."""
    writer = Path(__file__).parent / "support" / "writer.py"
    command = [sys.executable, *options, "-c", code, writer, "reporting", path, "a"]
    done = subprocess.run(command, input="go\n", capture_output=True, text=True, check=False)
    assert done.stdout.startswith("ready\n"), done.stderr
    return done.stdout.split("\n")[1]


@pytest.mark.slow
@SQLITE
@pytest.mark.parametrize(
    ("limit", "is_kept"), [(0, False), (4096, False), (20_000, False), (40_000, False), (1_000_000, True)]
)
def test_a_limit_on_file_sizes_is_said(url, new, limit, is_kept):
    """Wherever the system stops the writing: no ledger or a whole one, and the next writer goes on."""
    code = (
        "import resource, runpy, sys\n"
        "sys.argv = sys.argv[1:]\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))\n"
        "runpy.run_path(sys.argv[0], run_name='__main__')"
    )
    # without compiled files, which the limit would cut off for every later process
    printed = reported(code, url, "-B", "-W", "error")
    assert printed.startswith("a" if is_kept else f"LedgerError 3: the ledger at {url} cannot be")
    with open_ledger(url) as ledger:
        assert ledger.check() == ()
        assert ledger.append(new("b")).sequence == 1 + is_kept
        assert ledger.check() == ()


@pytest.mark.slow
@SQLITE
def test_a_read_only_folder_is_said(url, tmp_path):
    """Neither a new ledger nor an old one is written where the account may not; nothing is left there."""
    open_ledger(url).close()
    folder = tmp_path / "locked"
    folder.mkdir()
    old = folder / "old.db"
    old.write_bytes(Path(url).read_bytes())
    folder.chmod(0o500)
    # root may write anywhere, so the writer gives that up (capabilities 1 and 2) before it begins
    code = (
        "import ctypes, os, sys\n"
        "[ctypes.CDLL(None).prctl(24, capability) for capability in (1, 2)]\n"
        "os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
    )
    for path in (folder / "new.db", folder / "deeper" / "new.db", old):
        printed = reported(code, path)
        assert printed.startswith(f"LedgerError 3: the ledger at {path} cannot be used: ")
        assert "access" in printed
    folder.chmod(0o700)
    assert [old] == list(folder.iterdir())
    with open_ledger(str(old)) as ledger:
        assert ledger.head()[0] == 0


@SQLITE
def test_a_file_that_is_gone_or_damaged_is_said(url, new):
    """A removed file is not made again behind the user's back, a damaged one is not written."""
    with open_ledger(url) as ledger:
        ledger.append(new("a"))
        path = Path(url)
        content = path.read_bytes()
        path.write_bytes(content[:4096] + bytes(len(content) - 4096))
        with pytest.raises(LedgerError, match="its file is damaged; restore it from a copy"):
            ledger.append(new("b"))
        path.write_bytes(b"no database " * 1000)
        with pytest.raises(UserError, match="is no ledger of qidguard"):
            ledger.append(new("b"))
        path.unlink()
        with pytest.raises(LedgerError, match="is gone or may not be opened"):
            ledger.append(new("b"))
        assert not path.exists()


@SQLITE
def test_a_schema_that_is_no_text_is_said(url, new):
    """SQLite quotes it in its own error, which Python cannot read: the file is damaged."""
    with open_ledger(url) as ledger:
        ledger.append(new("a"))
    path = Path(url)
    content = path.read_bytes()
    assert b"CREATE TABLE entry" in content
    path.write_bytes(content.replace(b"CREATE TABLE entry", b"CREATE TA\xb9LE entry"))
    with pytest.raises(LedgerError, match="its file is damaged; restore it from a copy"):
        open_ledger(url, must_exist=True)


@SQLITE
def test_an_index_that_was_changed_is_found(url, new):
    """SQLite's own check of its file is part of the check."""
    with open_ledger(url) as ledger:
        ledger.append(new("a", data_set="x" * 150))
    path = Path(url)
    content = path.read_bytes()
    place = content.rindex(b"x" * 150)
    assert content.count(b"x" * 150) == 2
    path.write_bytes(content[:place] + b"y" + content[place + 1 :])
    with open_ledger(url) as ledger:
        assert ledger.check()


@POSTGRESQL
@pytest.mark.parametrize(("state", "words"), [
    ("53100", "the server's disk is full; make room"),
    ("25006", "the server is read-only"),
    ("42501", "the user may not read or write there"),
    ("XX000", "the server reports error XX000; ask its owner"),
])  # fmt: skip
def test_what_the_server_reports_is_said(url, new, raw, state, words):
    """A trigger that raises an error stands for the server's trouble, after the attachment was written."""
    with open_ledger(url) as ledger:
        ledger.append(new("before"))
        raw.execute(
            f"CREATE FUNCTION trouble() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            f" RAISE EXCEPTION 'secret' USING ERRCODE = '{state}'; END $$"
        )
        raw.execute("CREATE TRIGGER trouble BEFORE UPDATE ON chain_head EXECUTE FUNCTION trouble()")
        refused(ledger, new("a"), words, attachments=[b"x"])
        raw.execute("DROP FUNCTION trouble CASCADE")
        assert raw.execute("SELECT count(*) FROM attachment") == [(0,)]
        assert ledger.append(new("a"), attachments=[b"x"]).sequence == 2
        assert ledger.check() == ()


@POSTGRESQL
def test_a_read_only_server_is_said(url, new, raw):
    """A server that takes no writes can still be read."""
    with open_ledger(url) as ledger:
        name = url.split("?")[0].rsplit("/", maxsplit=1)[1]
        raw.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
        refused(ledger, new("a"), "the server is read-only")


def test_an_entry_that_the_chain_refuses_is_said(url, new, raw):
    """A forged row has taken the place behind the last entry, out of sight."""
    with open_ledger(url) as ledger:
        last = ledger.append(new("a"))
        raw.execute(
            "INSERT INTO entry SELECT -5, 'forged', kind, data_set, at, payload, attachments, hash, 'forged'"
            " FROM entry WHERE sequence = 1"
        )
        assert last.sequence == 1
        words = "does not hold: entry -5 stands before the first; run `qidguard history --check`"
        refused(ledger, new("b"), words, attachments=[b"x"])
        assert "entry -5 stands before the first" in ledger.check()
        assert raw.execute("SELECT count(*) FROM attachment") == [(0,)]


def test_tables_that_are_gone_are_said(url, new, raw):
    """Somebody dropped one while the ledger was open."""
    with open_ledger(url) as ledger:
        raw.execute("DROP TABLE chain_head")
        with pytest.raises(LedgerError, match="a table of it is gone"):
            ledger.append(new("a"))


@POSTGRESQL
def test_settings_of_the_server_do_not_weaken_the_ledger(url, new, raw):
    """Whatever isolation and durability are the database's defaults, a budget race and a commit stay safe."""
    name = url.split("?")[0].rsplit("/", maxsplit=1)[1]
    raw.execute(f"ALTER DATABASE {name} SET default_transaction_isolation = 'serializable'")
    raw.execute(f"ALTER DATABASE {name} SET synchronous_commit = off")
    found = []
    with open_ledger(url) as ledger:
        ledger.verified()

        @event.listens_for(ledger._store._engine, "commit")
        def _(connection):
            settings = ("transaction_isolation", "synchronous_commit")
            found.extend(connection.exec_driver_sql(f"SHOW {name}").scalar_one() for name in settings)

        ledger.append(new("a"))
    assert found == ["read committed", "on"]


def lose(dialect, times, *, is_kept):
    """Let a dialect's next commits lose their connection, before or after the server kept the change."""
    real = dialect.do_commit
    left = [times]

    def commit(connection):
        if not left[0]:
            return real(connection)
        left[0] -= 1
        if is_kept:
            real(connection)
        connection.dbapi_connection.close()
        raise psycopg.OperationalError("server closed the connection unexpectedly")

    dialect.do_commit = commit


@POSTGRESQL
@pytest.mark.parametrize("is_kept", [False, True])
def test_a_connection_lost_at_commit_records_once(url, new, is_kept):
    """Whether or not the server kept the change before it went away, the entry stands there once."""
    asked = []
    with open_ledger(url) as ledger:
        ledger.verified()
        lose(ledger._store._engine.dialect, 1, is_kept=is_kept)
        stored = ledger.append(new("a"), attachments=[b"x"], guard=asked.append)
        assert [stored] == list(ledger.entries())
        assert len(asked) == (1 if is_kept else 2)
        assert ledger.check() == ()


@POSTGRESQL
def test_a_connection_that_is_lost_twice_is_said(url, new):
    """After a second loss the user is told to run again, which records once."""
    with open_ledger(url) as ledger:
        lose(ledger._store._engine.dialect, 2, is_kept=False)
        with pytest.raises(
            LedgerError, match="the connection was lost; run again, which does not record twice"
        ):
            ledger.append(new("a"))
        assert list(ledger.entries()) == []
        assert ledger.append(new("a")).sequence == 1


@POSTGRESQL
def test_a_server_that_ends_the_connection_is_asked_again(url, new, raw):
    """A connection that the server ends in the middle of an append is made anew."""
    ended = []

    def guard(reader):
        reader.entry("a")
        if not ended:
            ended.extend(
                raw.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE application_name = 'qidguard' AND datname = current_database()"
                )
            )

    with open_ledger(url) as ledger:
        assert ledger.append(new("a"), guard=guard).sequence == 1
        assert ended == [(True,)]
        assert ledger.check() == ()
