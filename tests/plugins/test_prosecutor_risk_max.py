"""Maximum prosecutor risk against counting."""

from qidguard_standard.metrics.prosecutor_risk_max import PROSECUTOR_RISK_MAX


def largest_risk(table):
    """Take the largest 1/size."""
    return max(1 / size for size in table.smallest())


def test_smallest_class_decides(people, measured):
    """A smallest class of 2 is a risk of one half."""
    assert measured(PROSECUTOR_RISK_MAX, people("ab", "xu", "xu", "xu", "yv", "yv")) == 0.5


def test_missing_is_a_class_of_its_own(people, measured):
    """The record without a value is certain to be found."""
    assert measured(PROSECUTOR_RISK_MAX, people("ab", "xu", "xu", "-u")) == 1


def test_single_class(people, measured):
    """With one class it is 1/n."""
    assert measured(PROSECUTOR_RISK_MAX, people("ab", *["xu"] * 4)) == 0.25


def test_entities(people, measured):
    """Four records of two entities are a risk of one half."""
    assert measured(PROSECUTOR_RISK_MAX, people("abw", "xu1", "xu1", "xu1", "xu2", entity=True)) == 0.5


def test_equals_counting(agrees):
    """The maximum is the one counted."""
    agrees(PROSECUTOR_RISK_MAX, largest_risk)
