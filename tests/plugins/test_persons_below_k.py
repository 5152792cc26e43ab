"""Persons in classes below k against counting."""

import pytest

from qidguard import UserError
from qidguard.core.parameter import bind
from qidguard_standard.metrics.persons_below_k import PERSONS_BELOW_K


def below_three(table):
    """Count the persons whose smallest class has fewer than three."""
    return sum(size < 3 for size in table.smallest())


def test_below(people, measured):
    """Of classes of 4, 2 and 1, three records are below 3 and seven below 5."""
    table = people("ab", "xu", "xu", "xu", "xu", "yu", "yu", "yv")
    assert measured(PERSONS_BELOW_K, table, k=3) == 3
    assert measured(PERSONS_BELOW_K, table) == 7
    assert measured(PERSONS_BELOW_K, table, k=2) == 1


def test_a_class_of_k_is_not_below(people, measured):
    """Two records alike are not below 2."""
    assert measured(PERSONS_BELOW_K, people("ab", "xu", "xu"), k=2) == 0


def test_missing_is_a_class_of_its_own(people, measured):
    """The record without a value is below 2."""
    assert measured(PERSONS_BELOW_K, people("ab", "xu", "xu", "x-"), k=2) == 1


def test_an_entity_counts_once(people, measured):
    """Entity 1 is alone in two classes and still one person."""
    table = people("abw", "xu1", "xv1", "yu2", "yu3", entity=True)
    assert measured(PERSONS_BELOW_K, table, k=2) == 1


@pytest.mark.parametrize("k", [1, 0, -3, 2.5, True])
def test_k_is_a_whole_number_of_at_least_two(k):
    """A k that protects nobody is refused."""
    with pytest.raises(UserError, match="'k'"):
        bind(PERSONS_BELOW_K.parameters, {"k": k})


@pytest.mark.realdata
def test_adult_of_arx(adult_arx, measured_frame):
    """Of ARX's 30,162 records of Adult, 21,977 are in classes below 5."""
    qids = [name for name in adult_arx.columns if name != "salary-class"]
    assert measured_frame(PERSONS_BELOW_K, adult_arx, qids) == 21977


def test_equals_counting(agrees):
    """The persons are those counted."""
    agrees(PERSONS_BELOW_K, below_three, k=3)
