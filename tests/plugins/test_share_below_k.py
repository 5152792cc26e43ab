"""Share of persons in classes below k against counting."""

import pytest

from qidguard_standard.metrics.share_below_k import SHARE_BELOW_K


def share_below_three(table):
    """Count the persons whose smallest class has fewer than three, of all."""
    sizes = table.smallest()
    return sum(size < 3 for size in sizes) / len(sizes)


def test_share(people, measured):
    """Two of eight records are in a class below 3."""
    table = people("ab", *["xu"] * 6, "yu", "yu")
    assert measured(SHARE_BELOW_K, table, k=3) == 0.25


def test_missing_is_a_class_of_its_own(people, measured):
    """The record without a value is one of four below 2."""
    assert measured(SHARE_BELOW_K, people("ab", "xu", "xu", "xu", "-u"), k=2) == 0.25


def test_single_class(people, measured):
    """One class is wholly below k or wholly not."""
    table = people("ab", "xu", "xu", "xu")
    assert measured(SHARE_BELOW_K, table, k=3) == 0
    assert measured(SHARE_BELOW_K, table, k=4) == 1


def test_entities(people, measured):
    """One of three entities is alone somewhere."""
    table = people("abw", "xu1", "xv1", "yu2", "yu3", entity=True)
    assert measured(SHARE_BELOW_K, table, k=2) == pytest.approx(1 / 3)


@pytest.mark.realdata
def test_adult_of_arx(adult_arx, measured_frame):
    """Of ARX's 30,162 records of Adult, 72.9 % are in classes below 5."""
    qids = [name for name in adult_arx.columns if name != "salary-class"]
    assert measured_frame(SHARE_BELOW_K, adult_arx, qids) == 21977 / 30162


def test_equals_counting(agrees):
    """The share is the one counted."""
    agrees(SHARE_BELOW_K, share_below_three, k=3)
