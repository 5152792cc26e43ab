"""What is known to whoever knows an original value: gains by hand, single values, orders, pairs, gaps."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard.auditing.read_back import read_back
from qidguard_checks.undoing.known import known_by_order, known_by_values
from qidguard_checks.undoing.tally import tally_of
from undone import changed, decades, find_leaks, text

AGES = np.arange(400) % 40 + 20


def by_hand(groups, values, of):
    """Return the most frequent values of the others of a record's group, and how many others there are."""
    others = [values[at] for at in range(len(values)) if groups[at] == groups[of] and at != of]
    counts = {value: others.count(value) for value in others}
    most = max(counts.values(), default=0)
    return {value for value, count in counts.items() if count == most}, len(others), most


@settings(max_examples=examples(200))
@given(seed=st.integers(0, 10**6), records=st.integers(1, 40), scale=st.sampled_from([1, 10**6]))
def test_the_others_are_counted_as_by_hand(seed, records, scale):
    """In a full table and by sorting: others, their majority and its share, and whether it is clear."""
    generator = np.random.default_rng(seed)
    groups = generator.integers(0, 5, records) * scale
    values = generator.integers(0, 4, records) * scale
    tally = tally_of(groups, values)
    for of in range(records):
        most, others, count = by_hand(groups.tolist(), values.tolist(), of)
        assert tally.others[of] == others
        if len(most) == 1 and tally.votes[of] > tally.next[of]:
            assert (tally.guess[of], tally.votes[of]) == (*most, count)
        elif others:
            # of a tie either may be the guess, or none is clear
            assert tally.votes[of] <= tally.next[of] or tally.guess[of] in most


def test_the_gain_by_hand():
    """Ten ages of four persons, two bands: all are right, the commonest band is half: a gain of 1.

    One other value in one age: three of its four have it wrong or are no majority, 39 of 40 are right.
    """
    ages = np.repeat(np.arange(1, 11), 4)
    bands = 1 + (ages > 5)
    assert (known_by_values(ages, bands).gain, known_by_values(ages, bands).values) == (1.0, None)
    bands[0] = 2
    found = known_by_values(ages, bands)
    assert found.gain == pytest.approx((39 / 40 - 21 / 40) / (1 - 21 / 40))


@pytest.mark.parametrize("many", [3, 4])
def test_a_value_of_fewer_than_four_records_says_nothing(many):
    """Three persons of one age are too few, four are enough."""
    ages = np.repeat(np.arange(1, 41), many)
    assert (known_by_values(ages, 1 + ages // 4) is None) == (many == 3)


def test_missing_values_are_nobodys_knowledge():
    """What is read of half of the persons is known of these; a missing age is no age."""
    ages = np.repeat(np.arange(1, 21), 8)
    bands = np.where(np.arange(160) % 2, 1 + ages // 2, 0)
    assert known_by_values(ages, bands).gain == 1.0
    ages[ages > 10] = 0
    assert known_by_values(ages, bands).gain == 1.0
    assert known_by_values(np.zeros(160, dtype=np.int64), bands) is None


def test_a_single_value_is_known_where_the_others_are_not():
    """Who is 86 or older has a card, all others a number by chance."""
    generator = np.random.default_rng(1)
    ages = generator.integers(18, 90, 4000)
    card = np.where(ages >= 86, 9, generator.integers(1, 9, 4000))
    found = known_by_values(ages, card)
    assert found.values.tolist() == [9]
    assert found.joined(np.array([0, 3, 9])).tolist() == [0, 1, 10]


def test_neighbors_in_order_say_it_where_no_value_repeats():
    """A band of unique incomes is known by the incomes beside it; a shuffled one is not."""
    incomes = np.random.default_rng(2).permutation(1000) + 1
    assert known_by_order(incomes, 1 + incomes // 50).gain > 0.9
    assert known_by_order(incomes, 1 + np.arange(1000) % 20) is None
    rare = 1 + (np.random.default_rng(3).random(1000) < 0.02)
    assert known_by_order(incomes, rare) is None  # nearly all are alike beside anybody


def test_what_a_published_value_parts_already_is_not_said():
    """The decade once more beside the decade changes nothing."""
    changes = changed({"age": AGES, "again": AGES // 10}, age=decades(AGES))
    assert find_leaks(changes, qids=["age"], published=["age", "again"]).found == ()


def test_what_is_read_joins_and_what_is_not_read_stays():
    """Of the ages with a band each decade falls into two; of those without one the decade stays."""
    band = np.where(np.arange(400) < 380, text(AGES // 5), "")
    columns = {"age": AGES, "band": band, "other": np.arange(400) % 7}
    changes = changed(columns, age=decades(AGES))
    [leak] = find_leaks(changes, qids=["age"], published=tuple(columns))
    assert (leak.columns, leak.is_undone) == (("band",), True)
    column = read_back(changes, [leak])["age"]
    read = np.array(column.values)[column.codes]
    assert {len(set(read[:380][AGES[:380] // 10 == ten])) for ten in range(2, 6)} == {2}
    assert set(read[380:]) == {"20s", "30s", "40s", "50s"} & set(decades(AGES[380:]))


def test_a_qid_that_was_not_generalized_is_known_by_what_is_finer():
    """A year of birth beside an age band is a finer age; a shuffled one, or the band again, is none."""
    generator = np.random.default_rng(3)
    age = generator.integers(18, 90, 2000)
    year = np.char.add(text(2020 - age), np.char.add("-", text(generator.integers(1, 13, 2000), "%02d")))
    columns = {
        "age": decades(age),
        "born": year,
        "again": text(age // 10),
        "other": generator.permutation(year),
    }
    [found] = find_leaks(changed(columns), qids=["age"], published=tuple(columns)).found
    assert (found.columns, found.is_finer, found.is_undone) == (("born",), True, True)
