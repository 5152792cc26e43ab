"""Tests of DuckDB files as sources."""

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
}


@pytest.mark.samples(4)
@pytest.mark.parametrize("given", READ)
def test_a_table_a_view_or_one_select_is_read(file, read, given):
    """A name is quoted wherever it stands; a trailing semicolon is no second statement."""
    options, rows = READ[given]
    assert [*map(str, read(file, **options).rows)] == [*map(str, rows)]


@pytest.mark.samples(2)
def test_names_of_a_query_that_differ_in_case(file, read):
    """Both columns are reachable."""
    found = read(file, query='SELECT 1 AS a, 2 AS "A"')
    assert (found.names, found.rows) == (("a", "A"), [(1, 2)])


@pytest.mark.samples(3)
@pytest.mark.parametrize(
    "query",
    [
        "DROP TABLE people",
        "SELECT 1; SELECT 2",
        "DELETE FROM people",
        "WITH x AS (DELETE FROM people RETURNING *) SELECT * FROM x",
        "COPY people TO 'x.csv'",
        "ATTACH 'y.db'",
        "nonsense",
        "",
    ],
)
def test_a_query_that_is_not_one_reading_select(file, refuse, query):
    """Nothing else may run on the file."""
    assert "`query:`" in refuse(file, query=query)


@pytest.mark.samples(2)
@pytest.mark.parametrize(
    "query",
    ["SELECT nothing FROM people", "SELECT * FROM nowhere", 'SELECT CAST("A ""b""" AS INTEGER) FROM people'],
)
def test_a_query_that_fails(file, refuse, query):
    """The error is one sentence without values."""
    assert file.name in refuse(file, query=query).replace("\\'", "'")


@pytest.mark.samples(1)
def test_a_table_has_to_be_named_where_there_are_several(file, refuse):
    """None, an unknown one, or table and query at once."""
    assert "3 tables (main.adults, main.people," in refuse(file)
    assert "main.people" in refuse(file, table="nobody")
    assert "exclude" in refuse(file, table="people", query="SELECT 1")
    assert "unique" in refuse(file, query="SELECT 1 AS a, 2 AS a")
    assert "no records" in refuse(file, query="SELECT * FROM people WHERE false")


def test_one_table_needs_no_name(tmp_path, read):
    """A file with a single table is that table."""
    path = tmp_path / "one.duckdb"
    with duckdb.connect(str(path)) as database:
        database.execute("CREATE TABLE single (a) AS SELECT 1")
    assert read(path).rows == [(1,)]


def test_the_same_name_in_two_schemas(tmp_path, read, refuse):
    """The schema tells them apart."""
    path = tmp_path / "two.duckdb"
    with duckdb.connect(str(path)) as database:
        database.execute("CREATE TABLE t (a) AS SELECT 1")
        database.execute("CREATE SCHEMA s")
        database.execute("CREATE TABLE s.t (a) AS SELECT 2")
    assert read(path, table="s.t").rows == [(2,)]
    assert "main.t, s.t" in refuse(path, table="t")


def test_a_file_that_is_no_database(tmp_path, refuse):
    """Wrong bytes, an SQLite file, or a file that another program writes."""
    path = tmp_path / "x.duckdb"
    for content in (b"SECRET", b"SQLite format 3\0", b"", b"\0" * 8 + b"DUCK" + b"\0" * 5000):
        path.write_bytes(content)
        assert "'x.duckdb'" in refuse(path)
    path.unlink()
    assert "does not exist" in refuse(path)


def test_a_database_that_is_open_for_writing_here(tmp_path, refuse):
    """A connection of this process that may still write is in the way, and it is said."""
    path = tmp_path / "x.duckdb"
    with duckdb.connect(str(path)) as database:
        database.execute("CREATE TABLE t (a) AS SELECT 1")
        assert "has it open" in refuse(path)


@pytest.mark.samples(2)
def test_reading_does_not_change_the_file(file, read):
    """Not a byte differs afterward."""
    before = file.read_bytes()
    read(file, table="people")
    assert file.read_bytes() == before
