"""Distinct values utility against counting."""

import pytest

from qidguard_qidlearning.metrics.distinct_values_utility import DISTINCT_VALUES_UTILITY


def test_weighted_by_records(people, measured):
    """Three records see two values, one sees one: 7/4."""
    assert measured(DISTINCT_VALUES_UTILITY, people("abs", "xup", "xup", "xuq", "yvr")) == 1.75


def test_missing_is_a_value(people, measured):
    """NULL and p are two."""
    assert measured(DISTINCT_VALUES_UTILITY, people("abs", "xup", "xu-")) == 2


@pytest.mark.slow
def test_equals_counting(agrees_over_classes):
    """An extreme and a mean are those over the counted classes."""
    agrees_over_classes(DISTINCT_VALUES_UTILITY, lambda _, members: len({s for _, _, s, *_ in members}))


@pytest.mark.slow
def test_order_does_not_matter(ignores_order):
    """A shuffle of the records changes nothing."""
    ignores_order(DISTINCT_VALUES_UTILITY)


def test_empty_table(has_no_value_when_empty):
    """Over no records there is no figure."""
    has_no_value_when_empty(DISTINCT_VALUES_UTILITY)
