"""A hierarchy is refused when it is made unless its levels nest, from exact to one group."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard.sdk import DataError, Hierarchy

LEVELS = ((0, 1, 2, 3), (0, 1, 1, 2), (0, 0, 0, 0))
LABELS = ((None, "1", "2", "3"), (None, "[1, 2]", "3"), ("*",))


def hierarchy(groups=LEVELS, labels=LABELS):
    """Return a hierarchy of three values and NULL."""
    return Hierarchy(column="x", groups=np.array(groups, dtype=np.int32), labels=labels, origin="by hand")


def test_levels_and_leaves():
    """Values that each group covers, NULL not counted: one each, then two and one, then all three."""
    found = hierarchy()
    assert found.levels == 3
    assert [found.leaves(level).tolist() for level in range(3)] == [[0, 1, 1, 1], [0, 2, 1], [3]]
    with pytest.raises(IndexError):
        found.leaves(3)


def test_a_column_without_values_has_one_too():
    """NULL alone is a group of no value on both levels."""
    found = hierarchy([[0], [0]], ((None,), ("*",)))
    assert [found.leaves(level).tolist() for level in range(2)] == [[0], [0]]


def test_values_do_not_print():
    """Labels and groups are values of the table."""
    assert repr(hierarchy()) == "Hierarchy(column='x', origin='by hand')"


@pytest.mark.parametrize(("groups", "labels", "said"), [
    ([[0, 1]], ((None, "1"),), "needs an exact level and one above it"),
    ([0, 1], ((None, "1"),), "needs an exact level and one above it"),
    (np.zeros((2, 0)), ((), ()), "needs an exact level and one above it"),
    (LEVELS, LABELS[:2], "labels for each of its levels"),
    (((0, 2, 1, 3), *LEVELS[1:]), LABELS, "level 0 .* must keep all values apart"),
    (((0, 1, 1, 3), *LEVELS[1:]), LABELS, "level 0 .* must keep all values apart"),
    (LEVELS[:2], LABELS[:2], "must be a single group"),
    (LEVELS, (LABELS[0], (None, "[1, 2]"), LABELS[2]), "level 1 .* lacks a group's label"),
    (((0, 1, 2, 3), (0, -1, 1, 2), (0, 0, 0, 0)), LABELS, "level 1 .* lacks a group's label"),
    ((LEVELS[0], LEVELS[1], (0, 1, 2, 2), LEVELS[2]), (*LABELS[:2], (None, "1", "[2, 3]"), LABELS[2]),
     "level 2 .* separates values that level 1 puts together"),
])  # fmt: skip
def test_levels_that_are_none(groups, labels, said):
    """Each refusal names the column and the level, and no value."""
    with pytest.raises(DataError, match=said) as caught:
        hierarchy(groups, labels)
    assert "'x'" in str(caught.value)
    assert "[1, 2]" not in str(caught.value)


@settings(max_examples=examples(30), derandomize=True, database=None, deadline=None)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=8))
def test_leaves_of_every_level_are_all_values(middle):
    """However a level groups them, each value is in one group."""
    _, level = np.unique([-1, *middle], return_inverse=True)
    codes = len(level)
    names = (None, *map(str, range(1, int(level.max()) + 1)))
    exact = (None, *map(str, range(1, codes)))
    found = hierarchy([range(codes), level, [0] * codes], (exact, names, ("*",)))
    assert [int(found.leaves(i).sum()) for i in range(3)] == [codes - 1] * 3
