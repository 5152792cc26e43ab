"""Discernibility against counting."""

from qidguard_standard.metrics.discernibility import DISCERNIBILITY


def squared_sizes(table):
    """Charge each person in a class with everyone in it."""
    return sum(table.size(members) ** 2 for members in table.classes().values())


def test_squares(people, measured):
    """Classes of 3 and 2 cost 9 + 4."""
    assert measured(DISCERNIBILITY, people("ab", "xu", "xu", "xu", "yv", "yv")) == 13


def test_missing_is_a_class_of_its_own(people, measured):
    """Two records without a value cost 4 beside a class of one."""
    assert measured(DISCERNIBILITY, people("ab", "-u", "-u", "yu")) == 5


def test_single_class(people, measured):
    """One class of n records costs n²."""
    assert measured(DISCERNIBILITY, people("ab", "xu", "xu", "xu")) == 9


def test_entities(people, measured):
    """Three records of two entities cost 4."""
    assert measured(DISCERNIBILITY, people("abw", "xu1", "xu1", "xu2", entity=True)) == 4


def test_equals_counting(agrees):
    """The sum of squares is the one counted."""
    agrees(DISCERNIBILITY, squared_sizes)
