"""Entropy l-diversity against a product of powers."""

import math

import pytest

from qidguard_standard.metrics.entropy_l_diversity import ENTROPY_L_DIVERSITY


def effective_values(table):
    """Take the least of ∏ p^−p over the classes, which is exp of the entropy."""
    return min(
        math.prod(p**-p for p in table.shares(members).values()) for members in table.classes().values()
    )


def test_even_values_count_fully(people, measured):
    """Three values equally often are l = 3."""
    assert measured(ENTROPY_L_DIVERSITY, people("abs", "xup", "xuq", "xur")) == pytest.approx(3)


def test_one_value_dominates(people, measured):
    """Three p and one q have entropy .5623 nats, so l = 1.7548."""
    table = people("abs", "xup", "xup", "xup", "xuq", "yvp", "yvq")
    assert measured(ENTROPY_L_DIVERSITY, table) == pytest.approx(4 / 3**0.75)


def test_homogeneous_class(people, measured):
    """A class with one value is l = 1 exactly."""
    assert measured(ENTROPY_L_DIVERSITY, people("abs", "xup", "xup", "yvq", "yvp")) == 1


def test_missing_is_a_value(people, measured):
    """A NULL beside a p makes two even values."""
    assert measured(ENTROPY_L_DIVERSITY, people("abs", "xup", "xu-")) == pytest.approx(2)


def test_entities(people, measured):
    """Entity 1's three records with p count once beside q of entity 2."""
    table = people("absw", "xup1", "xup1", "xup1", "xuq2", entity=True)
    assert measured(ENTROPY_L_DIVERSITY, table) == pytest.approx(2)


def test_entities_break_monotony(overlapping, measured):
    """Merging classes that share an entity can lower l, so the metric does not claim otherwise."""
    assert measured(ENTROPY_L_DIVERSITY, overlapping, "ab") == pytest.approx(2)
    assert measured(ENTROPY_L_DIVERSITY, overlapping, "a") == pytest.approx(3 / 4 ** (1 / 3))
    assert not ENTROPY_L_DIVERSITY.is_monotone


def test_equals_counting(agrees):
    """L is the one computed without logarithms."""
    agrees(ENTROPY_L_DIVERSITY, effective_values)
