"""Singling out: conditions that hold for one person, on tables that can be counted by hand."""

import numpy as np
import pytest
from scipy import stats

from qidguard import NotMeasurable
from qidguard_standard.attacks.predicates import chance_of_one

SIX = {"a": [1, 2, 3, 4, 5, 9], "b": ["u", "v", "u", "v", "u", "v"]}


def test_unique_records_as_they_are_single_out(found):
    """Each of six unique records is a condition that holds for its own person."""
    result = found("singling_out", SIX)
    assert (result.published.share, result.people) == (1, 6)


def test_generalized_cells_hold_for_many(found):
    """Classes of two and four single nobody out; neither does a suppressed table."""
    after = {"a": ["[1, 2]"] * 2 + ["[3, 9]"] * 4, "b": ["*"] * 6}
    assert found("singling_out", SIX, after).published.share == 0
    assert found("singling_out", SIX, {name: ["*"] * 6 for name in SIX}).people == 0


def test_a_sensitive_value_can_be_the_last_straw(found):
    """Two of one class who differ in s are singled out once s may be in a condition."""
    table = {"a": ["x", "x", "y"], "s": ["p", "q", "p"]}
    assert found("singling_out", table, qids="a").published.successes == 1
    assert found("singling_out", table, qids="a", with_sensitive=True).published.successes == 3


def test_univariate_conditions_by_hand(found):
    """Of a: six values of one person each, and both ends: all eight hold for one. Of b: none is made."""
    result = found("singling_out", SIX, conditions="univariate")
    assert (result.published.successes, result.published.trials) == (8, 8)
    assert result.people == 6
    # [1, 2] and [3, 5] stand for several; 9 stands alone: as a value and as the highest; at most 2 are two
    after = {"a": ["[1, 2]"] * 2 + ["[3, 5]"] * 3 + ["9"], "b": ["*"] * 6}
    result = found("singling_out", SIX, after, conditions="univariate")
    assert (result.published.successes, result.published.trials) == (2, 3)
    assert result.people == 1


def test_null_may_single_out(found):
    """Who alone lacks a value is singled out by that."""
    result = found("singling_out", {"b": ["u", "u", None]}, qids="b", conditions="univariate")
    assert (result.published.successes, result.published.trials) == (1, 1)


def test_a_changed_number_is_worth_its_side_only(found):
    """Of centroids 2, 2, 5 and 9 the last is 'at least 9', which two persons are; 'at most 2' are two."""
    before = {"a": [1, 2, 9, 10]}
    after = {"a": [2, 2, 9, 9]}
    result = found("singling_out", before, after, qids="a")
    assert result.published.successes == 0
    before, after = {"a": [1, 4, 7, 12]}, {"a": [2, 2, 9, 10]}
    # at least 9 and at least 10: the one of 12; at most 2: the one of 1
    assert found("singling_out", before, after, qids="a").published.successes == 4


def test_entities_are_counted_once(found):
    """Both records of class x are of one person, who is so singled out; of y there are two."""
    table = {"a": ["x", "x", "y", "y"], "w": ["p", "p", "q", "r"]}
    result = found("singling_out", table, qids="a", entity="w")
    assert (result.published.successes, result.published.trials) == (1, 3)


def test_the_control_tries_the_same_conditions_on_others(found):
    """Of x, y and z one of three withheld persons has x, two have y and none has z."""
    table = {"a": ["x", "y", "z"]}
    result = found("singling_out", table, qids="a", withheld={"a": ["x", "y", "y"]})
    assert (result.control.successes, result.control.trials) == (1, 3)
    assert result.excess == pytest.approx(1)


def test_a_new_value_among_the_withheld_meets_what_covers_everything_only(found):
    """A new place is neither x nor y; a suppressed cell covers it like any other."""
    for cells, chances in ((["x", "y"], [1, 0]), (["*", "y"], [0, 0])):
        result = found(
            "singling_out", {"a": ["x", "y"]}, {"a": cells}, qids="a", withheld={"a": ["new", "x"]}
        )
        assert result.control.successes == sum(chances)


def test_a_table_of_independent_columns_singles_out_as_often_as_chance_says(found):
    """144 combinations, 500 persons: (1 − p)^499 in the table, 500·p·(1 − p)^499 among others."""
    draw = np.random.default_rng(5).integers(0, 12, (1000, 2))
    first, second = (
        {"a": part[:, 0].tolist(), "b": part[:, 1].tolist()} for part in (draw[:500], draw[500:])
    )
    result = found("singling_out", first, withheld=second)
    nobody_else = (1 - 1 / 144) ** 499
    assert result.published.share == pytest.approx(nobody_else, abs=0.02)
    assert result.control.share == pytest.approx(500 / 144 * nobody_else, abs=0.04)


def test_coarse_cells_add_nothing(found):
    """Where cells hold for many of both groups, being in the table adds nothing that could be told."""
    draw = np.random.default_rng(6).integers(0, 100, 1000)
    first, second = draw[:500].tolist(), draw[500:].tolist()
    low = [value // 25 * 25 for value in first]
    after = {"a": [f"[{one}, {one + 24}]" for one in low]}
    result = found("singling_out", {"a": first}, after, qids="a", withheld={"a": second})
    assert (result.published.successes, result.control.successes, result.excess) == (0, 0, 0)
    assert result.excess_low < 0 < result.excess_high


def test_the_chance_of_one_is_that_of_drawing_people():
    """As many withheld: exactly one; more: drawn without replacement; fewer: with it."""
    meeting = np.array([0, 1, 2, 4])
    assert chance_of_one(meeting, 4, 4).tolist() == [0, 1, 0, 0]
    expected = [0, 1 / 2, 2 * 1 / 3, 0]  # of 4, 2 are drawn: 1·3/6, 2·2/6, and two of four always
    assert chance_of_one(meeting, 4, 2) == pytest.approx(expected)
    assert chance_of_one(meeting, 4, 8) == pytest.approx(stats.binom.pmf(1, 8, meeting / 4))


def test_something_must_be_published(found):
    """Without a published QID there is no condition to make."""
    with pytest.raises(NotMeasurable, match="none is published"):
        found("singling_out", {"a": [1], "s": ["p"]}, {"s": ["p"]}, qids="a")
