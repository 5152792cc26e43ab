"""Distinction against counting combinations, and against each person's smallest class."""

from fractions import Fraction

import pandas as pd
import pytest

from qidguard_qidlearning.metrics.distinction import DISTINCTION


def mean_risk(table):
    """Take the mean over persons of 1/size of their smallest class, exactly."""
    smallest = table.smallest()
    return float(sum(Fraction(1, size) for size in smallest) / len(smallest))


def test_example_of_the_paper(people, measured):
    """(1, X) and (2, Y), twice each: 2 combinations for 4 records."""
    assert measured(DISTINCTION, people("ab", "1X", "2Y", "1X", "2Y")) == 0.5


def test_second_example_of_the_paper(people, measured):
    """Four different combinations: 1."""
    assert measured(DISTINCTION, people("ab", "1X", "2Y", "1Y", "2X")) == 1


def test_missing_is_a_value(people, measured):
    """NULL makes a combination of its own."""
    assert measured(DISTINCTION, people("ab", "xu", "-u", "xu", "--")) == 0.75


def test_one_qid(people, measured):
    """One QID works like many."""
    assert measured(DISTINCTION, people("ab", "xu", "xv", "yu", "yv"), "a") == 0.5


def test_single_class(people, measured):
    """Nobody differs: 1/n, exactly, where a sum of thirds would miss it."""
    assert measured(DISTINCTION, people("ab", "xu", "xu", "xu")) == 1 / 3


def test_everyone_unique_is_exactly_one(people, measured):
    """Classes of three leave no last digit behind."""
    table = people("ab", *[f"{a}{b}" for a in "abcdefg" for b in "uvw" for _ in range(3)])
    assert measured(DISTINCTION, table) == 1 / 3
    assert measured(DISTINCTION, table, "b") == 3 / 63


def test_classes_are_counted_and_not_added_up(frame_figure):
    """49 times 1/49 is a little less than 1 in floating point, so five classes of 49 would lose a digit."""
    frame = pd.DataFrame({"a": list("vwxyz") * 49})
    assert frame_figure(DISTINCTION, frame, ["a"]) == 5 / 245


def test_entities_count_with_their_smallest_class(people, measured):
    """Entity 1 is alone in a class, 2 and 3 share one of three: (1 + 1/3 + 1/3) / 3."""
    table = people("abw", "xu1", "xu1", "xu2", "xu3", "yu1", entity=True)
    assert measured(DISTINCTION, table) == pytest.approx(5 / 9)


def test_entities_never_pass_one(people, measured):
    """One entity in three classes is one person, not three combinations."""
    assert measured(DISTINCTION, people("abw", "xu1", "yu1", "yv1", entity=True)) == 1


def test_equals_counting(agrees):
    """It is the mean risk, over records and over entities."""
    agrees(DISTINCTION, mean_risk)


def test_over_records_it_is_combinations_a_record(measured, on_random_people):
    """To the last digit it is the paper's |{Q_i}| / n."""

    def check(table, _):
        assert measured(DISTINCTION, table) == len(table.classes()) / len(table.records)

    on_random_people(check, metric=DISTINCTION, entities=False)


def test_order_does_not_matter(ignores_order):
    """A shuffle of the records changes nothing."""
    ignores_order(DISTINCTION)


def test_one_more_qid_never_lowers_it(never_less_safe_when_coarser):
    """It is monotone over records and over entities, as it says."""
    never_less_safe_when_coarser(DISTINCTION, entities=True)
    assert DISTINCTION.is_monotone


def test_empty_table(has_no_value_when_empty):
    """Over no records there is no figure."""
    has_no_value_when_empty(DISTINCTION)
