"""The Gini index against the chance that two draws differ."""

import pytest

from qidguard_qidlearning.metrics.gini_index import GINI_INDEX


def chance_to_differ(table, members):
    """Add up p·p' over every two different values."""
    shares = list(table.shares(members).values())
    return sum(p * q for i, p in enumerate(shares) for j, q in enumerate(shares) if i != j)


def test_even_class(people, measured):
    """Two even values: 1/2; the other class is pure, and half of the records."""
    assert measured(GINI_INDEX, people("abs", "xup", "xuq", "yvr", "yvr")) == 0.25


def test_missing_is_a_value(people, measured):
    """NULL and p are even."""
    assert measured(GINI_INDEX, people("abs", "xup", "xu-")) == 0.5


def test_pure_classes(people, measured):
    """0, also where thirds add up."""
    table = people("abs", "xup", "xup", "xup", "yvq")
    assert measured(GINI_INDEX, table) == pytest.approx(0, abs=1e-15)


def test_equals_counting(agrees_over_classes):
    """An extreme and a mean are those over the counted classes."""
    agrees_over_classes(GINI_INDEX, chance_to_differ)


def test_order_does_not_matter(ignores_order):
    """A shuffle of the records changes nothing."""
    ignores_order(GINI_INDEX)


def test_one_more_qid_never_raises_the_weighted_mean(measured, on_random_people):
    """Over records an impurity is concave; over entities it need not be, so nothing is claimed."""

    def check(table, _):
        fine = measured(GINI_INDEX, table, "ab")
        assert all(measured(GINI_INDEX, table, qid) >= fine - 1e-12 for qid in "ab")

    on_random_people(check, metric=GINI_INDEX, entities=False)
    assert not GINI_INDEX.is_monotone


def test_empty_table(has_no_value_when_empty):
    """Over no records there is no figure."""
    has_no_value_when_empty(GINI_INDEX)
