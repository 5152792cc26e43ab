"""Sample uniques against counting."""

import pytest

from qidguard_standard.metrics.sample_uniques import SAMPLE_UNIQUES


def alone(table):
    """Count the persons who are alone in a class."""
    sizes = table.smallest()
    return sizes.count(1)


def test_alone(people, measured):
    """Two of eight records share their QIDs with nobody."""
    table = people("ab", "xu", "xu", "xu", "xv", "yu", "yv", "yv", "yv")
    assert measured(SAMPLE_UNIQUES, table) == 2


def test_missing_is_a_value(people, measured):
    """Two records that both lack a value are alike; one that lacks it is alone."""
    assert measured(SAMPLE_UNIQUES, people("ab", "xu", "xu", "x-", "x-")) == 0
    assert measured(SAMPLE_UNIQUES, people("ab", "xu", "xu", "xu", "x-")) == 1


def test_single_class(people, measured):
    """Nobody is alone in one class, unless it is a class of one."""
    assert measured(SAMPLE_UNIQUES, people("ab", "xu", "xu")) == 0
    assert measured(SAMPLE_UNIQUES, people("ab", "xu")) == 1


def test_entities(people, measured):
    """An entity with three records of its own is one person alone."""
    table = people("abw", "xu1", "xu1", "xv1", "yu2", "yu3", "yu4", entity=True)
    assert measured(SAMPLE_UNIQUES, table) == 1


@pytest.mark.realdata
def test_adult_of_arx(adult_arx, measured_frame):
    """Of ARX's 30,162 records of Adult, 14,021 (46.5 %) are sample uniques."""
    qids = [name for name in adult_arx.columns if name != "salary-class"]
    assert measured_frame(SAMPLE_UNIQUES, adult_arx, qids) == 14021


def test_equals_counting(agrees):
    """The persons alone are those counted."""
    agrees(SAMPLE_UNIQUES, alone)
