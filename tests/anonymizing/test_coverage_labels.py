"""Labels of a hierarchy: what a published one covers, against lists written by hand."""

import pytest

from columns import column, covered, hierarchy
from qidguard.sdk import DataError, read_coverage


def test_labels():
    """A label covers its group, and the hierarchy tells it where the text alone would be misread."""
    found = hierarchy(
        [[0, 1, 2, 1, 2], [0, 1, 1, 1, 1], [0, 0, 0, 0, 0]],
        (None, "5-10", "group 2 of 2"),
        (None, "any"),
        ("all",),
    )
    values = [1, 2, 3, 9]
    assert covered(values, "5-10", hierarchy=found) == ["1", "3"]
    assert covered(values, "group 2 of 2", hierarchy=found) == ["2", "9"]
    assert covered(values, "any", hierarchy=found) == ["1", "2", "3", "9"]
    assert covered(values, "all", hierarchy=found) == ["1", "2", "3", "9"]
    assert covered(values, "{any, 3}", hierarchy=found) == ["1", "2", "3", "9"]


def test_a_label_of_two_levels_is_the_widest():
    """Where levels share a label nobody can tell them apart, so it covers the larger group."""
    found = hierarchy(
        [[0, 1, 1, 2, 3, 3], [0, 1, 1, 2, 2, 2], [0, 0, 0, 0, 0, 0]],
        (None, "x", "y", "z"),
        (None, "y", "x"),
        ("*",),
    )
    assert covered(list("abcde"), "x", hierarchy=found) == ["c", "d", "e"]
    assert covered(list("abcde"), "y", hierarchy=found) == ["a", "b"]
    assert covered(list("abcde"), "z", hierarchy=found) == ["d", "e"]


def test_a_label_that_is_a_value_too():
    """Published more often than the original has the value, it is the label: for all of its cells."""
    found = hierarchy([[0, 1, 1, 2], [0, 0, 0, 0]], (None, "b", "c"), ("*",))
    before = column(["a", "b", "c", "c"])
    kept = read_coverage(before, column(["a", "b", "c", "c"]), found)
    assert [kept.covered(code).tolist() for code in (1, 2, 3)] == [[1], [2], [3]]
    used = read_coverage(before, column(["b", "b", "c", "c"]), found)
    assert [used.covered(code).tolist() for code in (1, 2)] == [[1, 2], [3]]
    assert used.loss_of([1, 1, 2], [1, 2, 3]).tolist() == [0.5, 0.5, 0.0]


def test_a_label_of_two_groups_covers_both():
    """Two groups of one level with one label are published as one."""
    found = hierarchy([[0, 1, 2, 3], [0, 0, 0, 0]], (None, "x", "x", "y"), ("*",))
    assert covered(list("abc"), "x", hierarchy=found) == ["a", "b"]


def test_a_hierarchy_of_other_values():
    """A hierarchy bound to another column is refused, without a value in the sentence."""
    other = hierarchy([[0, 0, 0]], ("*",))
    with pytest.raises(DataError, match="that of 'q' groups 2 values where there are 3; bind it anew"):
        read_coverage(column(list("abc")), column(["*"]), other)
