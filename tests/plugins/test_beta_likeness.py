"""β-likeness against the largest ratio."""

import math

import pytest

from qidguard_standard.metrics.beta_likeness import BETA_LIKENESS


def largest_gain(table):
    """Take the largest p/q over classes and values, minus one."""
    q = table.shares()
    return (
        max(
            p / q[value] for members in table.classes().values() for value, p in table.shares(members).items()
        )
        - 1
    )


def enhanced(table):
    """Compute the same, infinite where a gain is above −ln q."""
    q = table.shares()
    for members in table.classes().values():
        for value, p in table.shares(members).items():
            if p > q[value] and p / q[value] - 1 > -math.log(q[value]) + 1e-9:
                return math.inf
    return largest_gain(table)


def test_gain(people, measured):
    """Q is a quarter of the table and half of a class: it doubles, so β = 1."""
    table = people("abs", "xup", "xuq", "xup", "xuq", "yvp", "yvp", "yvp", "yvp")
    assert measured(BETA_LIKENESS, table) == pytest.approx(1)


def test_rare_values_weigh_most(people, measured):
    """A value of one record in eight that is alone in a class gains 7, where t is at .875 at most."""
    assert measured(BETA_LIKENESS, people("abs", "xuq", *["yvp"] * 7)) == pytest.approx(7)


def test_enhanced(people, measured):
    """A gain of 1 is within −ln ¼ = 1.386; a gain of 1 on a value of half the table is above −ln ½ = .693."""
    within = people("abs", "xuq", "xuq", "xup", "xur", "yvp", "yvp", "yvr", "yvr")
    assert measured(BETA_LIKENESS, within, enhanced=True) == pytest.approx(1)
    above = people("abs", "xup", "yvq")
    assert measured(BETA_LIKENESS, above) == pytest.approx(1)
    assert measured(BETA_LIKENESS, above, enhanced=True) == math.inf


def test_missing_is_a_value(people, measured):
    """NULL is a value that can gain."""
    assert measured(BETA_LIKENESS, people("abs", "xu-", "yvp", "yvp", "yvp")) == pytest.approx(3)


def test_single_class(people, measured):
    """The class is the table, so nothing gains."""
    table = people("abs", "xup", "xuq", "xuq")
    assert measured(BETA_LIKENESS, table) == 0
    assert measured(BETA_LIKENESS, table, enhanced=True) == 0
    assert measured(BETA_LIKENESS, people("abs", "xup", "xup"), enhanced=True) == 0


def test_entities(people, measured):
    """Entity 1's three records with p count once, so both classes mirror the table."""
    table = people("absw", "xup1", "xup1", "xup1", "xuq2", "yvp3", "yvq4", entity=True)
    assert measured(BETA_LIKENESS, table) == 0


def test_entities_break_monotony(overlapping, measured):
    """Merging classes that share an entity can raise β, so the metric does not claim otherwise."""
    assert measured(BETA_LIKENESS, overlapping, "ab") == 0
    assert measured(BETA_LIKENESS, overlapping, "a") == pytest.approx(1 / 3)
    assert not BETA_LIKENESS.is_monotone


def test_enhanced_equals_counting(agrees):
    """The enhanced figure is the one computed value by value."""
    agrees(BETA_LIKENESS, enhanced, enhanced=True)


def test_equals_counting(agrees):
    """β is the one computed value by value."""
    agrees(BETA_LIKENESS, largest_gain)
