"""δ-disclosure against the formula value by value."""

import math

import pytest

from qidguard import UserError
from qidguard_standard.metrics.delta_disclosure import DELTA_DISCLOSURE


def strict(table):
    """Take the largest |ln p − ln q| over all values of the table, infinite for an absent one."""
    q = table.shares()
    found = []
    for members in table.classes().values():
        p = table.shares(members)
        found += [abs(math.log(p[v]) - math.log(q[v])) if v in p else math.inf for v in q]
    return max(found)


def lenient(table):
    """Take the largest |ln p − ln q| over the values of each class."""
    q = table.shares()
    return max(
        abs(math.log(p) - math.log(q[v]))
        for members in table.classes().values()
        for v, p in table.shares(members).items()
    )


def test_less_likely_counts_too(people, measured):
    """P is half of the table, three quarters and one quarter of the classes: |ln ½| is above ln 3/2."""
    table = people("abs", "xup", "xup", "xup", "xuq", "yvp", "yvq", "yvq", "yvq")
    assert measured(DELTA_DISCLOSURE, table) == pytest.approx(math.log(2))


def test_absent_value(people, measured):
    """A class that lacks q rules it out: infinite, or skipped when asked."""
    table = people("abs", "xup", "xup", "yvp", "yvq")
    assert measured(DELTA_DISCLOSURE, table) == math.inf
    assert measured(DELTA_DISCLOSURE, table, absent="ignore") == pytest.approx(math.log(2))


def test_missing_is_a_value(people, measured):
    """A class without the NULL that the table has lacks a value."""
    assert measured(DELTA_DISCLOSURE, people("abs", "xup", "xu-", "yvp")) == math.inf


def test_single_class(people, measured):
    """The class is the table and lacks nothing."""
    assert measured(DELTA_DISCLOSURE, people("abs", "xup", "xuq", "xuq")) == 0


def test_entities(people, measured):
    """Entity 1's three records with p count once, so both classes mirror the table."""
    table = people("absw", "xup1", "xup1", "xup1", "xuq2", "yvp3", "yvq4", entity=True)
    assert measured(DELTA_DISCLOSURE, table) == 0


def test_entities_break_monotony(overlapping, measured):
    """Merging classes that share an entity can raise δ, so the metric does not claim otherwise."""
    assert measured(DELTA_DISCLOSURE, overlapping, "ab") == 0
    assert measured(DELTA_DISCLOSURE, overlapping, "a") == pytest.approx(math.log(1.5))
    assert not DELTA_DISCLOSURE.is_monotone


def test_reading_of_absence_is_one_of_two(people, measured):
    """Any other word is refused."""
    with pytest.raises(UserError, match="'infinite' or 'ignore', not 'zero'"):
        measured(DELTA_DISCLOSURE, people("abs", "xup"), absent="zero")


def test_lenient_equals_counting(agrees):
    """Without absent values it is the one computed over the values of each class."""
    agrees(DELTA_DISCLOSURE, lenient, absent="ignore")


def test_equals_counting(agrees):
    """δ is the one computed value by value."""
    agrees(DELTA_DISCLOSURE, strict)
