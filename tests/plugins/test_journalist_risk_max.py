"""Maximum journalist risk against counting."""

import pytest

from qidguard import NotMeasurable
from qidguard_standard.metrics.journalist_risk_max import JOURNALIST_RISK_MAX


def largest_risk(table, population):
    """Take the largest 1/F over the table's classes."""
    return max(1 / population.size(population.classes()[qids]) for qids in table.classes())


def test_population_behind_the_table(people, measured):
    """A unique of the table with four like it in the population is at a risk of one quarter."""
    population = people("ab", "xu", "xu", "xu", "xu", "yv")
    assert measured(JOURNALIST_RISK_MAX, people("ab", "xu"), population=population) == 0.25


def test_missing_matches_missing(people, measured):
    """Two people of the population lack the value that the table's record lacks."""
    population = people("ab", "x-", "x-", "xu")
    assert measured(JOURNALIST_RISK_MAX, people("ab", "x-"), population=population) == 0.5


def test_entities_of_the_population(people, measured):
    """Three records of two people are a risk of one half."""
    population = people("abw", "xu1", "xu1", "xu2", entity=True)
    assert measured(JOURNALIST_RISK_MAX, people("abw", "xu1", entity=True), population=population) == 0.5


def test_population_must_cover(people, measured):
    """A class that the population lacks, or has fewer of, leaves no number, with the reason."""
    table = people("ab", "xu", "xu", "yv")
    lacking = people("ab", "xu", "xu", "xu")
    smaller = people("ab", "xu", "yv", "yv")
    with pytest.raises(NotMeasurable, match="1 are absent from it; give"):
        measured(JOURNALIST_RISK_MAX, table, population=lacking)
    with pytest.raises(NotMeasurable, match="1 are larger than in it; give"):
        measured(JOURNALIST_RISK_MAX, table, population=smaller)


@pytest.mark.slow
def test_equals_counting(agrees):
    """The maximum is the one counted."""
    agrees(JOURNALIST_RISK_MAX, largest_risk)
