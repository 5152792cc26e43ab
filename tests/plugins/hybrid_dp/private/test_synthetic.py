"""Noisy marginals agree afterward, and synthetic records have them to less than a record a cell."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidguard.sdk import NotMeasurable
from qidguard_hybrid_dp.private.consistent import agreed, consistent, non_negative
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


COUNTS = st.lists(st.integers(-20, 50), min_size=1, max_size=8)


def star(seed, sizes=(3, 4), center=2, scales=(1.0, 2.0)):
    """Return noisy marginals of a star around ``y``."""
    random = np.random.default_rng(seed)
    return [
        Marginal(columns=("y", f"x{at}"), counts=random.integers(-5, 40, (center, size)), scale=scale)
        for at, (size, scale) in enumerate(zip(sizes, scales, strict=True))
    ]


@given(counts=COUNTS, total=st.floats(0, 200))
def test_non_negative_counts_are_the_nearest(counts, total):
    """They add up, and no other counts are nearer: moving some of one to another brings them farther off."""
    given_counts = np.array(counts, dtype=float)
    made = non_negative(given_counts, total)
    assert made.min() >= 0
    assert made.sum() == pytest.approx(total, abs=1e-9)
    gap = made - given_counts
    if total > 1e-6:
        # of a projection on the simplex the gap is one number where counts are left, and no less elsewhere
        assert np.ptp(gap[made > 1e-9]) <= 1e-6
        assert gap.min() >= gap[made > 1e-9].min() - 1e-6


def test_agreed_marginals_are_the_weighted_least_squares_solution():
    """An independent oracle solves the same with one matrix, weighted by precision."""
    marginals = star(0)
    sizes = [marginal.counts.shape for marginal in marginals]
    starts = np.cumsum([0, *(np.prod(shape) for shape in sizes)])
    cells = int(starts[-1])
    equal = np.zeros((2, cells))  # both tables have one count for each value of y
    for value in range(2):
        for at, shape in enumerate(sizes):
            first = int(starts[at]) + value * shape[1]
            equal[value, first : first + shape[1]] = 1 if at == 0 else -1
    weight = np.concatenate([np.full(np.prod(m.counts.shape), 1 / m.scale**2) for m in marginals])
    noisy = np.concatenate([m.counts.ravel() for m in marginals]).astype(float)
    inverse = np.diag(1 / weight)
    multipliers = np.linalg.solve(equal @ inverse @ equal.T, equal @ noisy)
    expected = noisy - inverse @ equal.T @ multipliers
    ours = np.concatenate([table.ravel() for table in agreed(marginals)])
    assert ours == pytest.approx(expected)


@given(seed=st.integers(0, 50), sizes=st.lists(st.integers(1, 5), min_size=1, max_size=4))
def test_consistent_marginals_agree_exactly_and_are_not_negative(seed, sizes):
    """Every pair adds up to the center's counts, value by value."""
    marginals = star(seed, sizes, 3, [1.0] * len(sizes))
    made = consistent(marginals, "y")
    for table in made.values():
        assert table.min() >= 0
    for columns, table in made.items():
        if len(columns) > 1:
            assert table.sum(axis=1) == pytest.approx(made[("y",)])


def test_a_chain_hangs_from_its_root():
    """Pairs may name the columns in either order, and parents come before their children."""
    marginals = [
        Marginal(columns=("c", "b"), counts=np.array([[9, 1], [2, 8]]), scale=1.0),
        Marginal(columns=("a", "b"), counts=np.array([[10, 1], [1, 8]]), scale=1.0),
    ]
    made = consistent(marginals, "a")
    assert list(made) == [("a",), ("a", "b"), ("b", "c")]
    assert made["b", "c"].sum(axis=1) == pytest.approx(made["a", "b"].sum(axis=0))


def test_without_noise_nothing_moves():
    """Counts that agree already stay as they are."""
    marginals = [
        Marginal(columns=("y", "x"), counts=np.array([[3, 1], [2, 4]]), scale=1.0),
        Marginal(columns=("y", "z"), counts=np.array([[4, 0, 0], [3, 2, 1]]), scale=1.0),
    ]
    made = consistent(marginals, "y")
    assert np.allclose(made["y", "x"], [[3, 1], [2, 4]])
    assert np.allclose(made["y", "z"], [[4, 0, 0], [3, 2, 1]])


def test_a_total_below_zero_is_zero():
    """Noise may say that there is nobody."""
    marginals = [Marginal(columns=("y",), counts=np.array([-4, 1]), scale=1.0)]
    assert consistent(marginals, "y")[("y",)].tolist() == [0, 0]
