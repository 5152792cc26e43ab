"""Properties: hostile names and values come back as they are, or are refused; never as something else."""

import csv
import io
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples, holds_a_value
from qidguard.core.errors import UserError
from qidguard.engines.base import EngineSettings, ReadOptions
from qidguard.engines.duckdb import sources
from qidguard.engines.duckdb.connection import connect
from qidguard.engines.duckdb.sources.dialect import CANDIDATES

PATTERNS = [
    "data[1]*.csv",
    "q?.csv",
    "[a-z].csv",
    "[!a].csv",
    "**.csv",
    "]x[.csv",
    "{a,b}.csv",
    "back\\slash.csv",
]
TEXTS = ["we'ird\".csv", "'; DROP TABLE t; --.csv", "two words.csv", "line\nend.csv", "é😀.csv", "a;b.csv"]
MEANT = [
    "back\\slash.csv",
    "$HOME.csv",
    "~.csv",
    "%20.csv",
    "-rf.csv",
    "http:x.csv",
    "a=1.csv",
    "x.parquet.csv",
    "a.b.c.csv",
]
NAMES = [*PATTERNS, *TEXTS, *MEANT]
PATHS = [(".", name) for name in NAMES] + [(folder, NAMES[0]) for folder in ("y=1", "d[0]*", "it's")]


@pytest.mark.samples(3)
@pytest.mark.parametrize(("folder", "name"), PATHS)
def test_a_hostile_path_is_a_path(tmp_path, read, name, folder):
    """A path is never a pattern, a statement or a key when a file of that name is there."""
    place = tmp_path / folder
    place.mkdir(exist_ok=True)
    (place / name).write_text("a,b\n1,2\n")
    (place / "data1x.csv").write_text("a,b\n3,4\n")
    found = read(place / name)
    assert (found.names, found.rows) == (("a", "b"), [("1", "2")])


def test_a_relative_path_is_read_from_the_working_directory(tmp_path, read, monkeypatch):
    """Names that look like options, homes or addresses are plain names there too."""
    monkeypatch.chdir(tmp_path)
    for name in ("~", "-", "s3:x.csv", "~root.csv"):
        Path(name).write_text("a,b\n1,2\n")
        assert read(name).rows == [("1", "2")]
    assert "~" in os.listdir(tmp_path)  # noqa: PTH208 - the very name is the point


_ALPHABET = st.characters(codec="utf-8", exclude_characters="\0")
_NASTY = st.sampled_from(list(",;\t|\"'\n\r \\#?-0123456789.é\u00a0\ufeff"))
_VALUES = st.one_of(
    st.text(_NASTY, max_size=6),
    st.text(_ALPHABET, max_size=6),
    st.sampled_from(["", "?", " ?", "NULL", "nan", "1", "1.5", '"', '""', "\r\n", "\\N", "a,b", "1;2"]),
)


@st.composite
def tables(draw):
    """Draw a rectangular table of one to four columns and two to five records with a value in each."""
    width = draw(st.integers(1, 4))
    row = st.lists(_VALUES, min_size=width, max_size=width)
    is_one = width == 1  # where a missing value is no record without a value
    return draw(st.lists(row if is_one else row.filter(holds_a_value), min_size=2, max_size=5))


@pytest.fixture(scope="module")
def attempt():
    """Return a function that gives (names, rows) of a text, or None where it is refused."""
    with connect(EngineSettings(threads=1)) as connection:
        path = connection.spill / "x.csv"

        def read_text(text, **options):
            path.write_bytes(text.encode())
            try:
                staged = sources.stage(connection, path, ReadOptions(has_header=False, **options))
            except UserError as error:
                assert "\n" not in str(error)  # noqa: PT017 - both ways out of the attempt are right
                return None
            rows = connection.duckdb.execute(f"SELECT * FROM {staged.relation}").fetchall()
            connection.duckdb.execute(f"DROP TABLE {staged.relation}")
            return staged.names, rows

        yield read_text


def written(rows, **dialect):
    """Return a table as Python's csv module writes it."""
    text = io.StringIO(newline="")
    csv.writer(text, **dialect).writerows(rows)
    return text.getvalue()


def read_back(text, **dialect):
    """Return a table as Python's csv module reads it.

    That is what it wrote, except that before Python 3.13 it leaves a lone carriage return without quotes.
    """
    rows = csv.reader(io.StringIO(text, newline=""), strict=True, **dialect)
    return [row for row in rows if row]


def as_null(rows):
    """Return what is expected: the empty field is NULL."""
    return sorted([tuple(value or None for value in row) for row in rows], key=repr)


@pytest.mark.slow
@settings(max_examples=examples(200), deadline=None)
@given(
    rows=tables(),
    delimiter=st.sampled_from(",;\t|:^ "),
    quote=st.sampled_from("\"'~"),
    newline=st.sampled_from(["\n", "\r\n"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
)
def test_a_declared_dialect_is_read_back_identically_or_refused(
    attempt, rows, delimiter, quote, newline, quoting
):
    """Whatever Python's csv module writes comes back field by field, with the dialect declared."""
    text = written(rows, delimiter=delimiter, quotechar=quote, lineterminator=newline, quoting=quoting)
    columns = tuple(f"column {i}" for i in range(len(rows[0])))
    found = attempt(text, delimiter=delimiter, quote=quote, columns=columns)
    # a mark at the beginning is no part of the first value; everything else is
    if found is not None and not text.startswith("\ufeff"):
        assert found[0] == columns
        rows = read_back(text, delimiter=delimiter, quotechar=quote)
        spaced = [[value.strip(" ") for value in row] for row in rows]
        assert sorted(found[1], key=repr) in (as_null(rows), as_null(spaced))
        if not text.count(delimiter) or text.count(delimiter + " ") != text.count(delimiter):
            assert sorted(found[1], key=repr) == as_null(rows)


@settings(max_examples=examples(200), deadline=None)
@given(rows=tables(), quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
def test_a_quoted_table_with_a_declared_delimiter_is_never_refused(attempt, rows, quoting):
    """With quotes where they are needed nothing is left to guess, unless a line is blank or a lone marker."""
    text = written(rows, quoting=quoting, lineterminator="\n")
    columns = tuple(f"column {i}" for i in range(len(rows[0])))
    found = attempt(text, delimiter=",", quote='"', columns=columns)
    repeats = tuple(value.strip() for value in rows[0]) == columns
    is_blank = not text.removeprefix("\ufeff").strip()
    # before Python 3.13 the csv module leaves a lone carriage return without quotes
    is_bare = quoting == csv.QUOTE_MINIMAL and "\r" in text
    # one column whose texts another delimiter would cut: the declared one may be a mistake
    is_cut = len(columns) == 1 and any(mark in text for mark in CANDIDATES if mark != ",")
    if not (repeats or is_blank or is_bare or is_cut or text.startswith("\ufeff")):
        assert found is not None


@settings(max_examples=examples(200), deadline=None)
@given(
    rows=tables(),
    delimiter=st.sampled_from(",;\t|"),
    newline=st.sampled_from(["\n", "\r\n"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
)
def test_a_dialect_that_is_found_is_the_one_that_was_written(attempt, rows, delimiter, newline, quoting):
    """Where the dialect is found without being declared, the number of columns and all values are right.

    Python's csv module is the oracle. A table of one column may be written so that a delimiter inside its
    values is protected by quotes only; it too comes back as one column.
    """
    text = written(rows, delimiter=delimiter, lineterminator=newline, quoting=quoting)
    found = attempt(text)
    if found is None or len(rows[0]) == 1:
        return
    rows = read_back(text, delimiter=delimiter)
    is_alike = len(found[0]) == len(rows[0])
    is_spaced = text.count(delimiter + " ") == text.count(delimiter)
    if is_alike and not is_spaced and not text.startswith("\ufeff"):
        assert sorted(found[1], key=repr) == as_null(rows)
    # only where another delimiter stands in the text, too, may another number of columns be found
    assert is_alike or any(c in text for c in ",;\t|" if c != delimiter)
