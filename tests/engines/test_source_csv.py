"""Tests of CSV dialects that are read."""

import gzip
import io

import pandas as pd
import pytest

from qidguard import DataError
from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.engines.duckdb import ENGINE

NONE = None


def write(folder, content, name="x.csv"):
    """Write bytes or text as it stands."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.samples(3)
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_plain_dialect_is_found(tmp_path, read, delimiter, newline):
    """Each common delimiter with each line end is found without being declared."""
    lines = [["age", "city"], ["30", "Rome"], ["41", "Oslo"]]
    found = read(write(tmp_path, newline.join(delimiter.join(line) for line in lines) + newline))
    assert found.names == ("age", "city")
    assert found.rows == [("30", "Rome"), ("41", "Oslo")]
    assert found.is_text
    assert found.notes == ()
    assert found.types == ("VARCHAR", "VARCHAR")


def test_the_delimiter_that_cuts_all_records_alike_is_taken(tmp_path, read):
    """Decimal commas do not hide the semicolon, since the header has no comma."""
    assert read(write(tmp_path, "a;b\n1,5;2\n")).rows == [("1,5", "2")]


def test_quoted_delimiters_do_not_count(tmp_path, read):
    """A delimiter, a quote and a line end inside quotes are part of the value."""
    found = read(write(tmp_path, 'a,b\n"x;y,z","say ""hi"""\n"two\nlines",2\n"two\r\nlines",\n'))
    assert found.rows == [("x;y,z", 'say "hi"'), ("two\nlines", "2"), ("two\r\nlines", NONE)]


@pytest.mark.samples(3)
@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"delimiter": ":"}, "a:b\n1:x\n"),
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
def test_a_declared_dialect_is_believed(tmp_path, read, options, text):
    """Any ASCII character may separate or quote."""
    found = read(write(tmp_path, text), **options)
    assert (found.names, found.rows) == (("a", "b"), [("1", "x")])


def test_without_quoting_a_quote_is_a_character(tmp_path, read):
    """An empty quote declares that quotes are plain characters."""
    assert read(write(tmp_path, 'a,b\n5" pipe,"x\n'), quote="").rows == [('5" pipe', '"x')]


def test_runs_of_white_space_separate_where_declared(tmp_path, read):
    """Blanks and tabs in any number are one delimiter, and none at the edges; a comma is a character."""
    found = read(write(tmp_path, "  a \t b\n1   x,y  \n\t2 z\n\n"), delimiter="whitespace")
    assert (found.names, found.rows) == (("a", "b"), [("1", "x,y"), ("2", "z")])
    plain = read(write(tmp_path, 'a b\n1  5"\n'), delimiter="whitespace", quote="~")
    assert plain.rows == [("1", '5"')]


def test_one_column_needs_no_delimiter(tmp_path, read):
    """A text without any common delimiter is one column."""
    assert read(write(tmp_path, "age\n1\n2\n")).rows == [("1",), ("2",)]


def test_one_column_may_hold_quoted_delimiters_and_empty_fields(tmp_path, read):
    """In a declared one-column file "" is a missing value and quotes protect the delimiter."""
    found = read(write(tmp_path, 'text\n"a, b"\n""\nc\n'), delimiter=",")
    assert found.rows == [("a, b",), (NONE,), ("c",)]


def test_a_blank_after_each_delimiter_is_part_of_the_dialect(tmp_path, read):
    """Where every delimiter of the file is followed by a blank, fields are trimmed, and a note says so."""
    found = read(write(tmp_path, "a, b\n1, ?\n2, x y\n"), missing=("?",))
    assert (found.names, found.rows) == (("a", "b"), [("1", NONE), ("2", "x y")])
    assert found.notes == ("fields are separated by ', '; the blank was dropped",)
    assert read(write(tmp_path, 'a, b\n"\n1", \tx\n')).rows == [("\n1", "\tx")]


def test_a_blank_after_some_delimiters_is_part_of_the_value(tmp_path, read):
    """Where one delimiter has no blank after it, no blank is dropped."""
    assert read(write(tmp_path, "a,b\n1, x\n2, y\n")).rows == [("1", " x"), ("2", " y")]


def test_trimming_drops_all_white_space_around_a_field(tmp_path, read):
    """All white space around a value goes and that inside stays; an empty rest is NULL."""
    text = 'a,b\n 1 ,\tx y\u00a0\n   ,"\nz "\n'
    found = read(write(tmp_path, text), is_trimmed=True)
    assert found.rows == [("1", "x y"), (NONE, "z")]
    assert read(write(tmp_path, 'a,b\n"\r\n1\n",2\n'), is_trimmed=True).rows == [("1", "2")]


def test_missing_markers_and_the_empty_field_are_null(tmp_path, read):
    """Each declared marker is NULL in any column, quoted or not; a text that holds one is not."""
    found = read(write(tmp_path, 'a,b,c\n?,NA,x\n"?",,x\n"",NAB,x\n1,na,x\n'), missing=("?", " NA "))
    assert [row[:2] for row in found.rows] == [(NONE, NONE), (NONE, NONE), (NONE, "NAB"), ("1", "na")]


def test_nothing_but_the_declared_marker_is_null(tmp_path, read):
    """Words such as NULL and nan are values where nobody declares them."""
    found = read(write(tmp_path, "a,b\nNULL,nan\n?,\\N\n"))
    assert found.rows == [("NULL", "nan"), ("?", "\\N")]


def test_a_marker_with_quotes_is_harmless(tmp_path, read):
    """A marker is data to SQL, whatever it holds."""
    found = read(write(tmp_path, "a,b\nx',1\ny,2\n"), missing=("x'", "'); DROP TABLE t; --"))
    assert found.rows == [(NONE, "1"), ("y", "2")]


@pytest.mark.parametrize(
    "text", ["a,b\n1,2\n\n", "a,b\n\n1,2\n", "\n\na,b\n1,2", "a,b\r\n\r\n1,2\r\n\r\n\r\n"]
)
def test_blank_lines_between_records_of_several_columns_are_skipped(tmp_path, read, text):
    """A blank line cannot be a record of two columns, wherever it stands, also before the header."""
    found = read(write(tmp_path, text))
    assert (found.names, found.rows) == (("a", "b"), [("1", "2")])


def test_mixed_line_ends_are_read(tmp_path, read):
    """A file put together from two systems is read; line ends inside quotes stay what they are."""
    found = read(write(tmp_path, 'a,b\r\n1,2\n"x\r\ny",4\r\n"x\ny",\n'))
    assert found.rows == [("1", "2"), ("x\r\ny", "4"), ("x\ny", NONE)]


def test_a_last_line_without_an_end_counts(tmp_path, read):
    """The last record needs no line end, even if its last field is empty."""
    assert read(write(tmp_path, "a,b\n1,2\n3,")).rows == [("1", "2"), ("3", NONE)]


def test_a_byte_order_mark_is_no_part_of_the_first_name(tmp_path, read):
    """A UTF-8 mark is dropped with a header, without one, before blank lines and before quotes."""
    mark = b"\xef\xbb\xbf"
    assert read(write(tmp_path, mark + b"a,b\n1,2\n")).names == ("a", "b")
    assert read(write(tmp_path, mark + b"1,2\n3,4\n")).rows == [("1", "2"), ("3", "4")]
    assert read(write(tmp_path, mark + b'"a",b\n1,2\n')).names == ("a", "b")
    assert read(write(tmp_path, mark + b"\n\na,b\n1,2\n")).names == ("a", "b")
    assert read(write(tmp_path, mark + b"a b\n1 2\n"), delimiter="whitespace").names == ("a", "b")


@pytest.mark.samples(3)
@pytest.mark.parametrize(
    "encoding",
    ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "latin-1", "cp1252", "cp437", "mac-roman"],
)
def test_any_text_encoding_is_read(tmp_path, read, encoding):
    """The same table comes out of every encoding that can write it."""
    found = read(write(tmp_path, "name,n\nJosé,1\n".encode(encoding)), encoding=encoding)
    assert (found.names, found.rows) == (("name", "n"), [("José", "1")])


def test_an_eastern_encoding_is_read(tmp_path, read):
    """A multi-byte encoding is decoded before any byte of it is taken for a delimiter."""
    found = read(write(tmp_path, "名,n\nソ表,1\n".encode("shift-jis")), encoding="shift-jis")
    assert (found.names, found.rows) == (("名", "n"), [("ソ表", "1")])


def test_a_gzip_file_is_read_whatever_its_name(tmp_path, read):
    """Compression is seen in the content, and is no matter of the encoding."""
    packed = gzip.compress("a;b\n1;é\n".encode("latin-1"))
    for name in ("x.csv.gz", "x.csv", "x.gz"):
        assert read(write(tmp_path, packed, name), encoding="latin-1").rows == [("1", "é")]


def test_any_suffix_that_is_not_known_is_text(tmp_path, read):
    """A text file needs no suffix; a path object and a text are the same."""
    for name in ("adult.test", "x", "X.CSV", ".hidden"):
        path = write(tmp_path, "a,b\n1,2\n", name)
        assert read(path).rows == read(str(path)).rows == [("1", "2")]


def test_unicode_line_separators_are_characters(tmp_path, read):
    """Only LF and CRLF end a line."""
    value = "x\u2028y\x0b\x0c\x1c\x85z"
    assert read(write(tmp_path, f"a,b\n{value},1\n")).rows == [(value, "1")]


def test_a_comment_sign_is_a_character(tmp_path, read):
    """A line that begins with # is a record."""
    assert read(write(tmp_path, "a,b\n#1,2\n")).rows == [("#1", "2")]


def test_a_value_longer_than_any_buffer_is_read(tmp_path, read):
    """A field of five megabytes comes back whole."""
    value = "x" * 5_000_000
    assert read(write(tmp_path, f"a,b\n{value},1\n2,3\n")).rows == [(value, "1"), ("2", "3")]


def test_three_hundred_columns_are_read_in_their_order(tmp_path, read):
    """Width does not matter to the sample."""
    names = [f"column {i}" for i in range(300)]
    values = [str(i) for i in range(300)]
    found = read(write(tmp_path, ",".join(names) + "\n" + ",".join(values) + "\n"))
    assert found.names == tuple(names)
    assert found.rows == [tuple(values)]


def test_records_across_the_chunks_of_the_scan_are_counted_once(tmp_path, read):
    """A file of several megabytes with quotes, blanks and line ends at any place has every record."""
    text = io.StringIO()
    text.write("a,b\r\n")
    expected = []
    for i in range(120_000):
        value = f"{i}\r\n{'y' * (i % 37)}"
        text.write(f'{i},"{value}"\r\n')
        expected.append((str(i), value))
    found = read(write(tmp_path, text.getvalue()))
    assert sorted(found.rows) == sorted(expected)


def test_a_sample_that_ends_inside_quotes_grows(tmp_path, read):
    """A long quoted text at the beginning does not hide the dialect."""
    long = "line, with; all|\n" * 10_000
    found = read(write(tmp_path, f'a;b\n"{long}";1\n2;3\n'))
    assert found.rows == [(long, "1"), ("2", "3")]


def test_a_declared_delimiter_that_cuts_nothing_is_refused(tmp_path):
    """A comma file read with a semicolon would be one column; the error says which one cuts."""
    path = tmp_path / "t.csv"
    path.write_text("age,sex\n30,f\n31,m\n", encoding="utf-8")
    with pytest.raises(DataError, match="no delimiter ';', but ',' cuts every record into 2 fields"):
        ENGINE.open(path, ReadOptions(delimiter=";"), Needs(), EngineSettings())


@pytest.mark.parametrize(
    ("name", "options", "word"),
    [
        ("t.csv", ReadOptions(table="x"), "table"),
        ("t.csv", ReadOptions(query="SELECT 1"), "query"),
        ("t.parquet", ReadOptions(delimiter=";"), "delimiter"),
        ("t.parquet", ReadOptions(has_header=True), "header"),
    ],
)
def test_an_option_of_another_format_is_refused(tmp_path, name, options, word):
    """An option that the format cannot follow is said, not ignored."""
    frame = pd.DataFrame({"age": [30, 31]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    with pytest.raises(DataError, match=f"has no {word}"):
        ENGINE.open(tmp_path / name, options, Needs(), EngineSettings())
