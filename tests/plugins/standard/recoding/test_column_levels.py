"""The loss of levels by hand, and which levels are left out."""

import numpy as np
import pytest

from qidguard_standard.anonymizers.recoding.column_levels import column_levels, thinned


def test_a_category_loses_by_the_values_it_covers(table, tree):
    """Two of three values lose (2−1)/(3−1), all of them 1, the value alone nothing."""
    values = table(job=["nurse", "doctor", "clerk", "clerk"]).column("job")
    levels = column_levels(values, tree(values, lambda text: "clerk" if text == "clerk" else "health"))
    by_text = dict(zip(values.texts, levels.loss.T.tolist(), strict=True))
    assert by_text["nurse"] == [0, 0.5, 1]
    assert by_text["clerk"] == [0, 0, 1]
    assert levels.mean_loss.tolist() == [0, 0.25, 1]


def test_a_number_loses_by_the_width_between_the_values_it_covers(table, tree):
    """20 and 25 span 5 of a range of 60, whatever their group's label claims."""
    values = table(age=[20, 25, 80]).column("age")
    levels = column_levels(values, tree(values, lambda text: "0-49" if int(text) < 50 else "50-99"))
    assert levels.loss[1, 1:].tolist() == pytest.approx([5 / 60, 5 / 60, 0])


def test_null_is_a_value_of_the_domain_where_it_occurs(table, tree):
    """With NULL a group of two values is one of three; NULL mixed with numbers loses all."""
    job = table(job=["nurse", "doctor", None]).column("job")
    assert column_levels(job, tree(job, lambda _: "health")).loss[1].tolist() == [0, 0.5, 0.5]
    age = table(age=[20, 20, None]).column("age")
    assert column_levels(age, tree(age)).loss[-1].tolist() == [1, 1]


def test_levels_that_change_nothing_are_no_levels(table, tree):
    """A column with one value has its exact level only, and a level like the one below is skipped."""
    one = table(sex=["f", "f"]).column("sex")
    assert column_levels(one, tree(one, str)).numbers == (0,)
    two = table(sex=["f", "m"]).column("sex")
    assert column_levels(two, tree(two, str)).numbers == (0, 2)


def test_levels_are_left_out_by_what_it_costs(table, tree):
    """Of age's three middle levels the two go whose next level loses hardly more."""
    values = table(age=list(range(100))).column("age")
    levels = column_levels(values, tree(values, *(lambda text, w=w: str(int(text) // w) for w in (2, 4, 40))))
    [left] = thinned([levels], 3)
    assert left.numbers == (0, 3, 4)
    assert np.array_equal(left.loss, levels.loss[[0, 3, 4]])
    assert thinned([levels], 1)[0].numbers == (0, 4)
