"""What clusters publish: levels by hand, values that stay, labels, the mark, and records in no cluster."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from qidguard.sdk import Hierarchy, Original
from qidguard_hybrid_dp.clusters.categorical import Categorical
from qidguard_hybrid_dp.clusters.generalizing import generalized, published
from qidguard_hybrid_dp.clusters.k_member import clustered

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


def shown(column, labels, average):
    """Return what is published of each record."""
    levels = generalized([column], np.array(labels), np.array(average))
    made = published([column], np.array(labels), levels, "#")["town"]
    return levels[0].tolist(), [made.values[code] for code in made.codes.tolist()]


def test_least_generalization_is_the_lowest_level_on_which_all_agree():
    """One value stays; two of a country show the country, two of a region the region, else the mark."""
    column = town(1, 1, 1, 2, 3, 4, 1, 3, 0, 0, 0, 4)
    levels, values = shown(column, [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5], [False] * 6)
    assert levels == [0, 1, 2, 3, 0, 3]
    assert values[::2] == [Original(1), "Russia", "west", "#", Original(0), "#"]
    assert values[1::2] == values[::2]


def test_average_generalization_is_the_middle_level_and_never_below_the_least():
    """Four levels have the middle 1.5, rounded up; a group of one value is published as the value."""
    levels, values = shown(town(1, 1, 1, 3, 0, 0), [0, 0, 1, 1, 2, 2], [True, True, True])
    assert levels == [2, 3, 2]
    assert values[::2] == ["east", "#", Original(0)]
    assert shown(town(3, 3), [0, 0], [True])[1] == ["west", "west"]


def test_records_in_no_cluster_keep_their_values():
    """A label of −1 publishes the value itself, also where there is no cluster at all."""
    assert shown(town(1, 2, 3), [-1, 0, 0], [False])[1] == [Original(1), "#", "#"]
    assert shown(town(1, 2), [-1, -1], [])[1] == [Original(1), Original(2)]


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
