"""Taxonomies: nested files and tables of parents, unbalanced trees, and what is refused."""

import json

import pytest

from hierarchy_columns import numbers, published, texts
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
EXPECTED = [
    ["vessels", "asthma", "heart", "vessels", "valve"],
    ["heart", "lung", "heart", "heart", "heart"],
    ["*"] * 5,
]


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
    assert [published(found, level) for level in (1, 2, 3)] == EXPECTED
    assert found.labels == taxonomy_hierarchy(texts(*VALUES), TREE).labels


def test_a_single_root_is_the_top():
    """One node above all is the last level under its own name."""
    found = taxonomy_hierarchy(texts("a", "b"), {"any": {"x": ["a"], "y": ["b"]}})
    assert found.labels == ((None, "a", "b"), (None, "x", "y"), ("any",))


def test_a_flat_taxonomy_has_only_the_top():
    """Values without groups are exact, and then one group."""
    assert taxonomy_hierarchy(texts("a", "b"), {"a": None, "b": None}).labels[1:] == (("*",),)
    assert taxonomy_hierarchy(texts("a"), {"a": None}).labels[1:] == (("*",),)


def test_what_stands_below_its_own_name_is_that_group():
    """``other`` in the group ``other`` is published as ``other`` on every level."""
    found = taxonomy_hierarchy(texts("other", "rest", "x"), {"other": ["other", "rest"], "y": ["x"]})
    assert published(found, 1) == ["other", "other", "y"]


def test_yaml_scalars_are_taken_as_they_are_written(tmp_path):
    """``no``, ``017`` and ``1.10`` are texts, and numbers of a column are found by number too."""
    path = tmp_path / "t.yaml"
    path.write_text("g: [no, 017, 1.10]\nh: ['']\n", encoding="utf-8")
    assert published(taxonomy_hierarchy(texts("", "017", "1.10", "no"), path), 1) == ["h", "g", "g", "g"]
    assert published(taxonomy_hierarchy(numbers("1.1", "17"), path), 1) == ["g", "g"]


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
