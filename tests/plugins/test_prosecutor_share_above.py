"""Share of persons above a risk threshold against counting in fractions."""

from fractions import Fraction

import pytest

from qidguard_standard.metrics.prosecutor_share_above import PROSECUTOR_SHARE_ABOVE


def share_above_a_third(table):
    """Count the persons with 1/size > 0.33, of all."""
    sizes = table.smallest()
    return sum(Fraction(1, size) > Fraction(33, 100) for size in sizes) / len(sizes)


@pytest.mark.parametrize(
    ("threshold", "smallest_allowed"),
    [("0.05", 20), ("0.1", 10), ("0.2", 5), ("0.25", 4), ("0.5", 2), ("1", 1)],
)
def test_a_risk_at_the_threshold_is_not_above_it(people, measured, threshold, smallest_allowed):
    """A class of exactly 1/τ is not above τ; one person fewer is."""
    at = people("ab", *["xu"] * smallest_allowed)
    assert measured(PROSECUTOR_SHARE_ABOVE, at, threshold=float(threshold)) == 0
    if smallest_allowed > 1:
        above = people("ab", *["xu"] * (smallest_allowed - 1))
        assert measured(PROSECUTOR_SHARE_ABOVE, above, threshold=float(threshold)) == 1


def test_share(people, measured):
    """Of classes of 6 and 2, two of eight records are above 0.2."""
    assert measured(PROSECUTOR_SHARE_ABOVE, people("ab", *["xu"] * 6, "yv", "yv"), threshold=0.2) == 0.25


def test_zero_is_exceeded_by_all(people, measured):
    """Every risk is above 0."""
    assert measured(PROSECUTOR_SHARE_ABOVE, people("ab", "xu", "xu"), threshold=0) == 1


def test_missing_is_a_class_of_its_own(people, measured):
    """The record without a value is above one half."""
    assert measured(PROSECUTOR_SHARE_ABOVE, people("ab", "xu", "xu", "xu", "-u"), threshold=0.5) == 0.25


def test_entities(people, measured):
    """Entity 1 is alone somewhere, which makes one of two."""
    table = people("abw", "xu1", "xu2", "yu1", "yv1", entity=True)
    assert measured(PROSECUTOR_SHARE_ABOVE, table, threshold=0.5) == 0.5


@pytest.mark.slow
@pytest.mark.realdata
@pytest.mark.parametrize(("threshold", "expected"), [(0.05, 6506), (0.075, 4906), (0.1, 3910)])
def test_adult_at_risk(complete_adult, measured_frame, threshold, expected):
    """The MO-OBAM paper's people at risk of linkage on Adult's 45,222 complete records."""
    qids = ["age", "race", "sex", "marital-status"]
    share = measured_frame(PROSECUTOR_SHARE_ABOVE, complete_adult, qids, threshold=threshold)
    assert share * 45222 == pytest.approx(expected)


@pytest.mark.realdata
@pytest.mark.parametrize(("threshold", "expected"), [(0.05, 959), (0.075, 828), (0.1, 698)])
def test_german_at_risk(german, measured_frame, threshold, expected):
    """The MO-OBAM paper's people at risk of linkage on the 1,000 records of German."""
    share = measured_frame(PROSECUTOR_SHARE_ABOVE, german, german.columns, threshold=threshold)
    assert share * 1000 == pytest.approx(expected)


def test_equals_counting(agrees):
    """The share is the one counted in fractions."""
    agrees(PROSECUTOR_SHARE_ABOVE, share_above_a_third, threshold=0.33)
