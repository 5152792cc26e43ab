"""Hierarchy files and taxonomies: how they are read, bound to a column, refused, and written again."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from hierarchy_columns import groups, numbers, shown, texts
from qidguard import sdk
from qidguard.anonymizing.hierarchy.file import hierarchy_csv, read_rows
from qidguard.anonymizing.hierarchy.level_sizes import own_hierarchy
from qidguard.anonymizing.hierarchy.taxonomy import read_taxonomy
from qidguard.core.column import ValueType
from qidguard.core.errors import DataError
from qidguard.sdk import taxonomy_hierarchy

SECRET = "Zanzibar-7f"  # noqa: S105 - a value of the table, no password


@pytest.fixture
def write(tmp_path):
    """Return a function that writes a file and returns its path."""

    def make(content: str | bytes, name: str = "h.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return make


REAL = ValueType.NUMBER
EMPTY = sdk.ColumnValues(
    name="c", value_type=ValueType.EMPTY, codes=np.zeros(3, dtype=np.int32), texts=(None,)
)
YOUNG, OLD, TOGETHER, SEXES = "17;young;*\n", "60;old;*\n", "1;x;*\n2;x;*\n", texts("f", "m")


@pytest.mark.parametrize(
    ("content", "column", "levels", "top"),
    [
        # levels are the file's columns, and values that the table lacks do no harm
        ("1;0-4;0-9;*\n6;5-9;0-9;*\n12;10-14;10-19;*\n99;95-99;90-99;*\n", numbers(1, 6, 12),
         [["0-4", "5-9", "10-14"], ["0-9", "0-9", "10-19"]], "*"),
        # a last column of one group is the top under its own name; above any other stands *
        ("f;x;*\nm;x;*\n", SEXES, [["x", "x"]], "*"),
        ("f;x\nm;y\n", SEXES, [["x", "y"]], "*"),
        ("f\nm\n", SEXES, [], "*"),
        ("f;any\nm;any\n", SEXES, [], "any"),
        ("f;x\nm;x\nz;y\n", SEXES, [["x", "x"]], "*"),
        # one value without a level is not the label of everything
        ("f\n", texts("f"), [], "*"),
        # each usual delimiter is recognized; with ; the others may stand in labels
        *((f"f{mark}*\nm{mark}*\n", SEXES, [], "*") for mark in ";,\t|"),
        ("f;a,b\nm;a,b\n", SEXES, [], "a,b"),
        # quoted fields keep delimiters, quotes and line ends; a byte-order mark and CRLF are no content
        ('\ufeff"a;b";x;*\r\n"c""d";x;*\r\n\r\n"e\nf";y;*', texts("a;b", 'c"d', "e\nf"), [["x", "x", "y"]],
         "*"),
        # 17 is found for 17.0 and for 017 where nothing else has that number
        (YOUNG + OLD, numbers("017", "60"), [["young", "old"]], "*"),
        (YOUNG + OLD, numbers("17.0", "60.0", kind=REAL), [["young", "old"]], "*"),
        ("017;code;*\n17;age;*\n", numbers("017", "17"), [["code", "age"]], "*"),
        # a cell that is suppressed already stays apart, whether the column holds texts or numbers
        (TOGETHER, texts("*", "1", "2"), [["*", "x", "x"]], "*"),
        (TOGETHER, numbers("*", "1", "2"), [["*", "x", "x"]], "*"),
        (TOGETHER, numbers("1", "gone", "nan", kind=REAL), [["x", "gone", "nan"]], "*"),
        # a column that is NULL throughout gets levels without groups
        ("f;x;*\n", EMPTY, [[]], "*"),
    ],
)  # fmt: skip
def test_a_file_says_what_each_value_is_published_as(write, content, column, levels, top):
    """NULL needs no row: it is a group of its own without a label, until everything is one group."""
    found = sdk.load_hierarchy(write(content), column)
    assert (found.labels[0], shown(found), found.labels[-1]) == (column.texts, levels, (top,))
    assert found.groups[0].tolist() == list(range(len(column.texts)))
    assert not found.groups[:, 0].any()
    assert found.groups[:-1, 1:].all()
    assert not found.groups[-1].any()
    for names in found.labels[:-1]:
        assert names[0] is None
        assert len(set(names)) == len(names)


def test_an_encoding_is_named_where_it_is_not_utf8(write):
    """A mark of byte order is no content under UTF-8 that is named by hand, too."""
    latin = write("Z\xfcrich;*\n".encode("latin-1"), "l.csv")
    assert sdk.load_hierarchy(latin, texts("Zürich"), encoding="latin-1").levels == 2
    with pytest.raises(DataError, match=r"^hierarchy file l\.csv is not text in UTF-8; name its encoding$"):
        sdk.load_hierarchy(latin, texts("Zürich"))
    assert sdk.load_hierarchy(write("\ufefff;*\n"), texts("f"), encoding="utf-8").levels == 2


@pytest.mark.parametrize(
    ("content", "column", "said"),
    [
        # in a column of texts 017 and 17 are two values; a date is held as days since 1970
        (YOUNG, texts("017", "17"), "lacks 1 of the 2 values"),
        (YOUNG, numbers("17.0", kind=ValueType.DATE), "lacks 1 of the 1 values"),
        (TOGETHER, texts("1", "gone"), "lacks 1 of the 2 values"),
        ("f;*\n", texts("f", SECRET, "m", name="sex"),
         "lacks 2 of the 3 values of column 'sex'; add a row for each$"),
        # nobody knows which is meant of one number that is written two ways
        ("17;a;*\n", numbers("017", "17", kind=REAL), "line 1( and 2)? fits several values"),
        ("017;a;*\n17;b;*\n", numbers("17.0", kind=REAL), "line 1( and 2)? fits several values"),
    ],
)  # fmt: skip
def test_values_that_a_file_lacks_or_has_twice_are_counted_and_not_named(write, content, column, said):
    """Nothing is guessed, and no value of the table stands in the sentence."""
    with pytest.raises(DataError, match=rf"^hierarchy file h\.csv {said}") as error:
        sdk.load_hierarchy(write(content), column)
    assert not any(text in str(error.value) for text in (SECRET, "17.0", "gone"))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "is empty; write one row a value, as value;group;*"),
        ("\n\n", "is empty; write one row a value, as value;group;*"),
        ('"a\nb";x;*\nb;x\n', "line 3 has 2 columns and line 1 has 3; give every row the same levels"),
        ("a;x;*\nb;x\n", "line 2 has 2 columns and line 1 has 3; give every row the same levels"),
        ("a;x;*\n\nb;x;*\na;y;*\n", "lines 1 and 4 give one value two labels; keep one of them"),
        ("a;x;u;*\nb;x;v;*\n",
         ("lines 1 and 2 are together in column 2 and apart in column 3; a coarser level only merges,"
          " so give them different labels in column 2")),
        ('a;"x;*\n', "line 1 has a quote that is not closed or not doubled; mend it"),
        ('a;x;*\n"b"c;x;*\n', "line 2 has a quote that is not closed or not doubled; mend it"),
        ("a,b|c\nd,e|f\n", "could be separated by ',' or '|'; name its delimiter"),
        ("a;\0\n", "holds a NUL character; save it as text"),
    ],
)  # fmt: skip
def test_a_faulty_file_is_refused_with_its_line(write, content, sentence):
    """Each fault is one sentence with the line that it stands in."""
    with pytest.raises(DataError) as error:
        read_rows(write(content))
    assert str(error.value) == f"hierarchy file h.csv {sentence}"


def test_rows_count_once_and_values_stand_in_the_order_of_the_file(write):
    """A row that stands twice with the same labels is no contradiction; no table is needed."""
    assert len(read_rows(write("a;x;*\nb;x;*\na;x;*\n")).rows) == 2
    assert own_hierarchy(read_rows(write("m;x;*\nf;x;*\n")), "sex").labels[0] == (None, "m", "f")


def test_what_is_no_file_is_refused(tmp_path):
    """A missing file and a folder are errors of the user."""
    with pytest.raises(DataError, match=r"^there is no hierarchy file gone\.csv; check its path$"):
        read_rows(tmp_path / "gone.csv")
    with pytest.raises(DataError, match="cannot be read"):
        read_rows(tmp_path)


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
    from qidguard.engines.duckdb.engine import ENGINE

    folder = data / "adult"
    source = str(folder / "adult_arx.csv")
    found = {}
    with ENGINE.snapshot(source, ReadOptions(delimiter=";"), EngineSettings(threads=2)) as table:
        for name in table.names:
            column = table.column(name)
            bound = sdk.load_hierarchy(folder / "hierarchies" / f"{name}.csv", column)
            found[name] = [len(groups(bound, level)) for level in range(bound.levels)]
    assert found == LEVELS


TREE = {"heart": {"vessels": ["angina", "stroke"], "valve": None}, "lung": ["asthma"]}
YAML = """\
heart:
  vessels: [angina, stroke]
  valve:
lung:
- asthma
"""
PARENTS = "vessels;heart\nangina;vessels\nstroke;vessels\nvalve;heart\nasthma;lung\nlung;\n"
VALUES = ("angina", "asthma", "heart", "stroke", "valve")
EXPECTED = [["vessels", "asthma", "heart", "vessels", "valve"], ["heart", "lung", "heart", "heart", "heart"]]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("icd.yaml", YAML),
        ("icd.json", json.dumps(TREE)),
        ("icd.csv", PARENTS),
        ("icd.tsv", PARENTS.replace(";", "\t")),
    ],
)
def test_every_form_of_file_gives_the_same_levels(tmp_path, name, content):
    """A leaf repeats until its depth is reached, and an inner node may be a value."""
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    found = taxonomy_hierarchy(texts(*VALUES), path)
    assert (shown(found), found.labels[-1]) == (EXPECTED, ("*",))
    assert found.labels == taxonomy_hierarchy(texts(*VALUES), TREE).labels


@pytest.mark.parametrize(
    ("column", "tree", "levels", "top"),
    [
        # one node above all is the top under its own name
        (texts("a", "b"), {"any": {"x": ["a"], "y": ["b"]}}, [["x", "y"]], "any"),
        # values without groups are exact, and then one group
        (texts("a", "b"), {"a": None, "b": None}, [], "*"),
        (texts("a"), {"a": None}, [], "*"),
        # what stands below its own name is that group
        (texts("other", "rest", "x"), {"other": ["other", "rest"], "y": ["x"]}, [["other"] * 2 + ["y"]], "*"),
        # scalars are texts as they are written, and numbers of a column are found by number too
        (texts("", "017", "1.10", "no"), "g: [no, 017, 1.10]\nh: ['']\n", [["h", "g", "g", "g"]], "*"),
        (numbers("1.1", "17"), "g: [no, 017, 1.10]\nh: ['']\n", [["g", "g"]], "*"),
    ],
)
def test_a_tree_says_what_each_value_is_published_as(tmp_path, column, tree, levels, top):
    """On each level between the values and the top, whether it is given or written as YAML."""
    path = tmp_path / "t.yaml"
    if isinstance(tree, str):
        path.write_text(tree, encoding="utf-8")
    found = taxonomy_hierarchy(column, path if isinstance(tree, str) else tree)
    assert (found.labels[0], shown(found), found.labels[-1]) == (column.texts, levels, (top,))


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("t.yaml", "a: [x]\nb: [x]\n", "taxonomy t.yaml has one name in two places in lines 1 and 2;"),
        ("t.yaml", "a: &p [x]\nb: *p\n", "taxonomy t.yaml line 1 uses an anchor"),
        ("t.yaml", "a: [x\n", "taxonomy t.yaml line 2 is not YAML; correct it"),
        ("t.yaml", "[a]: b\n", "taxonomy t.yaml line 1 has a key that is no text; name the group"),
        ("t.yaml", "", "taxonomy t.yaml is empty; name at least one value"),
        ("t.json", '{"a": ["x"],\n"a": ["y"]}', "taxonomy t.json names a group twice in one place"),
        ("t.json", '{"a": \n', "taxonomy t.json line 2 is not JSON; correct this line"),
        ("t.json", '{"a": [1.5]}', "a taxonomy names values and groups by text, not by float"),
        ("t.csv", "x;a\nx;b\n", "taxonomy t.csv has one name in two places in lines 1 and 2;"),
        ("t.csv", "x;a;*\n", "taxonomy t.csv line 1 has 3 columns; a table of parents has two"),
        ("t.csv", "x;y\ny;z\nz;x\n", "taxonomy t.csv has a name that stands below itself; mend its parents"),
        ("t.xls", "x", "taxonomy t.xls must be a .yaml, .json or .csv file; rename or convert it"),
    ],
)
def test_a_faulty_taxonomy_is_refused(tmp_path, name, content, sentence):
    """Each fault is one sentence, with the line where there is one, and without a name of the taxonomy."""
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    with pytest.raises(DataError) as error:
        taxonomy_hierarchy(texts("x"), path)
    assert str(error.value).startswith(sentence)


def test_values_that_are_missing_are_counted():
    """How many values stand nowhere in the tree, and none of them by name."""
    with pytest.raises(DataError, match=r"^the taxonomy lacks 2 of the 3 values of column 'c'; add a row"):
        taxonomy_hierarchy(texts("a", "b", "c"), {"g": ["a"]})


def test_depth_is_no_limit(tmp_path):
    """A chain of 2,000 parents binds; it has as many levels."""
    path = tmp_path / "deep.csv"
    path.write_text("".join(f"n{i + 1};n{i}\n" for i in range(2_000)), encoding="utf-8")
    assert taxonomy_hierarchy(texts("n2000"), path).levels == 2001


def test_a_taxonomy_shows_its_leaves(tmp_path):
    """Without a table its values are what nothing stands below."""
    path = tmp_path / "icd.yaml"
    path.write_text(YAML, encoding="utf-8")
    found = own_hierarchy(read_taxonomy(path), "illness")
    assert set(found.labels[0]) == {None, "valve", "asthma", "angina", "stroke"}
