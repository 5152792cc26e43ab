"""Kullback-Leibler divergence against cross entropy minus entropy."""

import math

import pytest

from qidguard_standard.metrics.t_closeness_kl import T_CLOSENESS_KL


def largest_divergence(table):
    """Take the largest of the cross entropy with the table minus the class's own entropy."""
    q = table.shares()
    return max(
        sum(-share * math.log(q[value]) for value, share in p.items())
        - sum(-share * math.log(share) for share in p.values())
        for p in map(table.shares, table.classes().values())
    )


def test_homogeneous_classes(people, measured):
    """Knowing which of two even values someone has is worth ln 2 nats."""
    assert measured(T_CLOSENESS_KL, people("abs", "xup", "xup", "yvq", "yvq")) == pytest.approx(math.log(2))


def test_divergence(people, measured):
    """Three p and one q against an even table: ¾·ln 3/2 + ¼·ln 1/2."""
    table = people("abs", "xup", "xup", "xup", "xuq", "yvp", "yvq", "yvq", "yvq")
    expected = 0.75 * math.log(1.5) - 0.25 * math.log(2)
    assert measured(T_CLOSENESS_KL, table) == pytest.approx(expected)


def test_missing_is_a_value(people, measured):
    """NULL and p are two values."""
    assert measured(T_CLOSENESS_KL, people("abs", "xup", "yv-")) == pytest.approx(math.log(2))


def test_single_class(people, measured):
    """The class is the table, and rounding never makes it negative."""
    assert measured(T_CLOSENESS_KL, people("abs", "xup", "xuq", "xuq")) == 0


def test_entities(people, measured):
    """Entity 1's three records with p count once, so both classes mirror the table."""
    table = people("absw", "xup1", "xup1", "xup1", "xuq2", "yvp3", "yvq4", entity=True)
    assert measured(T_CLOSENESS_KL, table) == 0


def test_entities_break_monotony(overlapping, measured):
    """Merging classes that share an entity can raise it, so the metric does not claim otherwise."""
    assert measured(T_CLOSENESS_KL, overlapping, "ab") == 0
    expected = 2 / 3 * math.log(4 / 3) + 1 / 3 * math.log(2 / 3)
    assert measured(T_CLOSENESS_KL, overlapping, "a") == pytest.approx(expected)
    assert not T_CLOSENESS_KL.is_monotone


def test_equals_counting(agrees):
    """It is the one computed from entropies."""
    agrees(T_CLOSENESS_KL, largest_divergence)
