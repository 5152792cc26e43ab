"""The generalization ratio against the summed difference of shares over every value of the table."""

import pytest

from qidguard_qidlearning.metrics.delta_presence import DELTA_PRESENCE
from qidguard_qidlearning.metrics.generalization_ratio import GENERALIZATION_RATIO


def summed_difference(table, members):
    """Add up |p − q| over all values of the table."""
    q, p = table.shares(), table.shares(members)
    return sum(abs(p.get(value, 0) - share) for value, share in q.items())


def test_absent_values_count(people, measured):
    """Class x is all q (3/4 more than the table) and lacks p (3/4)."""
    assert measured(GENERALIZATION_RATIO, people("abs", "xuq", "yvp", "yvp", "yvp")) == pytest.approx(1.5)


def test_it_is_not_delta_presence(people, measured):
    """The sum over four values and the largest of them: two figures."""
    table = people("abs", "xup", "xuq", "yvr", "yvs")
    assert measured(GENERALIZATION_RATIO, table) == 1
    assert measured(DELTA_PRESENCE, table) == 0.25


def test_single_class(people, measured):
    """The class is the table, and rounding never makes it negative."""
    assert measured(GENERALIZATION_RATIO, people("abs", "xup", "xuq", "xuq")) == pytest.approx(0, abs=1e-15)


def test_missing_is_a_value(people, measured):
    """NULL is half of the table and all of class y."""
    assert measured(GENERALIZATION_RATIO, people("abs", "xup", "yv-")) == 1


def test_equals_counting(agrees_over_classes):
    """An extreme and a mean are those over all values of the table, entities included."""
    agrees_over_classes(GENERALIZATION_RATIO, summed_difference)


def test_order_does_not_matter(ignores_order):
    """A shuffle of the records changes nothing."""
    ignores_order(GENERALIZATION_RATIO)


def test_empty_table(has_no_value_when_empty):
    """Over no records there is no figure."""
    has_no_value_when_empty(GENERALIZATION_RATIO)
