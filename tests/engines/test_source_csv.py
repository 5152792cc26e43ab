"""CSV dialects that are read, each by a table of texts and what comes out of them."""

import gzip

import pandas as pd
import pytest

from qidguard import DataError
from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.engines.duckdb.engine import ENGINE

NONE = None
A_B = ("a", "b")
LONG = "line, with; all|\n" * 10_000
WIDE = "x" * 5_000_000
ODD = "x\u2028y\x0b\x0c\x1c\x85z"


@pytest.mark.samples(3)
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_plain_dialect_is_found(write, read, delimiter, newline):
    """Each common delimiter with each line end is found without being declared."""
    lines = [["age", "city"], ["30", "Rome"], ["41", "Oslo"]]
    found = read(write(newline.join(delimiter.join(line) for line in lines) + newline))
    assert (found.names, found.rows) == (("age", "city"), [("30", "Rome"), ("41", "Oslo")])
    assert (found.is_text, found.notes, found.types) == (True, (), ("VARCHAR", "VARCHAR"))


@pytest.mark.samples(3)
@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"delimiter": " "}, "a b\n1 x\n"),
        ({"delimiter": "\x1f"}, "a\x1fb\n1\x1fx\n"),
        ({"delimiter": "*"}, "a*b\n1*x\n"),
        ({"delimiter": "^"}, "a^b\n1^x\n"),
        ({"delimiter": "\\"}, "a\\b\n1\\x\n"),
        ({"delimiter": "'"}, "a'b\n1'x\n"),
        ({"delimiter": "q"}, "aqb\n1qx\n"),
        ({"quote": "'"}, "'a','b'\n'1','x'\n"),
        ({"quote": "|", "delimiter": ","}, "|a|,|b|\n1,|x|\n"),
        ({"quote": ""}, "a,b\n1,x\n"),
    ],
)
def test_a_declared_dialect_is_believed(write, read, options, text):
    """Any ASCII character may separate or quote."""
    found = read(write(text), **options)
    assert (found.names, found.rows) == (A_B, [("1", "x")])


READ = {
    "the header has no comma": ("a;b\n1,5;2\n", {}, [("1,5", "2")]),
    "delimiters, quotes and line ends inside quotes": (
        'a,b\n"x;y,z","say ""hi"""\n"two\nlines",2\n"two\r\nlines",\n',
        {},
        [("x;y,z", 'say "hi"'), ("two\nlines", "2"), ("two\r\nlines", NONE)],
    ),
    "no quoting": ('a,b\n5" pipe,"x\n', {"quote": ""}, [('5" pipe', '"x')]),
    "runs of white space": (
        "  a \t b\n1   x,y  \n\t2 z\n\n",
        {"delimiter": "whitespace"},
        [("1", "x,y"), ("2", "z")],
    ),
    "a quote among runs": ('a b\n1  5"\n', {"delimiter": "whitespace", "quote": "~"}, [("1", '5"')]),
    "a blank after each delimiter, a tab": ('a, b\n"\n1", \tx\n', {}, [("\n1", "\tx")]),
    "a blank after some delimiters": ("a,b\n1, x\n2, y\n", {}, [("1", " x"), ("2", " y")]),
    "all white space is trimmed": (
        'a,b\n 1 ,\tx y\u00a0\n   ,"\nz "\n',
        {"is_trimmed": True},
        [("1", "x y"), (NONE, "z")],
    ),
    "line ends are trimmed": ('a,b\n"\r\n1\n",2\n', {"is_trimmed": True}, [("1", "2")]),
    "nothing but the marker is NULL": ("a,b\nNULL,nan\n?,\\N\n", {}, [("NULL", "nan"), ("?", "\\N")]),
    "markers, quoted or not": (
        'a,b\n?,x\ny,NA\n"?",z\n"",NAB\n1,na\n',
        {"missing": ("?", " NA ")},
        [(NONE, "x"), ("y", NONE), (NONE, "z"), (NONE, "NAB"), ("1", "na")],
    ),
    "a marker is data to SQL": (
        "a,b\nx',1\ny,2\n",
        {"missing": ("x'", "'); DROP TABLE t; --")},
        [(NONE, "1"), ("y", "2")],
    ),
    "blank lines": ("\n\na,b\n\n1,2\n\n", {}, [("1", "2")]),
    "blank lines of CRLF": ("a,b\r\n\r\n1,2\r\n\r\n\r\n", {}, [("1", "2")]),
    "mixed line ends": (
        'a,b\r\n1,2\n"x\r\ny",4\r\n"x\ny",\n',
        {},
        [("1", "2"), ("x\r\ny", "4"), ("x\ny", NONE)],
    ),
    "no end of the last line": ("a,b\n1,2\n3,", {}, [("1", "2"), ("3", NONE)]),
    "only LF and CRLF end a line": (f"a,b\n{ODD},1\n", {}, [(ODD, "1")]),
    "a comment sign": ("a,b\n#1,2\n", {}, [("#1", "2")]),
    "five megabytes in a field": (f"a,b\n{WIDE},1\n2,3\n", {}, [(WIDE, "1"), ("2", "3")]),
    "a sample that ends inside quotes": (f'a;b\n"{LONG}";1\n2;3\n', {}, [(LONG, "1"), ("2", "3")]),
    "a mark before a header": ("\ufeffa,b\n1,2\n", {}, [("1", "2")]),
    "a mark before quotes": ('\ufeff"a",b\n1,2\n', {}, [("1", "2")]),
    "a mark before blank lines": ("\ufeff\n\na,b\n1,2\n", {}, [("1", "2")]),
    "a mark before white space": ("\ufeffa b\n1 2\n", {"delimiter": "whitespace"}, [("1", "2")]),
}


@pytest.mark.parametrize(("text", "options", "rows"), READ.values(), ids=READ)
def test_every_field_is_read_as_it_stands(write, read, text, options, rows):
    """Quotes protect, blanks and line ends of values stay, the empty field and a declared marker are NULL."""
    found = read(write(text), **options)
    assert (found.names, found.rows) == (A_B, rows)


def test_a_blank_after_each_delimiter_is_part_of_the_dialect(write, read):
    """Where every delimiter of the file is followed by a blank, fields are trimmed, and a note says so."""
    found = read(write("a, b\n1, ?\n2, x y\n"), missing=("?",))
    assert (found.names, found.rows) == (A_B, [("1", NONE), ("2", "x y")])
    assert found.notes == ("fields are separated by ', '; the blank was dropped",)


def test_one_column_needs_no_delimiter(write, read):
    """Of a declared one a quoted delimiter is protected, and "" is a missing value."""
    assert read(write("age\n1\n2\n")).rows == [("1",), ("2",)]
    assert read(write('text\n"a, b"\n""\nc\n'), delimiter=",").rows == [("a, b",), (NONE,), ("c",)]
    assert read(write("\ufeff1,2\n3,4\n")).rows == [("1", "2"), ("3", "4")]


@pytest.mark.samples(4)
@pytest.mark.parametrize(
    ("encoding", "name"),
    [("shift-jis", "ソ表"), *((e, "José") for e in ("utf-8-sig", "utf-16", "utf-16-le", "utf-32", "cp437"))],
)
def test_any_text_encoding_is_read(write, read, encoding, name):
    """The same comes out of every encoding, decoded before any byte of it is taken for a delimiter."""
    found = read(write(f"{name},n\n{name},1\n".encode(encoding)), encoding=encoding)
    assert (found.names, found.rows) == ((name, "n"), [(name, "1")])


def test_what_a_file_is_called_does_not_matter(write, read):
    """Compression is seen in the content; a text needs no suffix; a path object and a text are the same."""
    packed = gzip.compress("a;b\n1;é\n".encode("latin-1"))
    for name in ("x.csv.gz", "x.csv", "x.gz"):
        assert read(write(packed, name), encoding="latin-1").rows == [("1", "é")]
    for name in ("adult.test", "x", "X.CSV", ".hidden"):
        path = write("a,b\n1,2\n", name)
        assert read(path).rows == read(str(path)).rows == [("1", "2")]


def test_three_hundred_columns_are_read_in_their_order(write, read):
    """Width does not matter to the sample."""
    names, values = [f"column {i}" for i in range(300)], [str(i) for i in range(300)]
    found = read(write(",".join(names) + "\n" + ",".join(values) + "\n"))
    assert (found.names, found.rows) == (tuple(names), [tuple(values)])


def test_records_across_the_chunks_of_the_scan_are_counted_once(write, read):
    """A file of several megabytes with quotes, blanks and line ends at any place has every record."""
    expected = [(str(i), f"{i}\r\n{'y' * (i % 37)}") for i in range(120_000)]
    found = read(write("a,b\r\n" + "".join(f'{first},"{value}"\r\n' for first, value in expected)))
    assert sorted(found.rows) == sorted(expected)


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("t.csv", {"delimiter": ";"}, "no delimiter ';', but ',' cuts every record into 2 fields"),
        ("t.csv", {"table": "x"}, "has no table"),
        ("t.csv", {"query": "SELECT 1"}, "has no query"),
        ("t.parquet", {"delimiter": ";"}, "has no delimiter"),
        ("t.parquet", {"has_header": True}, "has no header"),
    ],
)
def test_an_option_that_the_file_cannot_follow_is_said(tmp_path, name, options, said):
    """A delimiter that cuts nothing, or an option of another format, is not ignored."""
    frame = pd.DataFrame({"age": [30, 31], "sex": ["f", "m"]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    with pytest.raises(DataError, match=said):
        ENGINE.open(tmp_path / name, ReadOptions(**options), Needs(), EngineSettings())
