"""Marketer risk against counting."""

import pytest

from qidguard_standard.metrics.marketer_risk import MARKETER_RISK


def mean_risk(table):
    """Average 1/size over the persons, each by their smallest class."""
    sizes = table.smallest()
    return sum(1 / size for size in sizes) / len(sizes)


def test_classes_by_records(people, measured):
    """Two classes of eight records give one quarter exactly, and three of seven no rounding error."""
    assert measured(MARKETER_RISK, people("ab", *["xu"] * 5, *["yv"] * 3)) == 0.25
    assert measured(MARKETER_RISK, people("ab", "xu", "xu", "xu", "yu", "yu", "yu", "yv")) == 3 / 7


def test_missing_is_a_class_of_its_own(people, measured):
    """NULL makes the second of two classes of four records."""
    assert measured(MARKETER_RISK, people("ab", "xu", "xu", "xu", "x-")) == 0.5


def test_single_class(people, measured):
    """With one class it is 1/n."""
    assert measured(MARKETER_RISK, people("ab", *["xu"] * 4)) == 0.25


def test_entities(people, measured):
    """Entity 1 is in classes of 2 and 1, so its risk is 1; entity 2 has one half."""
    table = people("abw", "xu1", "xu1", "xu2", "yu1", entity=True)
    assert measured(MARKETER_RISK, table) == 0.75


def test_equals_counting(agrees):
    """The mean is the one counted."""
    agrees(MARKETER_RISK, mean_risk)


@pytest.mark.samples(3)
@pytest.mark.realdata
@pytest.mark.parametrize(
    ("column", "percent"),
    [
        ("capital-gain", 0.2518),
        ("capital-loss", 0.2027),
        ("hours-per-week", 0.1966),
        ("race", 0.0102),
        ("sex", 0.0041),
        ("income", 0.0041),
    ],
)
def test_risk_of_single_columns(adult, measured_frame, column, percent):
    """Table 2 of the QIR paper: distinct values / records of all 48,842 records of Adult, in percent."""
    assert 100 * measured_frame(MARKETER_RISK, adult, [column]) == pytest.approx(percent, abs=1e-4)
