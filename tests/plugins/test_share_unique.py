"""Share of sample uniques against counting."""

import pytest

from qidguard_standard.metrics.share_unique import SHARE_UNIQUE


def alone(table):
    """Count the persons who are alone in a class, of all."""
    sizes = table.smallest()
    return sizes.count(1) / len(sizes)


def test_alone(people, measured):
    """Two of eight records share their QIDs with nobody."""
    table = people("ab", "xu", "xu", "xu", "xv", "yu", "yv", "yv", "yv")
    assert measured(SHARE_UNIQUE, table) == 0.25


def test_missing_is_a_value(people, measured):
    """Two records that both lack a value are alike; one that lacks it is alone."""
    assert measured(SHARE_UNIQUE, people("ab", "xu", "xu", "x-", "x-")) == 0
    assert measured(SHARE_UNIQUE, people("ab", "xu", "xu", "xu", "x-")) == 0.25


def test_single_class(people, measured):
    """Nobody is alone in one class, unless it is a class of one."""
    assert measured(SHARE_UNIQUE, people("ab", "xu", "xu")) == 0
    assert measured(SHARE_UNIQUE, people("ab", "xu")) == 1


def test_entities(people, measured):
    """An entity with three records of its own is one person alone."""
    table = people("abw", "xu1", "xu1", "xv1", "yu2", "yu3", "yu4", entity=True)
    assert measured(SHARE_UNIQUE, table) == 0.25


@pytest.mark.realdata
def test_adult_of_arx(adult_arx, measured_frame):
    """Of ARX's 30,162 records of Adult, 14,021 (46.5 %) are sample uniques."""
    qids = [name for name in adult_arx.columns if name != "salary-class"]
    assert measured_frame(SHARE_UNIQUE, adult_arx, qids) == 14021 / 30162


def test_equals_counting(agrees):
    """The persons alone are those counted."""
    agrees(SHARE_UNIQUE, alone)
