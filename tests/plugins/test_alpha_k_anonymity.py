"""(α,k)-anonymity against counting."""

import pytest

from qidguard_standard.metrics.alpha_k_anonymity import ALPHA_K_ANONYMITY


def largest_share(table):
    """Take the largest share of a value in a class."""
    return max(max(table.shares(members).values()) for members in table.classes().values())


def test_largest_share(people, measured):
    """Three of four in one class have p."""
    assert measured(ALPHA_K_ANONYMITY, people("abs", "xup", "xup", "xup", "xuq", "yvp", "yvq")) == 0.75


def test_homogeneous_class(people, measured):
    """A class with one value gives certainty."""
    assert measured(ALPHA_K_ANONYMITY, people("abs", "xup", "xup", "yvp", "yvq")) == 1


def test_missing_is_a_value(people, measured):
    """NULL is one of two even values."""
    assert measured(ALPHA_K_ANONYMITY, people("abs", "xup", "xu-")) == 0.5


def test_single_class(people, measured):
    """With one class it is the largest share in the table."""
    assert measured(ALPHA_K_ANONYMITY, people("abs", "xup", "xuq", "xur", "xur")) == 0.5


def test_entities(people, measured):
    """An entity with both values counts for each: p has 2, q has 1, of 3."""
    table = people("absw", "xup1", "xup1", "xuq1", "xup2", entity=True)
    assert measured(ALPHA_K_ANONYMITY, table) == pytest.approx(2 / 3)


def test_entities_break_monotony(overlapping, measured):
    """Merging classes that share an entity can raise α, so the metric does not claim otherwise."""
    assert measured(ALPHA_K_ANONYMITY, overlapping, "ab") == 0.5
    assert measured(ALPHA_K_ANONYMITY, overlapping, "a") == pytest.approx(2 / 3)
    assert not ALPHA_K_ANONYMITY.is_monotone


def test_equals_counting(agrees):
    """α is the one counted."""
    agrees(ALPHA_K_ANONYMITY, largest_share)
