"""Opening a ledger: where it may be, what stands there, and what messages show."""

import os
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from qidguard.core.errors import ExitCode, UserError
from qidguard.ledger import LedgerError, open_ledger

SQLITE = pytest.mark.parametrize("databases", ["sqlite"], indirect=True)
POSTGRESQL = pytest.mark.parametrize("databases", ["postgresql"], indirect=True)


@pytest.mark.slow
def test_the_package_is_light():
    """Importing it imports no database library; asking for a name that is not there says so."""
    code = (
        "import sys, qidguard.ledger as l\n"
        "assert not {'sqlalchemy', 'alembic', 'psycopg'} & set(sys.modules)\n"
        "l.open_ledger, l.Ledger\n"
        "assert 'sqlalchemy' in sys.modules and not {'alembic', 'psycopg'} & set(sys.modules)\n"
        "try:\n    l.nothing\nexcept AttributeError as e:\n    print(e)"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == "module 'qidguard.ledger' has no attribute 'nothing'\n"


@pytest.mark.parametrize("is_there", [False, True])
def test_a_ledger_is_made_and_found_again_unless_it_must_exist(url, raw, new, is_there):
    """Else the message names the place and where ledgers come from; an empty file is no ledger yet."""
    if is_there and raw.is_sqlite:
        Path(url).touch()
    with pytest.raises(UserError, match=r"there is no ledger at .*; a release makes one"):
        open_ledger(url, must_exist=True)
    if not raw.is_sqlite:
        assert raw.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == [(0,)]
    else:
        assert Path(url).exists() == is_there
    with open_ledger(url) as ledger:
        stored = ledger.append(new())
    with open_ledger(url, must_exist=True) as ledger:
        assert stored == ledger.entry("e1")


@SQLITE
def test_a_new_file_is_private(tmp_path, new, databases):
    """The file has mode 0600, each new folder 0700, whatever the process lets others do."""
    assert databases.kind == "sqlite"
    before = os.umask(0)
    try:
        with open_ledger(f"{tmp_path}/x/y z?#%20/ledger.db") as ledger:
            ledger.append(new())
            paths = [tmp_path / "x", *(tmp_path / "x").rglob("*")]
            modes = {path: stat.S_IMODE(path.stat().st_mode) for path in paths}
    finally:
        os.umask(before)
    assert {0o700} == {mode for path, mode in modes.items() if path.is_dir()}
    assert {0o600} == {mode for path, mode in modes.items() if path.is_file()}
    assert (tmp_path / "x" / "y z?#%20" / "ledger.db").is_file()


@SQLITE
def test_a_path_and_its_url_are_one_ledger(url, new, tmp_path, monkeypatch):
    """An absolute path, a relative one and both URLs lead to the same file, and to one anchor."""
    monkeypatch.chdir(tmp_path)
    anchors = tmp_path / "anchors.json"
    name = Path(url).name
    places = [url, name, f"sqlite:///{url}", f"sqlite:///{name}", f"sqlite+pysqlite:///{name}"]
    for i, place in enumerate(places):
        with open_ledger(place, anchors=anchors) as ledger:
            assert ledger.append(new(f"e{i}")).sequence == i + 1
    assert anchors.read_text().count('"sequence"') == 1


@SQLITE
def test_a_file_of_something_else_is_left_alone(tmp_path, databases):
    """Neither a text nor another program's database becomes a ledger."""
    assert databases.kind == "sqlite"
    text = tmp_path / "policy.yaml"
    text.write_text("qidguard: 1\nname: a\n" * 200)
    other = tmp_path / "other.db"
    connection = sqlite3.connect(other)
    connection.execute("CREATE TABLE patients (a)")
    connection.close()
    before = text.read_bytes(), other.read_bytes()
    with pytest.raises(UserError, match="is no ledger of qidguard"):
        open_ledger(str(text))
    with pytest.raises(UserError, match="is an SQLite database of something else"):
        open_ledger(str(other))
    with pytest.raises(UserError, match="there is no ledger"):
        open_ledger(str(other), must_exist=True)
    assert before == (text.read_bytes(), other.read_bytes())


@pytest.mark.slow
@POSTGRESQL
def test_tables_of_something_else_are_left_alone(url, raw):
    """A table named entry that is none of the ledger's is named, with the remedy, which works."""
    raw.execute("CREATE TABLE entry (a integer)")
    with pytest.raises(UserError, match=r"has tables of something else \(entry\)"):
        open_ledger(url)
    raw.execute("CREATE SCHEMA ledgers")
    with open_ledger(f"{url}&options=-csearch_path%3Dledgers") as ledger:
        assert ledger.check() == ()
    assert raw.execute("SELECT count(*) FROM ledgers.chain_head") == [(1,)]


@pytest.mark.slow
@POSTGRESQL
def test_a_database_that_is_not_utf8_is_refused(raw):
    """Another encoding could not keep every name."""
    raw.execute("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0")
    url = raw.url.replace(raw.url.split("?")[0].rsplit("/", maxsplit=1)[1], "latin")
    try:
        with pytest.raises(UserError, match="encoded in UTF8, and postgresql:///latin in LATIN1"):
            open_ledger(url)
    finally:
        raw.execute("DROP DATABASE latin WITH (FORCE)")


@pytest.mark.slow
@POSTGRESQL
@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg", "PostgreSQL"])
def test_every_way_to_write_postgresql_is_understood(url, scheme):
    """All of them mean psycopg."""
    with open_ledger(url.replace("postgresql", scheme, 1)) as ledger:
        assert ledger.head()[0] == 0


SECRET = "hunter2"  # noqa: S105 - it must appear nowhere


@pytest.mark.parametrize(("url", "words"), [
    ("mysql://anna:hunter2@h/d", "in SQLite or PostgreSQL, not 'mysql'"),
    ("postgresql+psycopg2://anna:hunter2@h/d", r"not 'postgresql\+psycopg2'"),
    ("postgresql://anna:hunter2@h:port/d", "beginning with postgresql:// cannot be read"),
    ("sqlite://anna:hunter2@h/d", "sqlite:/// and the path of a file, nothing more"),
    ("sqlite:///d.db?key=hunter2", "nothing more"),
    ("sqlite://", "nothing more"),
    ("sqlite:///:memory:", "needs a file that lasts"),
    (":memory:", "needs a file that lasts"),
    ("", "needs a file that lasts"),
    ("a\0b", "needs a file that lasts"),
    (".", "is a folder"),
])  # fmt: skip
def test_a_wrong_url_is_the_users_mistake(url, words):
    """The message says what to write, and shows no password."""
    with pytest.raises(UserError, match=words) as raised:
        open_ledger(url)
    assert raised.value.exit_code == ExitCode.USER_ERROR
    assert SECRET not in str(raised.value)
    assert "anna" not in str(raised.value)


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf")])
def test_a_wait_is_a_positive_number(tmp_path, seconds):
    """Nobody waits for ever, or less than nothing."""
    with pytest.raises(UserError, match="positive number of seconds"):
        open_ledger(str(tmp_path / "l.db"), lock_seconds=seconds)


def test_a_server_that_is_not_there_is_said_without_credentials():
    """The error is the ledger's; neither its words nor what caused it shows user or password."""
    with pytest.raises(LedgerError, match=r"postgresql://127\.0\.0\.1:1/d cannot be reached") as raised:
        open_ledger("postgresql://anna:hunter2@127.0.0.1:1/d?connect_timeout=5")
    assert raised.value.exit_code == ExitCode.INTERNAL_ERROR
    assert SECRET not in str(raised.value)
    assert "anna" not in str(raised.value)
    assert raised.value.__cause__ is None
    assert raised.value.__suppress_context__


@pytest.mark.slow
@POSTGRESQL
def test_a_database_or_user_that_is_not_there_is_said(url):
    """Neither is made."""
    name = url.split("?")[0].rsplit("/", maxsplit=1)[1]
    for wrong in (url.replace(name, "nowhere"), url.replace("qidguard@", "nobody@")):
        with pytest.raises(LedgerError, match="check the address, the user and that the server runs"):
            open_ledger(wrong)


@pytest.mark.slow
@POSTGRESQL
def test_an_unknown_option_is_said(url):
    """It is the user's mistake, and its value is not shown."""
    with pytest.raises(UserError, match="has an option that PostgreSQL does not know") as raised:
        open_ledger(f"{url}&pasword={SECRET}")
    assert SECRET not in str(raised.value)


def test_a_missing_driver_is_said(monkeypatch):
    """The message says what to install."""
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(UserError, match=r"pip install 'qidguard\[postgresql\]'"):
        open_ledger("postgresql://h/d")
