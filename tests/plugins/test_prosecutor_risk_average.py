"""Average prosecutor risk against counting."""

from qidguard_standard.metrics.prosecutor_risk_average import PROSECUTOR_RISK_AVERAGE


def mean_risk(table):
    """Average 1/size over the persons, each by their smallest class."""
    sizes = table.smallest()
    return sum(1 / size for size in sizes) / len(sizes)


def test_classes_by_records(people, measured):
    """Two classes of eight records give one quarter exactly, and three of seven no rounding error."""
    assert measured(PROSECUTOR_RISK_AVERAGE, people("ab", *["xu"] * 5, *["yv"] * 3)) == 0.25
    assert measured(PROSECUTOR_RISK_AVERAGE, people("ab", "xu", "xu", "xu", "yu", "yu", "yu", "yv")) == 3 / 7


def test_missing_is_a_class_of_its_own(people, measured):
    """NULL makes the second of two classes of four records."""
    assert measured(PROSECUTOR_RISK_AVERAGE, people("ab", "xu", "xu", "xu", "x-")) == 0.5


def test_single_class(people, measured):
    """With one class it is 1/n."""
    assert measured(PROSECUTOR_RISK_AVERAGE, people("ab", *["xu"] * 4)) == 0.25


def test_entities(people, measured):
    """Entity 1 is in classes of 2 and 1, so its risk is 1; entity 2 has one half."""
    table = people("abw", "xu1", "xu1", "xu2", "yu1", entity=True)
    assert measured(PROSECUTOR_RISK_AVERAGE, table) == 0.75


def test_equals_counting(agrees):
    """The mean is the one counted."""
    agrees(PROSECUTOR_RISK_AVERAGE, mean_risk)
