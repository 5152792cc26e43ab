"""Synthetic records have the marginals that they are drawn from, to less than a record a cell."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidguard.sdk import NotMeasurable
from qidguard_hybrid_dp.private.measuring import Marginal
from qidguard_hybrid_dp.private.synthetic import synthetic, synthetic_cells


def tables(seed, sizes):
    """Return consistent marginals of a star."""
    random = np.random.default_rng(seed)
    root = random.integers(0, 60, 3).astype(float)
    made = {("y",): root}
    for at, size in enumerate(sizes):
        rows = random.dirichlet(np.ones(size), 3) * root[:, None]
        made["y", f"x{at}"] = rows
    return made


@given(seed=st.integers(0, 100), sizes=st.lists(st.integers(1, 5), min_size=1, max_size=3))
def test_numbers_of_records_are_those_expected_rounded(seed, sizes):
    """As many records as the root says, and in each cell of a pair less than one more or less."""
    given_tables = tables(seed, sizes)
    cells = synthetic_cells(given_tables, np.random.default_rng(seed))
    root = given_tables[("y",)]
    assert np.bincount(cells["y"], minlength=3).tolist() == root.tolist()
    for columns, table in given_tables.items():
        if len(columns) > 1:
            counted = np.zeros(table.shape)
            np.add.at(counted, (cells["y"], cells[columns[1]]), 1)
            assert np.abs(counted - table).max() < 1


def test_a_cell_without_weight_is_never_drawn():
    """Not even by rounding."""
    given_tables = {("y",): np.array([3.4, 2.6]), ("y", "x"): np.array([[3.4, 0.0], [0.0, 2.6]])}
    for seed in range(20):
        cells = synthetic_cells(given_tables, np.random.default_rng(seed))
        assert (cells["x"] == cells["y"]).all()


def test_the_seed_repeats_the_records():
    """They are post-processing: a seed may be told."""
    given_tables = tables(1, [4])
    one, same, other = (synthetic_cells(given_tables, np.random.default_rng(seed)) for seed in (5, 5, 6))
    assert one["x0"].tolist() == same["x0"].tolist()
    assert one["x0"].tolist() != other["x0"].tolist()


def test_more_records_than_fit_are_refused():
    """Noise of a tiny ε may say that there are a hundred million."""
    huge = np.array([[10**8, 5], [3, 10**7]])
    marginals = [Marginal(columns=("y", "a"), counts=huge, scale=1.0)]
    for center in ((), ("y",)):
        with pytest.raises(NotMeasurable, match="above 10,000,000"):
            synthetic(marginals, "y", center, np.random.default_rng(0))


def test_no_records_where_there_is_no_count():
    """A root of zeros gives an empty table."""
    cells = synthetic_cells({("y",): np.zeros(2), ("y", "x"): np.zeros((2, 3))}, np.random.default_rng(0))
    assert [len(column) for column in cells.values()] == [0, 0]


def test_an_augmented_star_draws_a_tree_for_each_cell_of_its_center():
    """What links a and b is the opposite for the two values of y, and the records have it so."""
    same, other = [[20, 0], [0, 10]], [[0, 6], [4, 0]]
    marginals = [
        Marginal(columns=("y", "a"), counts=np.array([[20, 10], [6, 4]]), scale=1.0),
        Marginal(columns=("y", "b"), counts=np.array([[20, 10], [4, 6]]), scale=1.0),
        Marginal(columns=("y", "a", "b"), counts=np.array([same, other]), scale=1.0),
    ]
    made = synthetic(marginals, "y", ("y",), np.random.default_rng(0))
    counted = np.zeros((2, 2, 2), dtype=int)
    np.add.at(counted, (made.cells["y"], made.cells["a"], made.cells["b"]), 1)
    assert counted.tolist() == [same, other]
    assert made.records == 40
    assert {name: counts.round(6).tolist() for name, counts in made.counts.items()} == {
        "y": [30, 10],
        "a": [26, 14],
        "b": [24, 16],
    }
