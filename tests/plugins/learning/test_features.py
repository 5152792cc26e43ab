"""Features by hand: numbers, intervals, sets, NULL and suppressed cells."""

import numpy as np
import pytest

from qidguard import NotMeasurable
from qidguard_learning.material import MOST_LEVELS, feature

NAN = np.nan


def rows(one, side):
    """Return the features of each record."""
    codes, values = (one.before, one.original) if side == "original" else (one.after, one.published)
    return values[codes]


def test_numbers_stand_for_themselves_and_intervals_for_their_middle(changes):
    """[10, 20] is 15, a set the middle of its ends, a centroid itself; a suppressed number is not known."""
    before = {"a": [10, 14, 20, 30, None, 30]}
    after = {"a": ["[10, 20]", "{10, 14}", "17", "*", None, "30"]}
    one = feature(changes(before, after), "a")
    expected = [[15, 0], [12, 0], [17, 0], [NAN, 0], [NAN, 1], [30, 0]]
    np.testing.assert_array_equal(rows(one, "published"), expected)
    expected = [[10, 0], [14, 0], [20, 0], [30, 0], [NAN, 1], [30, 0]]
    np.testing.assert_array_equal(rows(one, "original"), expected)


def test_categories_share_a_weight_of_one(changes):
    """A set of two has a half of each, a suppressed cell a part of all, NULL is one of them."""
    before = {"a": ["u", "v", "w", None, "w", "w"]}
    after = {"a": ["{u, v}", "v", "*", None, "w", "w"]}
    one = feature(changes(before, after), "a")
    assert one.width == 4
    assert rows(one, "original").sum(axis=1).tolist() == [1] * 6
    published, original = rows(one, "published"), rows(one, "original")
    np.testing.assert_array_equal(published[0], (original[0] + original[1]) / 2)
    np.testing.assert_array_equal(published[[1, 3, 4]], original[[1, 3, 4]])
    np.testing.assert_array_equal(published[2], np.full(4, 1 / 4))


def test_rare_categories_share_a_feature(changes):
    """Of 60 places the 50 most frequent have a feature of their own."""
    values = [f"{place:02d}" for place in range(60) for _ in range(1 + (place < MOST_LEVELS))]
    one = feature(changes({"a": values}), "a")
    assert one.width == MOST_LEVELS + 1
    assert rows(one, "original").sum(axis=0).tolist()[-1] == 10


def test_what_cannot_be_read_cannot_be_learned_from(changes):
    """The sentence tells how many values, and none of them."""
    with pytest.raises(NotMeasurable, match="1 of the published values of 'a' cannot be read") as caught:
        feature(changes({"a": ["u", "v"]}, {"a": ["elsewhere", "v"]}), "a")
    assert "elsewhere" not in str(caught.value)
