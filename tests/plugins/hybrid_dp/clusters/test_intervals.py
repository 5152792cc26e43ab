"""What clusters publish: levels and labels of categories, intervals of noised numbers."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidguard.sdk import Hierarchy, NotMeasurable, Original, Recoded, ValueType
from qidguard_hybrid_dp.clusters.generalizing import generalized, published
from qidguard_hybrid_dp.clusters.intervals import NoisedNumeric, grids_of, intervals
from qidguard_hybrid_dp.clusters.k_member import clustered
from qidguard_hybrid_dp.clusters.kinds import Categorical

NUMBER = st.none() | st.integers(0, 12)
ROWS = st.lists(st.tuples(st.integers(0, 1), NUMBER, NUMBER), min_size=8, max_size=60)
FIVES = Hierarchy(
    column="age",
    groups=np.array([[0, 1, 2, 3], [0, 1, 2, 2], [0, 1, 1, 1], [0, 0, 0, 0]], dtype=np.int32),
    labels=((None, "17", "31", "33"), (None, "15-19", "30-34"), (None, "0-39"), ("*",)),
)


def column(name, numbers, hierarchy=None):
    """Return a column of noised whole numbers, None where missing."""
    values = np.array([np.nan if one is None else float(one) for one in numbers])
    return NoisedNumeric(name=name, numbers=values, value_type=ValueType.INTEGER, hierarchy=hierarchy)


def shown(made):
    """Return what is published of each record."""
    return [made.values[code] for code in made.codes.tolist()]


def cells(rows, k, quiet, persons=None):
    """Return what is published of the rows: a category and two numbers; None where k cannot hold."""
    category = Recoded(codes=np.array([row[0] for row in rows]), values=("a", "b"))
    columns = [column("x", [row[1] for row in rows]), column("y", [row[2] for row in rows])]
    made = intervals(columns, {"c": category}, k=k, mark="*", step=quiet, persons=persons)
    return list(zip(category.codes.tolist(), shown(made["x"]), shown(made["y"]), strict=True))


def holds(value, number):
    """Whether a published value is true of a noised number."""
    if number is None or value is None or value == "*":
        return value in {None, "*"} if number is None else value == "*"
    low, *high = map(int, re.findall(r"\d+", str(value)))
    return low <= number <= (high[0] if high else low)


@given(rows=ROWS, k=st.integers(1, 5))
def test_each_class_over_all_columns_has_k_records_and_tells_no_lie(quiet, rows, k):
    """Records that publish the same are k, and each interval holds the noised number."""
    if min(sum(row[0] == one for row in rows) or k for one in (0, 1)) < k:
        with pytest.raises(NotMeasurable, match=f"strict needs k = {k}"):
            cells(rows, k, quiet)
        return
    made = cells(rows, k, quiet)
    assert min(made.count(cell) for cell in made) >= k
    for row, cell in zip(rows, made, strict=True):
        assert holds(cell[1], row[1])
        assert holds(cell[2], row[2])


@given(rows=ROWS, data=st.data())
def test_persons_count_and_order_does_not(quiet, rows, data):
    """With two records a person k persons are in each class, in whatever order the records stand."""
    rows = [(0, *row[1:]) for row in rows]
    persons = np.arange(len(rows)) // 2
    made = cells(rows, 3, quiet, persons)
    for cell in set(made):
        assert len({person for person, one in zip(persons.tolist(), made, strict=True) if one == cell}) >= 3
    order = data.draw(st.permutations(range(len(rows))))
    again = cells([rows[at] for at in order], 3, quiet, persons[order])
    assert [made[at] for at in order] == again


def test_a_class_of_too_few_persons_is_refused_however_many_records_it_has(quiet):
    """Four records of two persons are no class of three."""
    with pytest.raises(NotMeasurable, match=r"strict needs k = 3 persons .* one has 2"):
        cells([(0, at, at) for at in range(4)], 3, quiet, np.array([0, 0, 1, 1]))


@given(rows=ROWS, number=st.integers(0, 12))
def test_a_number_moves_no_cell_of_another_class(quiet, rows, number):
    """Intervals depend on the numbers of their own class of published categories alone."""
    rows = [(0, 1, 1), (0, 2, 2), *rows, (1, 1, 1), (1, 2, 2)]
    there = cells(rows, 2, quiet)
    again = cells([(0, number, 7), *rows[1:]], 2, quiet)
    for row, one, other in zip(rows, there, again, strict=True):
        assert row[0] == 0 or one == other


def test_one_value_with_k_persons_stays_a_number(quiet):
    """Three records of 40 stand apart from those around them, which share an interval."""
    made = intervals([column("h", [20, 40, 40, 40, 50])], {}, k=2, mark="*", step=quiet)["h"]
    assert shown(made) == ["[20, 50]", 40, 40, 40, "[20, 50]"]


def test_missing_numbers_are_apart_where_they_are_k(quiet):
    """Two missing ones publish NULL for k = 2; a single one hides the number beside it."""
    made = intervals([column("h", [1, 1, None, None])], {}, k=2, mark="*", step=quiet)["h"]
    assert shown(made) == [1, 1, None, None]
    made = intervals([column("h", [1, None])], {}, k=2, mark="*", step=quiet)["h"]
    assert shown(made) == ["*", "*"]
    assert intervals([column("h", [])], {}, k=2, mark="*", step=quiet)["h"].values == ()


def test_a_hierarchy_gives_the_lowest_interval_that_holds_the_part(quiet):
    """Also one into which no value of the table falls; the mark where no level holds it."""
    numbers = [21, 24, 16, 31, 39, 41]
    category = Recoded(codes=np.array([0, 0, 1, 1, 2, 2]), values=("a", "b", "c"))
    found = intervals([column("age", numbers, FIVES)], {"c": category}, k=2, mark="*", step=quiet)["age"]
    assert shown(found) == ["20-24", "20-24", "0-39", "0-39", "*", "*"]


@pytest.mark.parametrize("labels", [("young", "old"), ("0-4", "5-19"), ("0-4", "7-11"), ("< 5", "[5, 9]")])
def test_levels_that_are_no_equal_intervals_are_left_out(labels):
    """Names, unequal widths, gaps, and open ends."""
    groups = np.array([[0, 1, 2], [0, 1, 2], [0, 0, 0]], dtype=np.int32)
    named = Hierarchy(column="age", groups=groups, labels=((None, "1", "8"), (None, *labels), ("*",)))
    assert grids_of(named) == ()


def test_half_open_intervals_are_told_as_they_are_written():
    """Their ends are numbers with a point."""
    groups = np.array([[0, 1, 2], [0, 1, 2], [0, 0, 0]], dtype=np.int32)
    labels = ((None, "1", "8"), (None, "[0.5, 1.0)", "[2.0, 2.5)"), ("*",))
    (grid,) = grids_of(Hierarchy(column="rate", groups=groups, labels=labels))
    assert grid.holding(1.0, 1.25) == "[1.0, 1.5)"


TOWN = Hierarchy(
    column="town",
    groups=np.array([[0, 1, 2, 3, 4], [0, 1, 1, 2, 3], [0, 1, 1, 2, 2], [0, 0, 0, 0, 0]], dtype=np.int32),
    labels=(
        (None, "Perm", "Omsk", "Bonn", "Oslo"),
        (None, "Russia", "Germany", "Norway"),
        (None, "east", "west"),
        ("*",),
    ),
)


def town(*codes):
    """Return the column of these codes."""
    return Categorical(name="town", codes=np.array(codes, dtype=np.int32), hierarchy=TOWN)


def shown_towns(column, labels, average):
    """Return what is published of each record."""
    levels = generalized([column], np.array(labels), np.array(average))
    made = published([column], np.array(labels), levels, "#")["town"]
    return levels[0].tolist(), [made.values[code] for code in made.codes.tolist()]


def test_least_generalization_is_the_lowest_level_on_which_all_agree():
    """One value stays; two of a country show the country, two of a region the region, else the mark."""
    column = town(1, 1, 1, 2, 3, 4, 1, 3, 0, 0, 0, 4)
    levels, values = shown_towns(column, [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5], [False] * 6)
    assert levels == [0, 1, 2, 3, 0, 3]
    assert values[::2] == [Original(1), "Russia", "west", "#", Original(0), "#"]
    assert values[1::2] == values[::2]


def test_average_generalization_is_the_middle_level_and_never_below_the_least():
    """Four levels have the middle 1.5, rounded up; a group of one value is published as the value."""
    levels, values = shown_towns(town(1, 1, 1, 3, 0, 0), [0, 0, 1, 1, 2, 2], [True, True, True])
    assert levels == [2, 3, 2]
    assert values[::2] == ["east", "#", Original(0)]
    assert shown_towns(town(3, 3), [0, 0], [True])[1] == ["west", "west"]


def test_records_in_no_cluster_keep_their_values():
    """A label of −1 publishes the value itself, also where there is no cluster at all."""
    assert shown_towns(town(1, 2, 3), [-1, 0, 0], [False])[1] == [Original(1), "#", "#"]
    assert shown_towns(town(1, 2), [-1, -1], [])[1] == [Original(1), Original(2)]


ROW = st.tuples(st.none() | st.sampled_from("abcdef"), st.sampled_from("pqr"))


@given(rows=st.lists(ROW, min_size=4, max_size=30), k=st.integers(1, 4), raised=st.booleans())
def test_classes_of_published_cells_have_k_records(columns_of, quiet, rows, k, raised):
    """Records that publish the same are at least k, and each cell covers its own value."""
    columns = columns_of(rows)
    labels = clustered(columns, k=k, seed=0, step=quiet)
    average = np.full(labels.max() + 1, raised)
    levels = generalized(columns, labels, average)
    made = published(columns, labels, levels, "*")
    cells = list(zip(*(made[one.name].codes.tolist() for one in columns), strict=True))
    assert min(cells.count(cell) for cell in cells) >= k
    for column, level in zip(columns, levels, strict=True):
        recoded = made[column.name]
        for code, label, own in zip(recoded.codes.tolist(), labels, column.codes.tolist(), strict=True):
            group = column.hierarchy.groups[level[label], own]
            value = recoded.values[code]
            assert value == Original(own) or value == column.hierarchy.labels[level[label]][group]
