"""Persons open to the homogeneity attack against counting."""

import pytest

from qidguard_standard.metrics.persons_homogeneous import PERSONS_HOMOGENEOUS


def open_to_attack(table):
    """Count the persons of every class with one value, at most everyone."""
    found = sum(table.size(m) for m in table.classes().values() if len(table.counts(m)) == 1)
    return min(table.size(), found)


def test_classes_with_one_value(people, measured):
    """Three of the records all have p in their class; the other five do not."""
    table = people("abs", "xup", "xup", "xup", "yvp", "yvq", "yvq", "yvq", "yvq")
    assert measured(PERSONS_HOMOGENEOUS, table) == 3


def test_a_class_of_one_counts(people, measured):
    """Whoever is alone has one value."""
    assert measured(PERSONS_HOMOGENEOUS, people("abs", "xup", "yvp", "yvq", "yvr")) == 1


def test_missing_is_a_value(people, measured):
    """A class whose values are all NULL is homogeneous; NULL beside p is not."""
    table = people("abs", "xu-", "xu-", "yvp", "yv-")
    assert measured(PERSONS_HOMOGENEOUS, table) == 2


def test_single_class(people, measured):
    """With one class it is everyone or nobody."""
    assert measured(PERSONS_HOMOGENEOUS, people("abs", "xup", "xup")) == 2
    assert measured(PERSONS_HOMOGENEOUS, people("abs", "xup", "xuq")) == 0


def test_entities_stop_at_all(people, measured):
    """Entity 1 in two homogeneous classes is counted in each, but no more than everyone."""
    table = people("absw", "xup1", "xup1", "yup1", entity=True)
    assert measured(PERSONS_HOMOGENEOUS, table) == 1
    more = people("absw", "xup1", "yup1", "yvp2", "yvq3", entity=True)
    assert measured(PERSONS_HOMOGENEOUS, more) == 2


@pytest.mark.realdata
def test_adult(complete_adult, measured_frame):
    """The MO-OBAM paper: 634 of Adult's 45,222 complete records by occupation."""
    qids = ["age", "race", "sex", "marital-status"]
    found = measured_frame(PERSONS_HOMOGENEOUS, complete_adult, qids, sensitive="occupation")
    assert found == 634


def test_equals_counting(agrees):
    """The persons are those counted."""
    agrees(PERSONS_HOMOGENEOUS, open_to_attack)
