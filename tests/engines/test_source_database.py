"""DuckDB files as sources."""

import duckdb
import pytest


@pytest.fixture(params=["x.duckdb", "x.db", "it's [1].ddb", "no suffix"])
def file(tmp_path, request):
    """Return a DuckDB file with two tables, one of a hostile name, and a view."""
    path = tmp_path / request.param
    with duckdb.connect(str(path)) as database:
        database.execute('CREATE TABLE people (age INTEGER, "A ""b""" VARCHAR)')
        database.execute("INSERT INTO people VALUES (30, 'x'), (41, '?'), (NULL, 'SECRET')")
        database.execute("CREATE SCHEMA s")
        database.execute('CREATE TABLE s."; DROP TABLE people; --" (n DOUBLE, N2 UUID)')
        database.execute('INSERT INTO s."; DROP TABLE people; --" VALUES (1, NULL)')
        database.execute("CREATE VIEW adults AS SELECT age FROM people WHERE age > 40")
    return path


READ = {
    "its name": ({"table": "people", "missing": ("?",)}, [(30, "x"), (41, None), (None, "SECRET")]),
    "its schema too": ({"table": "main.people"}, [(30, "x"), (41, "?"), (None, "SECRET")]),
    "a hostile name": ({"table": "; DROP TABLE people; --"}, [(1.0, None)]),
    "a view": ({"table": "adults"}, [(41,)]),
    "a query": ({"query": "SELECT age, age + 1 AS next FROM people WHERE age < 40"}, [(30, 31)]),
    "a query with its end": ({"query": "SELECT age, 31 FROM people WHERE age = 30; -- done"}, [(30, 31)]),
    "names that differ in case": ({"query": 'SELECT 1 AS a, 2 AS "A"'}, [(1, 2)]),
}


def test_a_file_is_read_whatever_its_name(file, read):
    """It is known by its first bytes, and not a byte differs afterward."""
    before = file.read_bytes()
    assert read(file, table="adults").rows == [(41,)]
    assert file.read_bytes() == before


@pytest.mark.parametrize("file", ["it's [1].ddb"], indirect=True)
@pytest.mark.parametrize("given", READ)
def test_a_table_a_view_or_one_select_is_read(file, read, given):
    """A name is quoted wherever it stands; a trailing semicolon is no second statement."""
    options, rows = READ[given]
    assert [*map(str, read(file, **options).rows)] == [*map(str, rows)]


@pytest.mark.parametrize("file", ["it's [1].ddb"], indirect=True)
@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "3 tables (main.adults, main.people,"),
        ({"table": "nobody"}, "main.people"),
        ({"table": "people", "query": "SELECT 1"}, "exclude"),
        ({"query": "DROP TABLE people"}, "`query:`"),
        ({"query": "SELECT 1; SELECT 2"}, "`query:`"),
        ({"query": "WITH x AS (DELETE FROM people RETURNING *) SELECT * FROM x"}, "`query:`"),
        ({"query": "COPY people TO 'x.csv'"}, "`query:`"),
        ({"query": "ATTACH 'y.db'"}, "`query:`"),
        ({"query": "nonsense"}, "`query:`"),
        ({"query": ""}, "`query:`"),
        ({"query": "SELECT nothing FROM people"}, "it's [1].ddb"),
        ({"query": "SELECT * FROM nowhere"}, "it's [1].ddb"),
        ({"query": 'SELECT CAST("A ""b""" AS INTEGER) FROM people'}, "it's [1].ddb"),
        ({"query": "SELECT 1 AS a, 2 AS a"}, "unique"),
        ({"query": "SELECT * FROM people WHERE false"}, "no records"),
    ],
)
def test_what_is_no_table_and_no_reading_select_is_refused(file, refuse, options, words):
    """Of several tables one has to be named; nothing that writes runs on the file; no value is shown."""
    assert words in refuse(file, **options).replace("\\'", "'")


def test_the_schema_tells_two_tables_of_one_name_apart(tmp_path, read, refuse):
    """A single table needs no name; a connection of this process that may still write is in the way."""
    path = tmp_path / "two.duckdb"
    with duckdb.connect(str(path)) as database:
        database.execute("CREATE TABLE t (a) AS SELECT 1")
        assert "has it open" in refuse(path)
    assert read(path).rows == [(1,)]
    with duckdb.connect(str(path)) as database:
        database.execute("CREATE SCHEMA s")
        database.execute("CREATE TABLE s.t (a) AS SELECT 2")
    assert read(path, table="s.t").rows == [(2,)]
    assert "main.t, s.t" in refuse(path, table="t")


def test_a_file_that_is_no_database(write, refuse):
    """Wrong bytes, an SQLite file, a damaged one, or none."""
    for content in (b"SECRET", b"SQLite format 3\0", b"", b"\0" * 8 + b"DUCK" + b"\0" * 5000):
        assert "'x.duckdb'" in refuse(write(content, "x.duckdb"))
    write(b"", "x.duckdb").unlink()
    assert "does not exist" in refuse(write(b"", "y.csv").with_name("x.duckdb"))
