"""CSV files that cannot be read without guessing: each is one sentence, exit 2."""

import gzip

import pytest

LATE = "a b\n" + "1 2\n" * 50_000 + '"New York"\n'
FAR = b"a,b\n" + "1,é\n".encode() * 600_001
AFTER = f"UTF-8 (byte {len(FAR) + 2})"
SPACES = {"delimiter": "whitespace"}
COMMA = {"delimiter": ","}
RAGGED = "record has 2;"
UNCLOSED = "A quote in line 3 of 'x.csv' is never closed"
HEADER = "has a header but no records"

REFUSED = [
    *((text, {}, ("'x.csv'", "nothing")) for text in ("", "\ufeff", "\n\n", "  \n", " ")),
    ("a,b", {}, (HEADER,)),
    ("a\n", {}, (HEADER,)),
    ("a b\n", SPACES, (HEADER,)),
    ("a;b\n\n\n", {"has_header": True}, (HEADER,)),
    ("1,2\n", {"has_header": True}, (HEADER,)),
    # too few and too many fields are never padded, dropped, or read as one column
    ("a,b\n1,2\nSECRET\n", {}, ("Line 3 of 'x.csv' has 1 field,", RAGGED)),
    ("a,b\n1,2\n3,4,SECRET\n", {}, ("Line 3 of 'x.csv' has 3 fields", RAGGED)),
    ("a,b\n\n\n1,2\n3,4,5\n", {}, ("Line 5 of 'x.csv' has 3 fields", RAGGED)),
    ("a,b\n1,2,\n3,4,\n", {}, ("Line 2 of 'x.csv' has 3 fields", RAGGED)),
    ('a,b\n"x\ny",2\n3\n', {}, ("Line 4 of 'x.csv' has 1 field,", RAGGED)),
    ("a,b\r\n1,2\r\n3", {}, ("Line 3 of 'x.csv' has 1 field,", RAGGED)),
    ("a,b\n1,2\n,,\n", {}, ("Line 3 of 'x.csv' has 3 fields", RAGGED)),
    ("a,b\n1,2\n   \n", {}, ("Line 3 of 'x.csv' has 1 field,", RAGGED)),
    ("a,b\n" + "1,2\n" * 700_000 + "SECRET\n", {}, ("Line 700002 of 'x.csv' has 1 field, but the first",)),
    ("a b\n1   2\n3 4 5\n", SPACES, ("Line 3 of 'x.csv' has 3 fields",)),
    # what may be a value or damage, or be cut by two delimiters, is asked about
    ("text\nhello\nbye, SECRET\nagain\nmore\n", {}, ("`delimiter:`",)),
    ("a;b,c\n1;2,3\n", {}, ("`delimiter:`",)),
    ("a,b\tc\n1,2\t3\n", {}, ("`delimiter:`",)),
    ("1,5;2,5\n3,5;4,5\n", {}, ("`delimiter:`",)),
    ("A11 6 A34\nA12 48 A32\n", {}, ("`delimiter: whitespace`",)),
    ("a,b\n'SECRET',1\n'?',2\n", {}, ("`quote:",)),
    ('a,b\n1,2\n"SECRET,4\n5,6\n', {}, (UNCLOSED,)),
    ('a,b\n1,2\n3,"', {}, (UNCLOSED,)),
    # what RFC 4180 does not allow is not interpreted
    *(
        (f"a,b\n1,2\n{field},4\n", {}, ("Line 3 of 'x.csv' has a quote inside a field",))
        for field in (
            'SE"CRET',
            '"SECRET"x',
            '"SECRET" ',
            ' "SECRET"',
            '"SE\\"CRET"',
            '""SECRET""',
            'SECRET"',
        )
    ),
    *(
        (text, COMMA, ("carriage return",))
        for text in ("a,b\n1,SEC\rRET\n", "a,b\r1,2\r", "a,b\n1,2\r\r\n", "a,b\n1,2\n\r", "a\n1\r")
    ),
    *((text, {}, ("is blank",)) for text in ("age\n1\n\n2\n", "age\n1\n2\n\n", "age\n\n1\n")),
    ('a b\n"New York" 1\n', SPACES, ("quotes",)),
    (LATE, SPACES, ("quotes",)),
    # the first wrong byte is named, over the edges of chunks too
    (b"a,b\n1,M\xfcller\n", {}, ("UTF-8 (byte 7)", "`encoding:`")),
    (FAR + b"1,\xff\n", {}, (AFTER,)),
    (FAR + b"1,\xc3", {}, (AFTER,)),
    # another encoding than declared never gives fewer records or other letters without a word
    ("a,b\n1,é\n".encode("latin-1"), {"encoding": "utf-16"}, ("'x.csv'",)),
    ("a,b\n1,éé\n".encode("latin-1"), {"encoding": "utf-16-le"}, ("'x.csv'",)),
    (b"a,b\n1,\xff\n", {"encoding": "ascii"}, ("'x.csv'",)),
    (b"a,b\n1,\x81\n", {"encoding": "cp1252"}, ("'x.csv'",)),
    ("a,b\n1,é\n".encode("utf-16"), {}, ("'x.csv'",)),
    ("a,b\n1,é\n".encode("utf-16-le"), {}, ("'x.csv'",)),
    ("a,b\n1,é\n".encode("utf-16-be"), {"encoding": "latin-1"}, ("'x.csv'",)),
    ("a,b\n1,é\n".encode("utf-32"), {}, ("'x.csv'",)),
    # known first bytes, NUL characters and invalid text are no CSV
    (b"PAR1xxxx", {}, ("'x.csv'",)),
    (b"SQLite format 3\0", {}, ("'x.csv'",)),
    (b"a,b\n1,\0\n", {}, ("'x.csv'",)),
    (b"a,b\n" + b"1,2\n" * 100_000 + b"1,\0\n", {}, ("'x.csv'",)),
    (bytes(range(256)), {}, ("'x.csv'",)),
    # an option that is none
    *(("a,b\n1,2\n", {"encoding": e}, ("encoding",)) for e in ("no-such", "rot13", "base64", "utf-8\0")),
    *(("a,b\n1,2\n", {"delimiter": d}, ("delimiter",)) for d in ("", "ab", "\n", "\r", "\0", '"', "§")),
    *(("a,b\n1,2\n", {"quote": q}, ("quote",)) for q in ("ab", "\n", "«", "a", " ", "\0")),
    # a marker with blanks around it would silently stay a value
    *(
        (f"a,b\n1,2\n3,{field}\n", {"missing": ("?",)}, ("`trim: true`", "'b'"))
        for field in (" ?", "?  ", "\t?", '" ?"', "\u00a0?", '"?\n"')
    ),
]


@pytest.mark.parametrize(
    ("content", "options", "words"), REFUSED, ids=[f"{i} {row[2][0]}" for i, row in enumerate(REFUSED)]
)
def test_what_nobody_can_read_without_guessing_is_refused(write, refuse, content, options, words):
    """The sentence names the file and the line, or the option that helps."""
    said = refuse(write(content), **options)
    assert [word for word in words if word not in said] == []


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
def test_a_known_binary_format_is_named(write, refuse, head, kind, encoding):
    """The sentence says what the file looks like and advises no encoding, within gzip too."""
    content = head + b"\0\xff\xfe\x80SECRET" * 9
    for stored, inside in ((content, ""), (gzip.compress(content), " inside of gzip")):
        sentence = refuse(write(stored), encoding=encoding)
        assert f"is {kind}{inside}, which is binary" in sentence
        assert "encoding" not in sentence


def test_bytes_with_nul_characters_are_called_binary(write, refuse):
    """An unknown format with NUL bytes is no text of Latin letters."""
    for content in (b"\x01\xff\0\0\x80\x81" * 50, gzip.compress(b"\x01\xff\0\0\x80" * 50)):
        sentence = refuse(write(content))
        assert ("binary" in sentence, "latin-1" in sentence) == (True, False)


def test_a_damaged_archive(write, refuse):
    """A gzip file that ends early or is altered is not read in part."""
    packed = gzip.compress(b"a,b\n" + b"1,2\n" * 1000)
    for content in (packed[:-9], packed[:30], packed[:20] + b"\xff\xff" + packed[22:]):
        assert "damaged" in refuse(write(content, "x.csv.gz"))
