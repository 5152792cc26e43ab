"""What a class shows of its categories, and automatic hierarchies that anybody can read."""

import numpy as np
import pytest

from columns import column as held
from qidguard.sdk import (
    ColumnValues,
    DataError,
    Hierarchy,
    Original,
    ShortSets,
    ValueType,
    read_coverage,
    readable_hierarchy,
    set_text,
)

JOBS = ("clerk", "doctor", "nurse", "surgeon", "teller", "vet")


def column(*texts):
    """Return a column of text that holds each value once."""
    return ColumnValues(
        name="job", value_type=ValueType.TEXT, codes=np.arange(len(texts) + 1, dtype=np.int32),
        texts=(None, *texts),
    )  # fmt: skip


def trades(values):
    """Return a hierarchy: health and office, what treats people or animals, then work."""
    return Hierarchy(
        column="job",
        groups=np.array(
            [range(7), [0, 1, 2, 2, 2, 1, 3], [0, 1, 2, 2, 2, 1, 2], [0, 1, 1, 1, 1, 1, 1], [0] * 7], np.int32
        ),
        labels=(
            values.texts,
            (None, "office", "human health", "animal health"), (None, "office", "health"), (None, "work"),
            ("*",),
        ),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("members", "with_hierarchy", "without"),
    [
        (["nurse"], Original(3), Original(3)),
        ([None], Original(0), Original(0)),
        (["doctor", "nurse"], "{doctor, nurse}", "{doctor, nurse}"),
        (["doctor", "nurse", "surgeon"], "human health", "*"),
        (["doctor", "nurse", "vet"], "health", "*"),
        (["clerk", "doctor", "vet"], "work", "*"),
        ([None, "nurse"], "*", "*"),
    ],
)
def test_a_class_shows_a_short_set_or_the_smallest_group_that_holds_it(members, with_hierarchy, without):
    """More than two values are named by their group, and are suppressed where nothing names one."""
    values = column(*JOBS)
    codes = [values.texts.index(member) for member in members]
    shown = [
        ShortSets(column=values, largest_set=2, mark="*", hierarchy=given).of(codes)
        for given in (trades(values), None)
    ]
    assert shown == [with_hierarchy, without]


def test_a_set_lies_within_one_group_below_the_top():
    """Two values that have nothing but the top in common make no set."""
    values = column("bread", "iron", "milk")
    goods = Hierarchy(
        column="job",
        groups=np.array([[0, 1, 2, 3], [0, 1, 2, 1], [0, 0, 0, 0]], dtype=np.int32),
        labels=(values.texts, (None, "food", "metal"), ("*",)),
    )
    short = ShortSets(column=values, largest_set=4, mark="?", hierarchy=goods)
    assert [short.of(codes) for codes in ([1, 3], [1, 2], [1, 2, 3])] == ["{bread, milk}", "?", "?"]


@pytest.mark.parametrize(
    ("texts", "period"),
    [
        (("2021-03-04", "2021-03-05", "unknown", "2020-01-01"), "2021-03"),
        (("13/1/44", "2/1/44"), "1944-01"),
        (("14.03.2021", "5.3.2021"), "2021-03"),
        (("4 Mar 2021", "5 April 2021"), "2021"),
        (("March 4, 2021", "Apr 5, 2021"), "2021"),
        (("2021-03", "2021-02"), "2021-Q1"),
        (("2021-03-04 10:15", "2021-03-05T10:15:00"), "2021-03"),
        (("3.1.2001", "13.1.1941"), "1941-2001"),
        (("13.1.2001", "soon", *(f"{day}.1.2001" for day in range(14, 32)), "1.2.2001"), "*"),
    ],
)
def test_dates_as_text_make_no_set(texts, period):
    """A reader can do nothing with a list of days: the smallest period of the calendar stands for them."""
    codes = sorted(texts.index(text) + 1 for text in texts[:2])
    assert ShortSets(column=column(*texts), largest_set=4, mark="*").of(codes) == period


def test_dates_that_may_be_read_in_two_ways_are_asked():
    """April 3 or March 4: nobody guesses."""
    with pytest.raises(DataError, match="no date of column 'job' tells whether it is written d/m/y or m/d/y"):
        ShortSets(column=column("04/03/2021", "05/03/2021"), largest_set=4, mark="*").of([1, 2])


@pytest.mark.parametrize("texts", [("1-2", "3-4"), ("10115", "80331"), ("a/b/c", "d"), ("250.01", "250.02")])
def test_codes_are_no_dates(texts):
    """Codes with dots, dashes or slashes may stand in a set."""
    assert ShortSets(column=column(*texts), largest_set=4, mark="*").of([1, 2]) == set_text(sorted(texts))


@pytest.mark.samples(2)
@pytest.mark.parametrize("largest", [1, 3, 4])
@pytest.mark.parametrize("count", [1, 2, 9, 40, 3_000])
def test_every_automatic_label_is_a_value_a_short_set_or_how_many_others(count, largest):
    """Each group between exact and top says what it covers, which the table alone lets anyone read."""
    values = column(*(f"town {i:04}, east" for i in range(count)))
    hierarchy = readable_hierarchy(values, largest)
    assert (hierarchy.labels[0], hierarchy.labels[-1]) == (values.texts, ("*",))
    for groups, labels in zip(hierarchy.groups[1:-1], hierarchy.labels[1:-1], strict=True):
        for group, label in enumerate(labels):
            covered = [t for t, g in zip(values.texts, groups, strict=True) if g == group]
            named = None if covered == [None] else set_text(covered)
            assert label == (f"other ({len(covered):,} values)" if len(covered) > largest else named)


def test_numbers_keep_their_intervals():
    """Sets are of categories alone."""
    values = held(range(100), name="age")
    hierarchy = readable_hierarchy(values)
    shown = column(hierarchy.labels[1][int(hierarchy.groups[1][1])])
    assert 0 < read_coverage(values, shown).loss[1] < 1


def test_a_set_of_none_is_refused():
    """The largest set has a value."""
    with pytest.raises(ValueError, match="at least one value, not 0"):
        readable_hierarchy(column("a", "b"), 0)
