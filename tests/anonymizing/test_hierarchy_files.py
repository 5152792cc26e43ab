"""Hierarchy files: how they are read, matched to a column, refused, and written again."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from hierarchy_columns import groups, numbers, published, texts
from qidguard import sdk
from qidguard.anonymizing.hierarchy import hierarchy_csv, own_hierarchy, read_rows
from qidguard.core.column import ValueType
from qidguard.core.errors import DataError

SECRET = "Zanzibar-7f"  # noqa: S105 - a value of the table, no password


@pytest.fixture
def write(tmp_path):
    """Return a function that writes a file and returns its path."""

    def make(content: str | bytes, name: str = "h.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return make


def test_levels_are_the_files_columns(write):
    """Four columns whose last is one group give four levels, and values that the table lacks do no harm."""
    path = write("1;0-4;0-9;*\n6;5-9;0-9;*\n12;10-14;10-19;*\n99;95-99;90-99;*\n")
    found = sdk.load_hierarchy(path, numbers(1, 6, 12))
    assert found.levels == 4
    assert [published(found, level) for level in range(4)] == [
        ["1", "6", "12"],
        ["0-4", "5-9", "10-14"],
        ["0-9", "0-9", "10-19"],
        ["*", "*", "*"],
    ]


def test_null_stays_apart_below_the_top(write):
    """NULL needs no row: it is a group of its own without a label, until everything is one group."""
    found = sdk.load_hierarchy(write("f;x;*\nm;x;*\n"), texts("f", "m"))
    assert found.groups.tolist() == [[0, 1, 2], [0, 1, 1], [0, 0, 0]]
    assert found.labels == ((None, "f", "m"), (None, "x"), ("*",))


@pytest.mark.parametrize(
    ("content", "labels"),
    [
        ("f;x\nm;y\n", ((None, "f", "m"), (None, "x", "y"), ("*",))),
        ("f\nm\n", ((None, "f", "m"), ("*",))),
        ("f;any\nm;any\n", ((None, "f", "m"), ("any",))),
        ("f;x\nm;x\nz;y\n", ((None, "f", "m"), (None, "x"), ("*",))),
    ],
)
def test_a_top_is_added_where_there_is_none(write, content, labels):
    """A last column of one group is the top under its own name; above any other stands ``*``."""
    assert sdk.load_hierarchy(write(content), texts("f", "m")).labels == labels


@pytest.mark.parametrize("delimiter", [";", ",", "\t", "|"])
def test_the_delimiter_is_found(write, delimiter):
    """Each usual delimiter is recognized; with ``;`` the others may stand in labels."""
    path = write(delimiter.join("f*") + "\n" + delimiter.join("m*") + "\n")
    assert sdk.load_hierarchy(path, texts("f", "m")).labels[-1] == ("*",)
    mixed = sdk.load_hierarchy(write("f;a,b\nm;a,b\n"), texts("f", "m"))
    assert mixed.labels[-1] == ("a,b",)


def test_quotes_line_ends_marks_and_encodings_are_read(write):
    """Quoted fields keep delimiters, quotes and line ends; a byte-order mark and CRLF are no content."""
    path = write('\ufeff"a;b";x;*\r\n"c""d";x;*\r\n\r\n"e\nf";y;*'.encode())
    found = sdk.load_hierarchy(path, texts("a;b", 'c"d', "e\nf"))
    assert published(found, 1) == ["x", "x", "y"]
    latin = write("Z\xfcrich;*\n".encode("latin-1"), "l.csv")
    assert sdk.load_hierarchy(latin, texts("Zürich"), encoding="latin-1").levels == 2
    with pytest.raises(DataError, match=r"^hierarchy file l\.csv is not text in UTF-8; name its encoding$"):
        sdk.load_hierarchy(latin, texts("Zürich"))


def test_numbers_are_found_by_number(write):
    """17 is found for ``17.0`` and for ``017`` where nothing else has that number."""
    path = write("17;young;*\n60;old;*\n")
    assert published(sdk.load_hierarchy(path, numbers("017", "60")), 1) == ["young", "old"]
    real = numbers("17.0", "60.0", kind=ValueType.NUMBER)
    assert published(sdk.load_hierarchy(path, real), 1) == ["young", "old"]


def test_a_text_is_never_a_number(write):
    """In a column of texts ``017`` and ``17`` are two values, and the file lacks one of them."""
    with pytest.raises(DataError, match="lacks 1 of the 2 values"):
        sdk.load_hierarchy(write("17;young;*\n"), texts("017", "17"))


def test_a_date_is_never_a_number(write):
    """A date is held as days since 1970, and a row with that number does not mean it."""
    with pytest.raises(DataError, match="lacks 1 of the 1 values"):
        sdk.load_hierarchy(write("17;young;*\n"), numbers("17.0", kind=ValueType.DATE))


def test_an_exact_text_goes_before_the_number(write):
    """Where the file has both ``017`` and ``17``, each value has its own row."""
    path = write("017;code;*\n17;age;*\n")
    assert published(sdk.load_hierarchy(path, numbers("017", "17")), 1) == ["code", "age"]


@pytest.mark.parametrize(
    ("content", "values"), [("17;a;*\n", ("017", "17")), ("017;a;*\n17;b;*\n", ("17.0",))]
)
def test_one_number_written_two_ways_is_ambiguous(write, content, values):
    """Nobody knows which is meant, so nothing is guessed, and no value is named."""
    with pytest.raises(
        DataError, match=r"^hierarchy file h\.csv line 1( and 2)? fits several values"
    ) as error:
        sdk.load_hierarchy(write(content), numbers(*values, kind=ValueType.NUMBER))
    assert "17.0" not in str(error.value)


def test_a_missing_value_is_counted_and_not_named(write):
    """The error says how many values lack a row; none of them stands in it."""
    with pytest.raises(DataError) as error:
        sdk.load_hierarchy(write("f;*\n"), texts("f", SECRET, "m", name="sex"))
    expected = "hierarchy file h.csv lacks 2 of the 3 values of column 'sex'; add a row for each"
    assert str(error.value) == expected


def test_a_cell_that_is_suppressed_already_stays_apart(write):
    """``*`` needs no row, whether the column holds texts or numbers."""
    path = write("1;x;*\n2;x;*\n")
    for column in (texts("*", "1", "2"), numbers("*", "1", "2")):
        found = sdk.load_hierarchy(path, column)
        assert groups(found, 1) == [{1}, {2, 3}]
        assert published(found, 1) == ["*", "x", "x"]
    marked = sdk.load_hierarchy(path, numbers("1", "gone", "nan", kind=ValueType.NUMBER))
    assert published(marked, 1) == ["x", "gone", "nan"]
    with pytest.raises(DataError, match="lacks 1 of the 2 values"):
        sdk.load_hierarchy(path, texts("1", "gone"))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "is empty; write one row a value, as value;group;*"),
        ("\n\n", "is empty; write one row a value, as value;group;*"),
        ('"a\nb";x;*\nb;x\n', "line 3 has 2 columns and line 1 has 3; give every row the same levels"),
        ("a;x;*\nb;x\n", "line 2 has 2 columns and line 1 has 3; give every row the same levels"),
        ("a;x;*\n\nb;x;*\na;y;*\n", "lines 1 and 4 give one value two labels; keep one of them"),
        (
            "a;x;u;*\nb;x;v;*\n",
            (
                "lines 1 and 2 are together in column 2 and apart in column 3; a coarser level only merges,"
                " so give them different labels in column 2"
            ),
        ),
        ('a;"x;*\n', "line 1 has a quote that is not closed or not doubled; mend it"),
        ('a;x;*\n"b"c;x;*\n', "line 2 has a quote that is not closed or not doubled; mend it"),
        ("a,b|c\nd,e|f\n", "could be separated by ',' or '|'; name its delimiter"),
        ("a;\0\n", "holds a NUL character; save it as text"),
    ],
)
def test_a_faulty_file_is_refused_with_its_line(write, content, sentence):
    """Each fault is one sentence with the line that it stands in."""
    with pytest.raises(DataError) as error:
        read_rows(write(content))
    assert str(error.value) == f"hierarchy file h.csv {sentence}"


def test_one_value_without_a_level_has_the_usual_top(write):
    """A file of one cell does not make the value the label of everything."""
    assert sdk.load_hierarchy(write("f\n"), texts("f")).labels == ((None, "f"), ("*",))


def test_a_mark_of_byte_order_goes_under_a_named_encoding_too(write):
    """UTF-8 that is named by hand reads like UTF-8 that is not."""
    path = write("\ufefff;*\n")
    assert sdk.load_hierarchy(path, texts("f"), encoding="utf-8").levels == 2


def test_identical_rows_count_once(write):
    """A row that stands twice with the same labels is no contradiction."""
    assert len(read_rows(write("a;x;*\nb;x;*\na;x;*\n")).rows) == 2


def test_what_is_no_file_is_refused(tmp_path):
    """A missing file and a folder are errors of the user."""
    with pytest.raises(DataError, match=r"^there is no hierarchy file gone\.csv; check its path$"):
        read_rows(tmp_path / "gone.csv")
    with pytest.raises(DataError, match="cannot be read"):
        read_rows(tmp_path)


def test_an_empty_column_binds(write):
    """A column that is NULL throughout gets levels without groups, and the top."""
    empty = sdk.ColumnValues(
        name="c", value_type=ValueType.EMPTY, codes=np.zeros(3, dtype=np.int32), texts=(None,)
    )
    assert sdk.load_hierarchy(write("f;x;*\n"), empty).labels == ((None,), (None,), ("*",))


CELLS = st.text(st.sampled_from('ab;,|"\n\t é*'), max_size=4)


@settings(max_examples=examples(60), deadline=None, derandomize=True, database=None)
@given(st.lists(CELLS, min_size=1, max_size=6, unique=True), st.sampled_from(["frequency", "similarity"]))
def test_what_is_written_is_read_again(tmp_path_factory, values, kind):
    """A hierarchy that was written as a file binds to the same groups, whatever its values hold."""
    column = texts(*sorted(values), counts=range(1, len(values) + 1))
    made = sdk.automatic_hierarchy(column, kind)
    path = tmp_path_factory.mktemp("again") / "h.csv"
    path.write_text(hierarchy_csv(made), encoding="utf-8", newline="")
    again = sdk.load_hierarchy(path, column, delimiter=";")
    assert again.groups.tolist() == made.groups.tolist()
    assert again.labels == made.labels


def test_a_file_shows_its_own_values(write):
    """Without a table the file's values stand in its order, each once."""
    assert own_hierarchy(read_rows(write("m;x;*\nf;x;*\n")), "sex").labels[0] == (None, "m", "f")


LEVELS = {
    "sex": [2, 1],
    "age": [72, 15, 8, 5, 1],
    "race": [5, 1],
    "marital-status": [7, 2, 1],
    "education": [16, 5, 3, 1],
    "native-country": [41, 5, 1],
    "workclass": [7, 3, 1],
    "occupation": [14, 3, 1],
    "salary-class": [2, 1],
}
"""Groups of each level that Adult's files make of the values in the table."""


@pytest.mark.realdata
def test_the_files_of_adult_bind(data):
    """All nine files bind to the table, with the levels that they have."""
    from qidguard.engines.base import EngineSettings, ReadOptions
    from qidguard.engines.duckdb import ENGINE

    folder = data / "adult"
    source = str(folder / "adult_arx.csv")
    found = {}
    with ENGINE.snapshot(source, ReadOptions(delimiter=";"), EngineSettings(threads=2)) as table:
        for name in table.names:
            column = table.column(name)
            bound = sdk.load_hierarchy(folder / "hierarchies" / f"{name}.csv", column)
            found[name] = [len(groups(bound, level)) for level in range(bound.levels)]
    assert found == LEVELS
