"""Accuracy against counting the most frequent target of each class."""

import pytest

from qidguard import Role
from qidguard_qidlearning.metrics.accuracy import ACCURACY


def mode_share(table, members):
    """Take the share of the most frequent value."""
    return max(table.shares(members).values())


def test_mode(people, measured):
    """Class x guesses two of three right, class y its only one: three of four."""
    assert measured(ACCURACY, people("abs", "xup", "xup", "xuq", "yvr")) == 0.75


def test_missing_is_a_value(people, measured):
    """A class whose mode is NULL is guessed as NULL."""
    assert measured(ACCURACY, people("abs", "xu-", "xu-", "xup", "yvp")) == 0.75


def test_single_class(people, measured):
    """The share of the most frequent value of the table."""
    assert measured(ACCURACY, people("abs", "xup", "xuq", "xuq", "xuq")) == 0.75


def test_entities_count_once(people, measured):
    """Entity 1's three records with p are one person: p and q are even."""
    assert measured(ACCURACY, people("absw", "xup1", "xup1", "xup1", "xuq2", entity=True)) == 0.5


def test_it_is_measured_beside_the_target():
    """The policy names the column as roles.target."""
    assert ACCURACY.attribute is Role.TARGET


@pytest.mark.slow
def test_equals_counting(agrees_over_classes):
    """An extreme and a mean are those over the counted classes."""
    agrees_over_classes(ACCURACY, mode_share)


@pytest.mark.slow
def test_order_does_not_matter(ignores_order):
    """A shuffle of the records changes nothing."""
    ignores_order(ACCURACY)


def test_empty_table(has_no_value_when_empty):
    """Over no records there is no figure."""
    has_no_value_when_empty(ACCURACY)
