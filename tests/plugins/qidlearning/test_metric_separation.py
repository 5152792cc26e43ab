"""Separation against comparing every pair of records."""

from itertools import combinations, permutations

import pytest

from qidguard import NotMeasurable
from qidguard_qidlearning.metrics.separation import SEPARATION


def pairs_apart(table):
    """Compare all pairs: records by their QIDs, entities by who is in the smallest class of whom."""
    if not table.entity:
        keys = [record[:2] for record in table.records]
        pairs = list(combinations(keys, 2))
        return sum(one != other for one, other in pairs) / len(pairs)
    groups = [set(table.column("w", members)) for members in table.classes().values()]
    people = sorted(set(table.column("w")))
    smallest = {who: min((g for g in groups if who in g), key=len) for who in people}
    pairs = list(permutations(people, 2))
    return sum(other not in smallest[who] for who, other in pairs) / len(pairs)


def test_first_example_of_the_paper(people, measured):
    """Two classes of two: four of six pairs differ."""
    assert measured(SEPARATION, people("ab", "1X", "2Y", "1X", "2Y")) == pytest.approx(4 / 6)


def test_second_example_of_the_paper(people, measured):
    """All six pairs differ."""
    assert measured(SEPARATION, people("ab", "1X", "2Y", "1Y", "2X")) == 1


def test_missing_is_a_value(people, measured):
    """Two records that lack the same QID are one pair that does not differ."""
    assert measured(SEPARATION, people("ab", "x-", "x-", "xu")) == pytest.approx(2 / 3)


def test_single_class(people, measured):
    """Nobody is told apart."""
    assert measured(SEPARATION, people("ab", "xu", "xu", "xu")) == 0


def test_one_person(people, measured):
    """One record makes no pair, nor does one entity with two records."""
    for table in (people("ab", "xu"), people("abw", "xu1", "yu1", entity=True)):
        with pytest.raises(NotMeasurable, match="has only one"):
            measured(SEPARATION, table)


def test_entities(people, measured):
    """Entity 1 is alone in class y, so apart from both others; 2 and 3 are with all three in class x."""
    table = people("abw", "xu1", "xu2", "xu3", "yu1", entity=True)
    assert measured(SEPARATION, table) == pytest.approx(2 / 6)


def test_equals_comparing_pairs(measured, on_random_people):
    """It is the share of pairs that differ, over records and over entities."""

    def check(table, _):
        if table.size() > 1:
            assert measured(SEPARATION, table) == pytest.approx(pairs_apart(table), rel=1e-12)

    on_random_people(check, metric=SEPARATION)


def test_one_more_qid_never_lowers_it(measured, on_random_people):
    """It is monotone over records and over entities, as it says."""

    def check(table, _):
        if table.size() > 1:
            fine = measured(SEPARATION, table, "ab")
            assert all(measured(SEPARATION, table, qid) <= fine for qid in "ab")

    on_random_people(check, metric=SEPARATION)
    assert SEPARATION.is_monotone


def test_order_does_not_matter(people, measured):
    """The records turned round give the same figure."""
    records = ["xu", "yu", "yv", "yv", "-v"]
    assert measured(SEPARATION, people("ab", *records)) == measured(SEPARATION, people("ab", *records[::-1]))


def test_empty_table(has_no_value_when_empty):
    """Over no records there is no figure."""
    has_no_value_when_empty(SEPARATION)
