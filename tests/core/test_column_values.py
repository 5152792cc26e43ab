"""The values of a column, its hierarchy, and what is published in their place: what is refused."""

import csv
import datetime as dt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard.sdk import (
    ColumnValues,
    DataError,
    Hierarchy,
    Original,
    Recoded,
    ValueType,
    interval_text,
    set_text,
)


def column(kind, numbers=None):
    """Return a column of two values and a missing one."""
    return ColumnValues(
        name="x", value_type=kind, codes=np.array([1, 0, 2, 1]), texts=(None, "1", "2"), numbers=numbers
    )


def test_counts_of_a_column():
    """Records are all, NULL included; distinct values are those that are there."""
    found = column(ValueType.TEXT)
    assert (found.records, found.distinct) == (4, 2)


@pytest.mark.parametrize(("kind", "has_numbers", "expected"), [
    (ValueType.INTEGER, True, True),
    (ValueType.NUMBER, True, True),
    (ValueType.DATE, True, True),
    (ValueType.TIMESTAMP, True, True),
    (ValueType.BOOLEAN, True, False),
    (ValueType.TEXT, False, False),
    (ValueType.EMPTY, False, False),
    (ValueType.INTEGER, False, False),
])  # fmt: skip
def test_arithmetic_makes_sense_for_numbers_and_dates(kind, has_numbers, expected):
    """Not for a Boolean, whose numbers are only names, and not without numbers."""
    assert column(kind, np.array([np.nan, 1, 2]) if has_numbers else None).is_numeric is expected


MOMENT = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)


def test_what_may_be_published():
    """Original values, texts, numbers, Booleans, dates, moments, and nothing at all."""
    values = (Original(3), "x", 1, 1.5, True, dt.date(2020, 1, 1), MOMENT, None)
    for kind in (np.int8, np.uint64, np.int64):
        recoded = Recoded(codes=np.arange(8, dtype=kind), values=values)
        assert recoded.values == values
    assert Recoded(codes=np.zeros(0, dtype=np.int64), values=()).values == ()


@pytest.mark.parametrize(("codes", "values", "said"), [
    ([0, 1], ("a", "b"), "one whole number a record"),
    (np.array([[0]]), ("a",), "one whole number a record"),
    (np.array([0.0]), ("a",), "one whole number a record"),
    (np.array([True]), ("a", "b"), "one whole number a record"),
    (np.array([-1]), ("a",), "outside the published values"),
    (np.array([1]), ("a",), "outside the published values"),
    (np.array([0]), (), "outside the published values"),
    (np.array([0]), (b"SECRET",), "no bytes"),
    (np.array([0]), ([1],), "no list"),
    (np.array([0]), (np.int64(1),), "no int64"),
])  # fmt: skip
def test_what_may_not_be_published(codes, values, said):
    """One code a record, each of a value, and values that a table can hold; the sentence shows no value."""
    with pytest.raises(ValueError, match=said) as caught:
        Recoded(codes=codes, values=values)
    assert "SECRET" not in str(caught.value)


LEVELS = ((0, 1, 2, 3), (0, 1, 1, 2), (0, 0, 0, 0))
LABELS = ((None, "1", "2", "3"), (None, "[1, 2]", "3"), ("*",))


def hierarchy(groups=LEVELS, labels=LABELS):
    """Return a hierarchy of three values and NULL."""
    return Hierarchy(column="x", groups=np.array(groups, dtype=np.int32), labels=labels, origin="by hand")


def test_values_do_not_print():
    """A column in a traceback or a log shows its name and type only; labels and groups are values, too."""
    shown = repr(column(ValueType.TEXT, np.array([np.nan, 731.0, 2])))
    assert shown == repr(column(ValueType.TEXT, np.array([np.nan, 44.0, 2])))
    assert "texts" not in shown
    assert repr(Recoded(codes=np.array([0]), values=("SECRET",))) == "Recoded()"
    assert repr(hierarchy()) == "Hierarchy(column='x', origin='by hand')"


def test_a_hierarchy_has_levels_and_leaves():
    """Values that each group covers, NULL not counted: one each, then two and one, then all three."""
    found = hierarchy()
    assert found.levels == 3
    assert [found.leaves(level).tolist() for level in range(3)] == [[0, 1, 1, 1], [0, 2, 1], [3]]
    with pytest.raises(IndexError):
        found.leaves(3)


def test_a_column_without_values_has_a_hierarchy_too():
    """NULL alone is a group of no value on both levels."""
    found = hierarchy([[0], [0]], ((None,), ("*",)))
    assert [found.leaves(level).tolist() for level in range(2)] == [[0], [0]]


@pytest.mark.parametrize(("groups", "labels", "said"), [
    ([[0, 1]], ((None, "1"),), "needs an exact level and one above it"),
    ([0, 1], ((None, "1"),), "needs an exact level and one above it"),
    (np.zeros((2, 0)), ((), ()), "needs an exact level and one above it"),
    (LEVELS, LABELS[:2], "labels for each of its levels"),
    (((0, 2, 1, 3), *LEVELS[1:]), LABELS, "level 0 .* must keep all values apart"),
    (((0, 1, 1, 3), *LEVELS[1:]), LABELS, "level 0 .* must keep all values apart"),
    (LEVELS[:2], LABELS[:2], "must be a single group"),
    (LEVELS, (LABELS[0], (None, "[1, 2]"), LABELS[2]), "level 1 .* lacks a group's label"),
    (((0, 1, 2, 3), (0, -1, 1, 2), (0, 0, 0, 0)), LABELS, "level 1 .* lacks a group's label"),
    ((LEVELS[0], LEVELS[1], (0, 1, 2, 2), LEVELS[2]), (*LABELS[:2], (None, "1", "[2, 3]"), LABELS[2]),
     "level 2 .* separates values that level 1 puts together"),
])  # fmt: skip
def test_levels_that_do_not_nest_are_refused(groups, labels, said):
    """Each refusal names the column and the level, and no value."""
    with pytest.raises(DataError, match=said) as caught:
        hierarchy(groups, labels)
    assert "'x'" in str(caught.value)
    assert "[1, 2]" not in str(caught.value)


@settings(max_examples=examples(30), derandomize=True, database=None, deadline=None)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=8))
def test_leaves_of_every_level_are_all_values(middle):
    """However a level groups them, each value is in one group."""
    _, level = np.unique([-1, *middle], return_inverse=True)
    codes = len(level)
    names = (None, *map(str, range(1, int(level.max()) + 1)))
    exact = (None, *map(str, range(1, codes)))
    found = hierarchy([range(codes), level, [0] * codes], (exact, names, ("*",)))
    assert [int(found.leaves(i).sum()) for i in range(3)] == [codes - 1] * 3


def test_intervals():
    """Both ends belong to it; an interval of one value is the value."""
    assert interval_text("17", "25") == "[17, 25]"
    assert interval_text("-1.5", "1e10") == "[-1.5, 1e10]"
    assert interval_text("2020-01-01", "2020-12-31") == "[2020-01-01, 2020-12-31]"
    assert interval_text("17", "17") == "17"


@pytest.mark.parametrize(("low", "high"), [("", "1"), ("1", ""), ("", "")])
def test_an_interval_has_two_ends(low, high):
    """An empty end is a mistake of the caller."""
    with pytest.raises(ValueError, match="needs two ends"):
        interval_text(low, high)


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        (["f"], "f"),
        (["a, b"], "a, b"),
        ([""], ""),
        (["f", "m"], "{f, m}"),
        ([None, "f"], "{, f}"),
        (["", "f"], '{"", f}'),
        (["a,b", "c"], '{"a,b", c}'),
        (['say "x"', "c"], '{"say ""x""", c}'),
        ([" a", "b "], '{" a", "b "}'),
        (["{a, b}", "c"], '{"{a, b}", c}'),
        (["(a)", "c"], '{"(a)", c}'),
        (["[1, 2]", "7"], "{[1, 2], 7}"),
    ],
)
def test_sets(members, expected):
    """A missing member is an empty place, and what could be read otherwise is quoted."""
    assert set_text(members) == expected


@pytest.mark.parametrize("members", [[], [None]])
def test_a_set_has_a_value(members):
    """An empty set and one of a missing value are mistakes of the caller."""
    with pytest.raises(ValueError, match="needs a value"):
        set_text(members)


PLAIN = st.text("ab ,{}()\"'é", max_size=4)


@settings(max_examples=examples(200), derandomize=True, database=None, deadline=None)
@given(st.lists(st.one_of(st.none(), PLAIN), min_size=2, max_size=4))
def test_sets_are_told_apart_by_any_reader_of_csv(members):
    """Members come back in order; a missing one as an empty place that is not quoted."""
    text = set_text(members)
    assert text.startswith("{")
    assert text.endswith("}")
    (read,) = csv.reader([text[1:-1]], skipinitialspace=True, strict=True) if text != "{}" else ([""],)
    assert read == [member or "" for member in members]
