"""Automatic hierarchies: quantiles, frequency and similarity, each held against a naive way to reckon it."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from hierarchy_columns import groups, numbers, published, shown, texts
from qidguard.anonymizing.hierarchy.assembling import assemble, labeled_level
from qidguard.anonymizing.hierarchy.order import stated_order
from qidguard.anonymizing.hierarchy.trees import average_linkage, cuts
from qidguard.core.column import ValueType
from qidguard.core.errors import DataError
from qidguard.sdk import automatic_hierarchy

COUNTS = st.lists(st.integers(1, 30), min_size=1, max_size=12)
GIVEN = settings(max_examples=examples(80), deadline=None, derandomize=True, database=None)


def test_numbers_are_cut_at_their_quantiles():
    """Eight numbers of one record each: halves and quarters, labeled by their lowest and highest."""
    found = automatic_hierarchy(numbers(1, 2, 3, 5, 8, 13, 21, 34), "quantiles")
    quarters = ["[1, 2]"] * 2 + ["[3, 5]"] * 2 + ["[8, 13]"] * 2 + ["[21, 34]"] * 2
    assert shown(found) == [quarters, ["[1, 5]"] * 4 + ["[8, 34]"] * 4]


def test_what_most_records_hold_takes_a_part_for_itself():
    """Nine of twelve records hold 0, so the other numbers are together where 0 stays alone."""
    found = automatic_hierarchy(numbers(0, 7, 8, 9, counts=(9, 1, 1, 1)), "quantiles")
    assert groups(found, found.levels - 2) == [{1}, {2, 3, 4}]


@GIVEN
@given(COUNTS)
def test_quantile_parts_are_those_of_fractions(counts):
    """On every level two neighbors are together when their middle ranks fall into the same of 2^j parts."""
    column = numbers(*range(len(counts)), counts=counts)
    found = automatic_hierarchy(column, "quantiles")
    total = sum(counts)
    middles = [Fraction(sum(counts[:i]) * 2 + counts[i], 2 * total) for i in range(len(counts))]
    possible = []
    for depth in range(1, 12):
        parts: dict[int, set[int]] = {}
        for code, middle in enumerate(middles, start=1):
            parts.setdefault(int(middle * 2**depth), set()).add(code)
        possible.append(list(parts.values()))
    for level in range(1, found.levels - 1):
        assert groups(found, level) in possible
    sizes = [len(names) for names in found.labels]
    assert all(finer > coarser for finer, coarser in pairwise(sizes[:-1]))


def test_dates_have_the_calendar_or_are_cut_at_their_quantiles():
    """A column of dates gets periods, and intervals of as many dates each where they are asked for."""
    days = ("2021-01-01", "2021-01-09", "2021-02-01", "2022-01-01")
    column = numbers(*days, kind=ValueType.DATE, name="visit")
    assert automatic_hierarchy(column).labels[1] == (None, "2021-01", "2021-02", "2022-01")
    two = (None, "[2021-01-01, 2021-01-09]", "[2021-02-01, 2022-01-01]")
    assert automatic_hierarchy(column, "quantiles").labels[1] == two


def naive_frequency(counts: list[int]) -> dict[int, set[frozenset[int]]]:
    """Return the groups after each merge of the two rarest, by their number."""
    parts = [(count, code, frozenset([code])) for code, count in enumerate(counts, start=1)]
    found = {len(parts): {part for *_, part in parts}}
    while len(parts) > 1:
        parts.sort(key=lambda part: part[:2])
        (one, first, some), (other, second, more), *rest = parts
        parts = [*rest, (one + other, min(first, second), some | more)]
        found[len(parts)] = {part for *_, part in parts}
    return found


@GIVEN
@given(COUNTS)
def test_the_rarest_are_merged_first(counts):
    """Each level is the naive merging stopped at half the groups of the level below."""
    found = automatic_hierarchy(texts(*(f"v{i:02}" for i in range(len(counts))), counts=counts), "frequency")
    naive = naive_frequency(counts)
    left = len(counts)
    for level in range(1, found.levels - 1):
        left = (left + 1) // 2
        assert set(map(frozenset, groups(found, level))) == naive[left]
    assert left <= 2 or len(counts) <= 2


def naive_linkage(distances: np.ndarray, left: int) -> set[frozenset[int]]:
    """Return ``left`` groups of points after merging the two that are nearest on average."""
    parts = [frozenset([point]) for point in range(len(distances))]
    while len(parts) > left:
        pairs = [(a, b) for i, a in enumerate(parts) for b in parts[i + 1 :]]
        one, other = min(pairs, key=lambda pair: distances[np.ix_(sorted(pair[0]), sorted(pair[1]))].mean())
        parts = [part for part in parts if part not in {one, other}] + [one | other]
    return set(parts)


@settings(max_examples=examples(30), deadline=None, derandomize=True, database=None)
@given(st.integers(2, 14), st.integers(0, 10**6))
def test_average_linkage_merges_the_nearest(points, seed):
    """On distances without ties every cut is the naive one's."""
    upper = np.triu(np.random.default_rng(seed).random((points, points)), 1)
    distances = upper + upper.T
    left = points
    for cut in cuts(points, average_linkage(distances)):
        left = (left + 1) // 2
        parts = {frozenset(np.flatnonzero(cut == node).tolist()) for node in set(cut.tolist())}
        assert parts == naive_linkage(distances, left)


def test_alike_texts_are_merged_first():
    """Words in common and letters in common bring texts together, without regard to case."""
    found = automatic_hierarchy(
        texts("ACUTE heart", "acute Heart failure", "bronchitis", "chronic bronchitis"), "similarity"
    )
    assert groups(found, 1) == [{1, 2}, {3, 4}]


def test_many_texts_are_grouped_by_their_beginnings():
    """Of 2,000 texts those with the same first letters are together on every level."""
    names = sorted(f"{a}{b}-{i:02}" for a in "abcd" for b in "wxyz" for i in range(125))
    found = automatic_hierarchy(texts(*names), "similarity")
    sizes = [len(groups(found, level)) for level in range(found.levels)]
    assert sizes == [2000, 160, 80, 40, 20, 10, 5, 3, 2, 1]
    for group in groups(found, 1):
        assert len({names[code - 1][:4] for code in group}) == 1


def test_long_sets_are_named_by_a_member():
    """A set of more than 100 characters is named by its most frequent member, and how many more it has."""
    column = texts(*(f"a rather long name {i:03}" for i in range(64)))
    found = automatic_hierarchy(column, "frequency")
    assert published(found, 1)[0] == "{a rather long name 000, a rather long name 001}"
    assert published(found, 3)[0] == "a rather long name 000 and 7 more"
    labels = [label for level in found.labels[1:] for label in level if label]
    assert len(labels) == len(set(labels))


def test_a_label_is_never_a_value():
    """Values that look like the label of a group do not meet it."""
    hostile = "{a, b}"
    values = ("a", "b", "c", "a and 1 more", hostile)
    found = automatic_hierarchy(texts(*values), "frequency")
    taken = set(values)
    for level in range(1, found.levels - 1):
        for group, label in zip(groups(found, level), found.labels[level][1:], strict=True):
            assert len(group) == 1 or label not in taken
    assert published(found, 1)[0] == "a and 1 more'"


@pytest.mark.parametrize("kind", ["auto", "frequency", "similarity"])
@pytest.mark.parametrize("distinct", [0, 1, 2])
def test_few_values_have_only_the_top(kind, distinct):
    """No value, one and two: exact, and then one group."""
    found = automatic_hierarchy(texts(*"ab"[:distinct]), kind)
    assert found.labels[1:] == (("*",),)
    assert automatic_hierarchy(numbers(*range(distinct)), kind).labels[1:] == (("*",),)


@pytest.mark.slow
@GIVEN
@given(st.dictionaries(st.text(max_size=5), st.integers(1, 9), min_size=1, max_size=9), st.randoms())
def test_the_order_of_records_decides_nothing(counts, random):
    """Shuffled records give the same hierarchy, whatever the texts, and labels are its own on each level."""
    values = sorted(counts)
    column = texts(*values, counts=[counts[value] for value in values])
    shuffled = column.codes.tolist()
    random.shuffle(shuffled)
    other = replace(column, codes=np.array(shuffled, dtype=np.int32))
    for kind in ("frequency", "similarity"):
        found, again = automatic_hierarchy(column, kind), automatic_hierarchy(other, kind)
        assert found.groups.tolist() == again.groups.tolist()
        assert found.labels == again.labels
        assert all(len(names) == len(set(names)) for names in found.labels)


def test_a_level_that_separates_is_refused():
    """What a finer level puts together a coarser one cannot take apart, whatever made it."""
    finer, coarser = labeled_level(["x", "x", "y"]), labeled_level(["u", "v", "v"])
    with pytest.raises(DataError, match=r"^level 2 of the hierarchy of 'c' separates values that level 1"):
        assemble(texts("a", "b", "c"), [finer, coarser], origin="test")
    assert assemble(texts("a", "b", "c"), [finer], origin="test").groups[1].tolist() == [0, 1, 1, 2]


def test_an_unfit_kind_is_refused():
    """Texts have no quantiles, and there is no kind of another name."""
    with pytest.raises(DataError, match=r"^quantiles need numbers or dates, and column 'c' holds text;"):
        automatic_hierarchy(texts("a"), "quantiles")
    with pytest.raises(DataError, match=r"^there is no automatic hierarchy 'best'; choose one of auto"):
        automatic_hierarchy(texts("a"), "best")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["quantiles", "frequency"])
def test_many_values_have_all_levels(kind):
    """100,000 distinct values are halved until each is alone."""
    assert automatic_hierarchy(numbers(*range(100_000)), kind).levels == 18


def test_a_long_value_alone_in_its_group_is_itself():
    """What is longer than a set may be is no range from itself to itself."""
    texts = [f"{grade} - {'very ' * 30}{word}" for grade, word in enumerate(("good", "fair", "poor"), 1)]
    levels, _ = stated_order(texts)
    assert levels[0].labels == (f"{texts[0]} to {texts[1]}", texts[2])
