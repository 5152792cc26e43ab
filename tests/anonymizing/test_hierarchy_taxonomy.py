"""Taxonomies: nested files and tables of parents, unbalanced trees, and what is refused."""

import json

import pytest

from hierarchy_columns import numbers, shown, texts
from qidguard.anonymizing.hierarchy import own_hierarchy, read_taxonomy
from qidguard.core.errors import DataError
from qidguard.sdk import taxonomy_hierarchy

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
