"""Share of persons above a journalist risk against counting in fractions."""

from fractions import Fraction

import pytest

from qidguard import NotMeasurable
from qidguard_standard.metrics.journalist_share_above import JOURNALIST_SHARE_ABOVE


def share_above_a_third(table, population):
    """Count the persons with 1/F > 0.33 in every class, of all, at most 1."""
    found = population.classes()
    risky = [
        table.size(members)
        for qids, members in table.classes().items()
        if Fraction(1, population.size(found[qids])) > Fraction(33, 100)
    ]
    return min(1, sum(risky) / table.size())


def test_at_the_threshold_is_not_above_it(people, measured):
    """Twenty people in the population are 0.05 exactly, which is not above 0.05; nineteen are."""
    table = people("ab", "xu")
    assert measured(JOURNALIST_SHARE_ABOVE, table, population=people("ab", *["xu"] * 20)) == 0
    assert measured(JOURNALIST_SHARE_ABOVE, table, population=people("ab", *["xu"] * 19)) == 1


def test_share(people, measured):
    """One of four records has fewer than three like it in the population."""
    table = people("ab", "xu", "xu", "xu", "yv")
    population = people("ab", "xu", "xu", "xu", "yv", "yv")
    assert measured(JOURNALIST_SHARE_ABOVE, table, population=population, threshold=0.4) == 0.25


def test_missing_matches_missing(people, measured):
    """Two people of the population lack the value: one half, which is above 0.4."""
    population = people("ab", "x-", "x-", "xu")
    assert measured(JOURNALIST_SHARE_ABOVE, people("ab", "x-"), population=population, threshold=0.4) == 1


def test_entities_stop_at_all(people, measured):
    """One entity at risk in two classes is still one of one."""
    table = people("abw", "xu1", "yu1", entity=True)
    assert measured(JOURNALIST_SHARE_ABOVE, table, population=table) == 1


def test_population_must_cover(people, measured):
    """A class that the population lacks, or has fewer of, leaves no number, with the reason."""
    table = people("ab", "xu", "xu", "yv")
    lacking = people("ab", "xu", "xu", "xu")
    smaller = people("ab", "xu", "yv", "yv")
    with pytest.raises(NotMeasurable, match="1 are absent from it; give"):
        measured(JOURNALIST_SHARE_ABOVE, table, population=lacking)
    with pytest.raises(NotMeasurable, match="1 are larger than in it; give"):
        measured(JOURNALIST_SHARE_ABOVE, table, population=smaller)


def test_equals_counting(agrees):
    """The share is the one counted in fractions."""
    agrees(JOURNALIST_SHARE_ABOVE, share_above_a_third, threshold=0.33)
