"""Tests of the connection's limits and its private directory."""

import stat

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


@pytest.mark.parametrize(
    "text", ["lots", "", "4", "-1GB", "80%", "4 G B", "1e9GB", "nanGB", "4GB; SELECT 1", "1KB", "0GB"]
)
def test_a_wrong_memory_limit_is_one_sentence(text):
    """A limit without a number and a known unit, or below 64 MB, is refused and quoted."""
    with pytest.raises(UserError, match="memory limit") as caught:
        connect(EngineSettings(memory_limit=text))
    assert repr(text) in str(caught.value)


@pytest.mark.parametrize(
    ("text", "stated"), [("1GB", "953.6 MiB"), (" 512 mib ", "512.0 MiB"), ("1.5GiB", "1.5 GiB")]
)
def test_a_memory_limit_is_set_in_its_own_unit(text, stated):
    """GB is a power of 1000 and GiB of 1024, in any case, and the connection states the limit."""
    with connect(EngineSettings(memory_limit=text)) as connection:
        assert connection.memory_limit == stated


@pytest.mark.parametrize("threads", [0, -1])
def test_threads_are_at_least_one(threads):
    """No thread is a mistake of the user."""
    with pytest.raises(UserError, match="at least 1"):
        connect(EngineSettings(threads=threads))


def test_threads_are_set():
    """The number of threads is the one asked for."""
    with connect(EngineSettings(threads=1)) as connection:
        shown = connection.duckdb.execute("SELECT current_setting('threads')").fetchall()
    assert shown == [(1,)]


def test_a_missing_spill_directory_is_a_mistake(tmp_path):
    """A spill directory that is not there is named."""
    with pytest.raises(UserError, match="nowhere"):
        connect(EngineSettings(spill_directory=str(tmp_path / "nowhere")))


def test_no_python_variable_is_a_table():
    """A local variable cannot be read as a table by its name."""
    import pandas as pd

    hidden = pd.DataFrame({"a": [1]})
    with connect(EngineSettings()) as connection, pytest.raises(Exception, match="hidden does not exist"):
        connection.duckdb.execute("SELECT * FROM hidden")
    assert len(hidden) == 1


def test_extensions_never_come_by_themselves():
    """Neither installing nor loading happens without being asked for."""
    with connect(EngineSettings()) as connection:
        shown = connection.duckdb.execute(
            "SELECT current_setting('autoinstall_known_extensions'),"
            " current_setting('autoload_known_extensions')"
        ).fetchall()
    assert shown == [(False, False)]


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
