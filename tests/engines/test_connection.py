"""Tests of the connection's limits and its private directory."""

import os
import stat

import pandas as pd
import pytest

from qidguard.core.errors import DataError, UserError
from qidguard.engines.base import EngineSettings
from qidguard.engines.duckdb.connection import connect, reading


def test_the_spill_directory_is_private_and_removed_on_close():
    """Only the owner may enter the directory, and closing twice removes it without complaint."""
    connection = connect(EngineSettings())
    assert stat.S_IMODE(connection.spill.stat().st_mode) == 0o700
    connection.close()
    connection.close()
    assert not connection.spill.exists()


def test_a_given_spill_directory_keeps_only_itself(tmp_path):
    """The private directory is made inside the given one, which is empty again afterward."""
    folder = tmp_path / 'it\'s [a] "folder"'
    folder.mkdir()
    with connect(EngineSettings(spill_directory=str(folder))) as connection:
        assert connection.spill.parent == folder
        shown = connection.duckdb.execute("SELECT current_setting('temp_directory')").fetchall()
        assert shown == [(str(connection.spill / "spill"),)]
    assert list(folder.iterdir()) == []


LIMITS = ("lots", "", "4", "-1GB", "80%", "4 G B", "1e9GB", "nanGB", "4GB; SELECT 1", "1KB", "0GB", "1001TB")


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        *(({"memory_limit": text}, ("memory limit", repr(text))) for text in LIMITS),
        ({"threads": 0}, ("at least 1",)),
        ({"threads": -1}, ("at least 1",)),
        ({"spill_directory": "/nowhere/at/all"}, ("nowhere",)),
    ],
)
def test_a_wrong_setting_is_one_sentence(settings, words):
    """A limit without a number and a known unit, or below 64 MB, no thread, a folder that is not there."""
    with pytest.raises(UserError) as caught:
        connect(EngineSettings(**settings))
    assert [word for word in words if word not in str(caught.value)] == []


@pytest.mark.parametrize(
    ("text", "stated"), [("1GB", "953.6 MiB"), (" 512 mib ", "512.0 MiB"), ("1.5GiB", "1.5 GiB")]
)
def test_a_memory_limit_is_set_in_its_own_unit(text, stated):
    """GB is a power of 1000 and GiB of 1024, in any case."""
    with connect(EngineSettings(memory_limit=text)) as connection:
        assert connection.memory_limit == stated


@pytest.mark.parametrize(("asked", "taken"), [(1, 1), (4 * os.cpu_count(), os.cpu_count())])
def test_threads_are_those_asked_for_up_to_one_for_each_processor(asked, taken):
    """A policy that asks for a hundred thousand of them does not stop the machine."""
    with connect(EngineSettings(threads=asked)) as connection:
        assert connection.duckdb.execute("SELECT current_setting('threads')").fetchall() == [(taken,)]


EXTENSIONS = ("autoinstall_known_extensions", "autoload_known_extensions")


def test_no_python_variable_is_a_table_and_extensions_never_come_by_themselves():
    """A local variable cannot be read by its name; nothing is installed or loaded without being asked for."""
    hidden = pd.DataFrame({"a": [1]})
    with connect(EngineSettings()) as connection:
        with pytest.raises(Exception, match="hidden does not exist"):
            connection.duckdb.execute("SELECT * FROM hidden")
        shown = [connection.duckdb.execute(f"SELECT current_setting('{x}')").fetchall() for x in EXTENSIONS]
    assert (len(hidden), shown) == (1, [[(False,)], [(False,)]])


def test_reading_hides_the_value_that_failed():
    """DuckDB's message quotes the value; the user's does not."""
    with (
        connect(EngineSettings()) as connection,
        pytest.raises(DataError) as caught,
        reading(connection, "x.csv"),
    ):
        connection.duckdb.execute("SELECT CAST('SECRET' AS INTEGER)").fetchall()
    assert "SECRET" not in str(caught.value)
    assert caught.value.__suppress_context__


def test_reading_names_the_memory_limit():
    """Too little memory is said with the limit that was too small."""
    settings = EngineSettings(memory_limit="64MB", threads=1)
    with (
        connect(settings) as connection,
        pytest.raises(UserError, match=r"61.0 MiB"),
        reading(connection, "x.csv"),
    ):
        connection.duckdb.execute("SELECT len(list(hash(i)::VARCHAR)) FROM range(5000000) t(i)").fetchall()


@pytest.mark.slow
def test_larger_than_memory_spills():
    """A sort of three times the memory limit ends, since it goes to the private directory."""
    with connect(EngineSettings(memory_limit="100MB", threads=1)) as connection:
        rows = connection.duckdb.execute(
            "SELECT count(*) FROM (\n"
            "SELECT hash(i) h, hash(i + 1) g FROM range(10000000) t(i) ORDER BY h OFFSET 5)"
        ).fetchall()
    assert rows == [(9_999_995,)]
