"""k-map against counting."""

import pytest

from qidguard import NotMeasurable
from qidguard_standard.metrics.k_map import K_MAP


def smallest_population_class(table, population):
    """Count the population of each of the table's classes and take the least."""
    return min(population.size(population.classes()[qids]) for qids in table.classes())


def test_population_behind_the_table(people, measured):
    """The table's classes have 3 and 2 people; that the population has a unique elsewhere does not matter."""
    table = people("ab", "xu", "yu")
    population = people("ab", "xu", "xu", "xu", "yu", "yu", "yv")
    assert measured(K_MAP, table, population=population) == 2


def test_missing_matches_missing(people, measured):
    """Two people of the population lack the value that the table's record lacks."""
    population = people("ab", "x-", "x-", "xu")
    assert measured(K_MAP, people("ab", "x-"), population=population) == 2


def test_entities_of_the_population(people, measured):
    """Three records of two people are two."""
    population = people("abw", "xu1", "xu1", "xu2", entity=True)
    assert measured(K_MAP, people("abw", "xu1", "xu1", entity=True), population=population) == 2


def test_population_must_cover(people, measured):
    """A class that the population lacks, or has fewer of, leaves no number, with the reason."""
    table = people("ab", "xu", "xu", "yv")
    lacking = people("ab", "xu", "xu", "xu")
    smaller = people("ab", "xu", "yv", "yv")
    with pytest.raises(NotMeasurable, match="1 are absent from it; give"):
        measured(K_MAP, table, population=lacking)
    with pytest.raises(NotMeasurable, match="1 are larger than in it; give"):
        measured(K_MAP, table, population=smaller)


def test_equals_counting(agrees):
    """K is the one counted."""
    agrees(K_MAP, smallest_population_class)
