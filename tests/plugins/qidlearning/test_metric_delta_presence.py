"""δ-presence against the largest difference of shares over every value of the table."""

import pytest

from qidguard_qidlearning.metrics.delta_presence import DELTA_PRESENCE


def largest_difference(table, members):
    """Take max |p − q| over all values of the table."""
    q, p = table.shares(), table.shares(members)
    return max(abs(p.get(value, 0) - share) for value, share in q.items())


def test_the_value_present_differs_most(people, measured):
    """Class x is all q, of which the table has a quarter."""
    table = people("abs", "xuq", "yvp", "yvp", "yvp")
    assert measured(DELTA_PRESENCE, table) == 0.75


def test_an_absent_value_may_differ_most(people, measured):
    """Class x lacks p, half of the table, and its own q, r, s, t differ by an eighth each."""
    table = people("abs", "xuq", "xur", "xus", "xut", "yvp", "yvp", "yvp", "yvp")
    assert measured(DELTA_PRESENCE, table) == 0.5


def test_an_absent_value_of_each_class(people, measured):
    """Classes lack different values: x lacks the most frequent, y only the next, z none."""
    table = people("abs", "xuq", "xur", "yup", "yur", "zup", "zup", "zuq", "zur")
    q = {"p": 3 / 8, "q": 2 / 8, "r": 3 / 8}
    assert measured(DELTA_PRESENCE, table) == pytest.approx(max(q["p"], 0.5 - q["q"]))
    assert measured(DELTA_PRESENCE, table, statistic="minimum") == pytest.approx(1 / 8)


def test_missing_is_a_value(people, measured):
    """NULL is half of the table and all of class y."""
    assert measured(DELTA_PRESENCE, people("abs", "xup", "yv-")) == 0.5


def test_single_class(people, measured):
    """The class is the table."""
    assert measured(DELTA_PRESENCE, people("abs", "xup", "xuq", "xuq")) == 0


def test_equals_counting(agrees_over_classes):
    """An extreme and a mean are those over all values of the table, entities included."""
    agrees_over_classes(DELTA_PRESENCE, largest_difference)


def test_order_does_not_matter(ignores_order):
    """A shuffle of the records changes nothing."""
    ignores_order(DELTA_PRESENCE)


def test_empty_table(has_no_value_when_empty):
    """Over no records there is no figure."""
    has_no_value_when_empty(DELTA_PRESENCE)
