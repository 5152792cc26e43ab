"""Average journalist risk against counting."""

import pytest

from qidguard import NotMeasurable
from qidguard_standard.metrics.journalist_risk_average import JOURNALIST_RISK_AVERAGE


def summed_risk(table, population):
    """Add 1/F for every person in every class, over the persons, at most 1."""
    found = population.classes()
    risk = sum(table.size(m) / population.size(found[qids]) for qids, m in table.classes().items())
    return min(1, risk / table.size())


def test_mean_over_records(people, measured):
    """Two records at one quarter and two at three quarters... of their class: (2/4 + 1/2) / 3."""
    table = people("ab", "xu", "xu", "yu")
    population = people("ab", "xu", "xu", "xu", "xu", "yu", "yu", "yv")
    assert measured(JOURNALIST_RISK_AVERAGE, table, population=population) == pytest.approx(1 / 3)


def test_the_whole_population(people, measured):
    """Where the table is the population it is the prosecutor's average: classes / records."""
    table = people("ab", "xu", "xu", "xu", "yu")
    assert measured(JOURNALIST_RISK_AVERAGE, table, population=table) == 0.5


def test_missing_matches_missing(people, measured):
    """Two people of the population lack the value that the table's record lacks."""
    population = people("ab", "x-", "x-", "xu")
    assert measured(JOURNALIST_RISK_AVERAGE, people("ab", "x-"), population=population) == 0.5


def test_entities_are_bounded_from_above(people, measured):
    """Entity 1 is in two classes of four: 1/4 + 1/4, not below its largest risk."""
    table = people("abw", "xu1", "yu1", entity=True)
    population = people("abw", "xu1", "xu2", "xu3", "xu4", "yu1", "yu2", "yu3", "yu4", entity=True)
    assert measured(JOURNALIST_RISK_AVERAGE, table, population=population) == 0.5


def test_population_must_cover(people, measured):
    """A class that the population lacks, or has fewer of, leaves no number, with the reason."""
    table = people("ab", "xu", "xu", "yv")
    lacking = people("ab", "xu", "xu", "xu")
    smaller = people("ab", "xu", "yv", "yv")
    with pytest.raises(NotMeasurable, match="1 are absent from it; give"):
        measured(JOURNALIST_RISK_AVERAGE, table, population=lacking)
    with pytest.raises(NotMeasurable, match="1 are larger than in it; give"):
        measured(JOURNALIST_RISK_AVERAGE, table, population=smaller)


@pytest.mark.slow
def test_equals_counting(agrees):
    """The mean is the one counted."""
    agrees(JOURNALIST_RISK_AVERAGE, summed_risk)
