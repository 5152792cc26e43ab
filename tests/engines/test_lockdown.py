"""Tests of the locked connection: hostile SQL gets nowhere."""

import pytest

from qidguard.core.errors import PluginError, UserError
from qidguard.engines.base import EngineSettings, ReadOptions
from qidguard.engines.duckdb import sources
from qidguard.engines.duckdb.connection import connect
from qidguard.engines.duckdb.lockdown import check_select, lock, run_select


@pytest.fixture
def locked(tmp_path):
    """Return a locked connection with one table ``t`` of one text column c0."""
    path = tmp_path / "x.csv"
    path.write_text("a,b\nSECRET,1\n")
    with connect(EngineSettings(threads=1)) as connection:
        staged = sources.stage(connection, path, ReadOptions())
        connection.duckdb.execute(f"CREATE TABLE t AS SELECT * FROM {staged.relation}")
        staged.release()
        lock(connection)
        yield connection


FILES = [
    "SELECT * FROM read_text('/etc/hostname')",
    "SELECT * FROM '/etc/hostname'",
    "FROM '/etc/hostname'",
    "SELECT * FROM read_blob('/etc/hostname')",
    "SELECT * FROM read_csv('/etc/hostname')",
    "SELECT * FROM read_parquet('/etc/*')",
    "SELECT * FROM read_json('/etc/hostname')",
    "SELECT * FROM parquet_metadata('/etc/hostname')",
    "SELECT * FROM sniff_csv('/etc/hostname')",
    "SELECT * FROM glob('/etc/*')",
    "SELECT * FROM 'https://example.org/x.csv'",
    "SELECT * FROM query('SELECT * FROM read_text(''/etc/hostname'')')",
    "SELECT * FROM which_secret('x', 's3')",
    "SELECT * FROM enable_logging(storage = 'file')",
]

OTHERS = [
    "ATTACH '/etc/hostname'",
    "COPY t TO '/tmp/stolen.csv'",
    "COPY (SELECT * FROM t) TO '/tmp/stolen.csv'",
    "EXPORT DATABASE '/tmp/stolen'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SET enable_external_access = true",
    "SET VARIABLE x = 1",
    "RESET lock_configuration",
    "PRAGMA version",
    "CALL pragma_version()",
    "CREATE TABLE u (a INTEGER)",
    "CREATE TEMP TABLE u AS SELECT 1",
    "CREATE SECRET (TYPE s3)",
    "DROP TABLE t",
    "ALTER TABLE t RENAME TO u",
    "INSERT INTO t VALUES ('x', 'y')",
    "UPDATE t SET c0 = 'x'",
    "DELETE FROM t",
    "TRUNCATE t",
    "BEGIN",
    "CHECKPOINT",
    "VACUUM",
    "EXPLAIN ANALYZE SELECT 1",
    "PREPARE p AS SELECT 1",
    "USE system",
    "PIVOT t ON c0 USING count(*)",
    "SELECT 1; SELECT 2",
    "SELECT 1; DROP TABLE t",
    "SELECT 1; COPY t TO '/tmp/stolen.csv'",
    "",
    ";",
    "-- nothing",
    "SELECT",
    "SELECT $1",
    "SELECT '",
    "WITH x AS (INSERT INTO t VALUES ('x', 'y') RETURNING *) SELECT * FROM x",
    "WITH x AS (DELETE FROM t RETURNING *) SELECT count(*) FROM x",
    "WITH x AS (UPDATE t SET c0 = 'x' RETURNING *) SELECT * FROM x",
    "WITH x AS (/**/inSERT/**/INTO t VALUES ('x', 'y') RETURNING *) SELECT * FROM x",
]


@pytest.mark.samples(6)
@pytest.mark.parametrize("sql", FILES + OTHERS)
def test_hostile_sql_is_a_plugin_error_and_changes_nothing(locked, sql):
    """Nothing but one reading SELECT over loaded tables runs; the message is one line without values."""
    with pytest.raises(PluginError) as caught:
        run_select(locked, sql)
    assert "\n" not in str(caught.value)
    assert "SECRET" not in str(caught.value)
    assert locked.duckdb.execute("SELECT * FROM t").fetchall() == [("SECRET", "1")]


@pytest.mark.samples(6)
@pytest.mark.parametrize("sql", OTHERS[-4:] + OTHERS[:26])
def test_the_check_alone_refuses_what_is_no_reading_select(locked, sql):
    """The check does not run the SQL, so it must see all of it in the text."""
    with pytest.raises(PluginError):
        check_select(locked, sql)


def test_a_failing_value_is_not_shown(locked):
    """DuckDB's message quotes the value that failed; the plugin's error does not, nor does its cause."""
    with pytest.raises(PluginError) as caught:
        run_select(locked, "SELECT CAST(c0 AS INTEGER) FROM t")
    assert "Conversion" in str(caught.value)
    assert "SECRET" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


WORDS = "WITH x AS (SELECT 'delete' AS \"update\") FROM x UNION ALL SELECT 'insert' ORDER BY 1"
COUNTED = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 3)"


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        (WORDS, [("delete",), ("insert",)]),
        (f"{COUNTED} SELECT max(n), 'merge' FROM r", [(3, "merge")]),
        ("SELECT count(*) FROM t; -- done", [(1,)]),
    ],
)
def test_a_select_with_a_word_that_changes_is_still_a_select(locked, sql, rows):
    """Words that change may stand in texts and names; a trailing semicolon is no second statement."""
    lock(locked)  # a second time, which is harmless
    assert run_select(locked, sql) == rows


def test_a_failed_select_leaves_the_connection_usable(locked):
    """After an error the next SELECT runs."""
    with pytest.raises(PluginError):
        run_select(locked, "SELECT nothing FROM t")
    assert run_select(locked, "SELECT 1") == [(1,)]


def test_too_little_memory_names_the_limit():
    """An aggregate that cannot spill says which limit was too small."""
    with connect(EngineSettings(memory_limit="64MB", threads=1)) as connection:
        lock(connection)
        with pytest.raises(UserError, match=r"61.0 MiB"):
            run_select(connection, "SELECT len(list(hash(i)::VARCHAR)) FROM range(5000000) t(i)")


@pytest.mark.slow
def test_a_locked_connection_still_spills():
    """A sort beyond the memory limit ends after locking too."""
    with connect(EngineSettings(memory_limit="100MB", threads=1)) as connection:
        lock(connection)
        sql = "SELECT count(*) FROM (SELECT hash(i) h, i FROM range(10000000) t(i) ORDER BY h OFFSET 5)"
        assert run_select(connection, sql) == [(9_999_995,)]
