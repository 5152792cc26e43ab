"""t-closeness per class against scipy's relative entropy."""

import math

import pytest
from scipy.stats import entropy

from qidguard_qidlearning.metrics.t_closeness_per_class import T_CLOSENESS_PER_CLASS


def divergence(table, members):
    """Take D_KL(class ‖ table) in nats from the shares."""
    q = table.shares()
    p = table.shares(members)
    return max(0.0, float(entropy([p.get(v, 0) for v in q], list(q.values()))))


def test_homogeneous_classes(people, measured):
    """Knowing which of two even values someone has is worth ln 2 nats."""
    table = people("abs", "xup", "xup", "yvq", "yvq")
    assert measured(T_CLOSENESS_PER_CLASS, table) == pytest.approx(math.log(2))


def test_it_is_the_form_that_stays_finite(people, measured):
    """A class that lacks a value has a figure: the reverse form D(table ‖ class) would be infinite."""
    table = people("abs", "xup", "yvp", "yvq", "yvr")
    assert measured(T_CLOSENESS_PER_CLASS, table) == pytest.approx(math.log(2))


def test_single_class(people, measured):
    """The class is the table, and rounding never makes it negative."""
    assert measured(T_CLOSENESS_PER_CLASS, people("abs", "xup", "xuq", "xuq")) == 0


def test_missing_is_a_value(people, measured):
    """NULL and p are two values."""
    assert measured(T_CLOSENESS_PER_CLASS, people("abs", "xup", "yv-")) == pytest.approx(math.log(2))


def test_equals_scipy(agrees_over_classes):
    """An extreme and a mean are those over scipy's relative entropies, entities included."""
    agrees_over_classes(T_CLOSENESS_PER_CLASS, divergence)


def test_order_does_not_matter(ignores_order):
    """A shuffle of the records changes nothing."""
    ignores_order(T_CLOSENESS_PER_CLASS)


def test_empty_table(has_no_value_when_empty):
    """Over no records there is no figure."""
    has_no_value_when_empty(T_CLOSENESS_PER_CLASS)
