"""δ-presence, minimum, against counting."""

import pytest

from qidguard import NotMeasurable
from qidguard_standard.metrics.delta_presence import DELTA_PRESENCE_MIN


def presence(table, population):
    """Take the smallest share of a population class that is in the table."""
    inside = table.classes()
    return min(
        table.size(inside.get(qids, ())) / population.size(members)
        for qids, members in population.classes().items()
    )


def test_shares_of_the_population(people, measured):
    """Of population classes of 4 and 2 one person each is in the table."""
    table = people("ab", "xu", "yu")
    population = people("ab", "xu", "xu", "xu", "xu", "yu", "yu")
    assert measured(DELTA_PRESENCE_MIN, table, population=population) == 0.25


def test_absent_class(people, measured):
    """A class of the population that the table lacks has presence 0, and all of another is 1."""
    population = people("ab", "xu", "yv")
    assert measured(DELTA_PRESENCE_MIN, people("ab", "xu"), population=population) == 0


def test_missing_matches_missing(people, measured):
    """One of two people without the value is in the table."""
    assert measured(DELTA_PRESENCE_MIN, people("ab", "x-"), population=people("ab", "x-", "x-")) == 0.5


def test_entities(people, measured):
    """Two records of one of two people are one half."""
    population = people("abw", "xu1", "xu1", "xu2", entity=True)
    assert (
        measured(DELTA_PRESENCE_MIN, people("abw", "xu1", "xu1", entity=True), population=population) == 0.5
    )


def test_entities_break_monotony(people, measured):
    """A person of the table in two classes is counted once after merging, so 1/2 and 1/2 become 1/3."""
    table = people("abw", "xu1", "xv1", entity=True)
    population = people("abw", "xu1", "xu2", "xv1", "xv3", entity=True)
    assert measured(DELTA_PRESENCE_MIN, table, "ab", population=population) == 0.5
    assert measured(DELTA_PRESENCE_MIN, table, "a", population=population) == pytest.approx(1 / 3)
    assert not DELTA_PRESENCE_MIN.is_monotone


def test_population_must_cover(people, measured):
    """A class that the population lacks, or has fewer of, leaves no number, with the reason."""
    table = people("ab", "xu", "xu", "yv")
    lacking = people("ab", "xu", "xu", "xu")
    smaller = people("ab", "xu", "yv", "yv")
    with pytest.raises(NotMeasurable, match="1 are absent from it; give"):
        measured(DELTA_PRESENCE_MIN, table, population=lacking)
    with pytest.raises(NotMeasurable, match="1 are larger than in it; give"):
        measured(DELTA_PRESENCE_MIN, table, population=smaller)


@pytest.mark.slow
def test_equals_counting(agrees):
    """The figure is the one counted."""
    agrees(DELTA_PRESENCE_MIN, presence)
