"""Tests of CSV files that cannot be read without guessing: each is one sentence, exit 2."""

import gzip

import pytest


def write(folder, content, name="x.csv"):
    """Write bytes or text as it stands."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_an_empty_file(tmp_path, refuse):
    """No byte, a mark alone, or white space alone is no table."""
    for content in ("", "\ufeff", "\n\n", "  \n", " "):
        sentence = refuse(write(tmp_path, content))
        assert "'x.csv'" in sentence
        assert "nothing" in sentence


def test_a_header_alone(tmp_path, refuse):
    """Names without records are no table, in whatever encoding or dialect."""
    for content, options in [
        ("a,b\n", {}),
        ("a,b", {}),
        ("a\n", {}),
        ("a b\n", {"delimiter": "whitespace"}),
        ("a;b\n\n\n", {"has_header": True}),
        ("1,2\n", {"has_header": True}),
    ]:
        assert "has a header but no records" in refuse(write(tmp_path, content), **options)


@pytest.mark.parametrize(
    ("text", "line", "count"),
    [
        ("a,b\n1,2\nSECRET\n", 3, "1 field,"),
        ("a,b\n1,2\n3,4,SECRET\n", 3, "3 fields"),
        ("a,b\n\n\n1,2\n3,4,5\n", 5, "3 fields"),
        ("a,b\n1,2,\n3,4,\n", 2, "3 fields"),
        ('a,b\n"x\ny",2\n3\n', 4, "1 field,"),
        ("a,b\r\n1,2\r\n3", 3, "1 field,"),
        ("a,b\n1,2\n,,\n", 3, "3 fields"),
        ("a,b\n1,2\n   \n", 3, "1 field,"),
    ],
)
def test_a_ragged_line_is_named_with_both_counts(tmp_path, refuse, text, line, count):
    """Too few and too many fields are never padded, dropped, or read as one column."""
    sentence = refuse(write(tmp_path, text))
    assert f"Line {line} of 'x.csv' has {count}" in sentence
    assert "record has 2;" in sentence


def test_a_ragged_line_far_behind_the_sample(tmp_path, refuse):
    """The whole file is checked, not only its beginning."""
    text = "a,b\n" + "1,2\n" * 700_000 + "SECRET\n"
    assert "Line 700002 of 'x.csv' has 1 field, but the first record has 2" in refuse(write(tmp_path, text))


def test_a_ragged_line_of_white_space(tmp_path, refuse):
    """Runs of blanks are counted like any delimiter."""
    sentence = refuse(write(tmp_path, "a b\n1   2\n3 4 5\n"), delimiter="whitespace")
    assert "Line 3 of 'x.csv' has 3 fields" in sentence


def test_one_column_with_a_stray_delimiter(tmp_path, refuse):
    """A few delimiters in a text column may be values or damage, so the delimiter is asked for."""
    assert "`delimiter:`" in refuse(write(tmp_path, "text\nhello\nbye, SECRET\nagain\nmore\n"))


@pytest.mark.parametrize("text", ["a;b,c\n1;2,3\n", "a,b\tc\n1,2\t3\n", "1,5;2,5\n3,5;4,5\n"])
def test_two_delimiters_that_fit_are_asked_for(tmp_path, refuse, text):
    """Where two delimiters cut all records alike, neither is guessed."""
    assert "`delimiter:`" in refuse(write(tmp_path, text))


def test_white_space_that_may_separate_is_asked_for(tmp_path, refuse):
    """Lines of equally many words may be one column or several."""
    assert "`delimiter: whitespace`" in refuse(write(tmp_path, "A11 6 A34\nA12 48 A32\n"))


def test_single_quotes_that_may_quote_are_asked_for(tmp_path, refuse):
    """A column whose every field stands in single quotes is not read with them."""
    sentence = refuse(write(tmp_path, "a,b\n'SECRET',1\n'?',2\n"))
    assert "`quote:" in sentence


def test_a_quote_that_is_never_closed(tmp_path, refuse):
    """The line where the quote opens is named."""
    for text in ('a,b\n1,2\n"SECRET,4\n5,6\n', 'a,b\n1,2\n3,"'):
        assert "A quote in line 3 of 'x.csv' is never closed" in refuse(write(tmp_path, text))


@pytest.mark.parametrize(
    "field", ['SE"CRET', '"SECRET"x', '"SECRET" ', ' "SECRET"', '"SE\\"CRET"', '""SECRET""', 'SECRET"']
)
def test_a_quote_inside_a_field(tmp_path, refuse, field):
    """What RFC 4180 does not allow is not interpreted: no backslash escapes, no blanks around quotes."""
    sentence = refuse(write(tmp_path, f"a,b\n1,2\n{field},4\n"))
    assert "Line 3 of 'x.csv' has a quote inside a field" in sentence


def test_a_lone_carriage_return(tmp_path, refuse):
    """A carriage return outside of quotes that ends no line may be a line end or a value."""
    for text in ("a,b\n1,SEC\rRET\n", "a,b\r1,2\r", "a,b\n1,2\r\r\n", "a,b\n1,2\n\r", "a\n1\r"):
        assert "carriage return" in refuse(write(tmp_path, text), delimiter=",")


def test_a_blank_line_in_one_column(tmp_path, refuse):
    """In a file of one column a blank line may be a missing value, so it is neither skipped nor taken."""
    for text in ("age\n1\n\n2\n", "age\n1\n2\n\n", "age\n\n1\n"):
        assert "is blank" in refuse(write(tmp_path, text))


def test_bytes_that_are_no_utf8_are_located(tmp_path, refuse):
    """The offset of the first wrong byte is named, and the option that helps."""
    sentence = refuse(write(tmp_path, b"a,b\n1,M\xfcller\n"))
    assert "UTF-8 (byte 7)" in sentence
    assert "`encoding:`" in sentence


def test_bytes_that_are_no_utf8_far_behind_the_sample_are_located(tmp_path, refuse):
    """The whole file is checked, over the edges of chunks too."""
    head = b"a,b\n" + "1,é\n".encode() * 600_001
    assert f"(byte {len(head) + 2})" in refuse(write(tmp_path, head + b"1,\xff\n"))
    assert f"(byte {len(head) + 2})" in refuse(write(tmp_path, head + b"1,\xc3"))


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        ("a,b\n1,é\n".encode("latin-1"), "utf-16"),
        ("a,b\n1,éé\n".encode("latin-1"), "utf-16-le"),
        (b"a,b\n1,\xff\n", "ascii"),
        (b"a,b\n1,\x81\n", "cp1252"),
        ("a,b\n1,é\n".encode("utf-16"), None),
        ("a,b\n1,é\n".encode("utf-16-le"), None),
        ("a,b\n1,é\n".encode("utf-16-be"), "latin-1"),
        ("a,b\n1,é\n".encode("utf-32"), None),
    ],
)
def test_a_wrong_encoding(tmp_path, refuse, content, encoding):
    """A file of another encoding than declared never gives fewer records or other letters without a word."""
    assert "'x.csv'" in refuse(write(tmp_path, content), encoding=encoding)


@pytest.mark.parametrize("encoding", ["no-such", "rot13", "base64", "hex", "utf-8\0"])
def test_an_encoding_that_is_none(tmp_path, refuse, encoding):
    """An unknown name, or a codec that is no text encoding, is a mistake of the user."""
    assert "encoding" in refuse(write(tmp_path, "a,b\n1,2\n"), encoding=encoding)


@pytest.mark.parametrize(
    "content",
    [
        b"PAR1xxxx",
        b"PK\x03\x04SECRET",
        b"SQLite format 3\0",
        b"\x89PNG\r\n\x1a\n\0\0",
        b"a,b\n1,\0\n",
        b"a,b\n" + b"1,2\n" * 100_000 + b"1,\0\n",
        bytes(range(256)),
        b"\x7fELF\x02\x01\x01\0",
        b"%PDF-1.7\n",
    ],
)
def test_a_binary_file_by_the_name_of_csv(tmp_path, refuse, content):
    """Known first bytes, NUL characters and invalid text are no CSV."""
    assert "'x.csv'" in refuse(write(tmp_path, content))


@pytest.mark.samples(3)
@pytest.mark.parametrize("encoding", [None, "latin-1"])
@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n", "a PNG image"),
        (b"\xff\xd8\xff\xe0", "a JPEG image"),
        (b"%PDF-1.7\n", "a PDF document"),
        (b"PK\x03\x04", "an Excel workbook or a zip archive"),
        (b"PAR1", "a Parquet file"),
        (b"12345678DUCK\0\0", "a DuckDB database"),
    ],
)
def test_a_known_binary_format_is_named(tmp_path, refuse, head, kind, encoding):
    """The sentence says what the file looks like and advises no encoding, within gzip too."""
    content = head + b"\0\xff\xfe\x80SECRET" * 9
    for stored, inside in ((content, ""), (gzip.compress(content), " inside of gzip")):
        sentence = refuse(write(tmp_path, stored), encoding=encoding)
        assert f"is {kind}{inside}, which is binary" in sentence
        assert "encoding" not in sentence


def test_bytes_with_nul_characters_are_called_binary(tmp_path, refuse):
    """An unknown format with NUL bytes is no text of Latin letters."""
    for content in (b"\x01\xff\0\0\x80\x81" * 50, gzip.compress(b"\x01\xff\0\0\x80" * 50)):
        sentence = refuse(write(tmp_path, content))
        assert "binary" in sentence
        assert "latin-1" not in sentence


def test_a_damaged_archive(tmp_path, refuse):
    """A gzip file that ends early or is altered is not read in part."""
    packed = gzip.compress(b"a,b\n" + b"1,2\n" * 1000)
    for content in (packed[:-9], packed[:30], packed[:20] + b"\xff\xff" + packed[22:]):
        assert "damaged" in refuse(write(tmp_path, content, "x.csv.gz"))


def test_a_marker_that_would_match_after_trimming(tmp_path, refuse):
    """A declared marker with blanks around it would silently stay a value, so trimming is asked for."""
    for field in (" ?", "?  ", "\t?", '" ?"', "\u00a0?", '"?\n"'):
        sentence = refuse(write(tmp_path, f"a,b\n1,2\n3,{field}\n"), missing=("?",))
        assert "`trim: true`" in sentence
        assert "'b'" in sentence


@pytest.mark.parametrize("delimiter", ["", "ab", "\n", "\r", "\0", '"', "§"])
def test_a_delimiter_that_is_none(tmp_path, refuse, delimiter):
    """A delimiter is one ASCII character and neither a line end nor the quote."""
    assert "delimiter" in refuse(write(tmp_path, "a,b\n1,2\n"), delimiter=delimiter)


@pytest.mark.parametrize("quote", ["ab", "\n", "«", "a", " ", "\0"])
def test_a_quote_that_is_none(tmp_path, refuse, quote):
    """A quote is one ASCII character that no plain value begins with."""
    assert "quote" in refuse(write(tmp_path, "a,b\n1,2\n"), quote=quote)


def test_quotes_between_white_space(tmp_path, refuse):
    """A quoted text with blanks in it would be cut by runs of blanks."""
    late = "a b\n" + "1 2\n" * 50_000 + '"New York"\n'
    for text in ('a b\n"New York" 1\n', late):
        assert "quotes" in refuse(write(tmp_path, text), delimiter="whitespace")
