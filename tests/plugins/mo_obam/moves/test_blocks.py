"""Blocks of a large table, parts of near rows, and the nearest combinations, under the table's limits."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard.sdk import k_anonymity_task, records_of
from qidguard_mo_obam.loss import information_loss
from qidguard_mo_obam.moves import near
from qidguard_mo_obam.moves.annealing import annealed
from qidguard_mo_obam.moves.blocks import _in_blocks, annealed_in_blocks
from qidguard_mo_obam.moves.limits import ClusterLimits, SensitiveLimit
from qidguard_mo_obam.moves.near import parts_of
from qidguard_mo_obam.moves.units import given_of
from qidguard_mo_obam.problem import problem_of
from qidguard_mo_obam.watch import Watch

TASK = k_anonymity_task(2, ["age", "sex"], sensitive=["sa"])


@pytest.fixture(scope="module")
def problem():
    """Return 120 records of numbers, sexes and sensitive values."""
    random = np.random.default_rng(4)
    frame = pd.DataFrame(
        {
            "age": random.normal(40, 15, 120),
            "sex": random.choice(["f", "m"], 120),
            "sa": random.choice(["a", "b", "c"], 120, p=[0.6, 0.3, 0.1]),
        }
    )
    return problem_of(records_of(frame), TASK)


def test_limits_are_those_of_the_whole_table(problem):
    """Clusters of blocks keep k, l and the distance from the shares of the table, not of their block."""
    limits = ClusterLimits(k=4, sensitive=(SensitiveLimit(attribute=0, distinct=2, distance=0.35),))
    found = annealed_in_blocks(problem, limits, seed=1, moves=3000, block=40)
    assert not limits.missed(problem, found).any()
    assert sorted(set(found.tolist())) == list(range(found.max() + 1))
    assert found.max() >= 10


@pytest.mark.slow
def test_blocks_lose_little_more_than_the_whole(problem):
    """With as many moves a row the loss is at most 1.15 times that of all rows at once."""
    limits = ClusterLimits(k=4)
    whole = annealed(problem, limits, seed=1, moves=12_000)
    parts = annealed_in_blocks(problem, limits, seed=1, moves=12_000, block=60)
    assert information_loss(problem, parts) <= 1.15 * information_loss(problem, whole)


def test_rows_that_are_far_from_others_find_together_across_edges():
    """Of three columns with heavy tails the edges cost a fifth of the loss; what loses most is cut anew."""
    random = np.random.default_rng(3)
    names = ["a", "b", "c"]
    frame = pd.DataFrame({name: random.lognormal(0, 1.5, 320).round(3) for name in names})
    table = problem_of(records_of(frame), k_anonymity_task(2, names), "standardized")
    limits, moves, block = ClusterLimits(k=3), 2_000, 80
    once = _in_blocks(table, limits, np.arange(table.rows), moves, 5, Watch(), block)
    found = annealed_in_blocks(table, limits, seed=5, moves=moves, block=block)
    assert not limits.missed(table, found).any()
    assert sorted(set(found.tolist())) == list(range(found.max() + 1))
    assert information_loss(table, found) <= 0.9 * information_loss(table, once)


def test_the_seed_decides_blocks_too(problem):
    """Blocks are worked on side by side, and the result does not depend on which ends first."""
    limits = ClusterLimits(k=3)
    first, second = (
        annealed_in_blocks(problem, limits, seed=2, moves=2000, block=30).tolist() for _ in range(2)
    )
    assert first == second


ROWS = st.lists(
    st.tuples(
        st.none() | st.integers(-5, 30),
        st.none() | st.sampled_from([0.0, 1.0, 1e6]),
        st.none() | st.sampled_from("xyz"),
        st.sampled_from("ab"),
    ),
    min_size=30,
    max_size=60,
)


def test_parts_are_cut_along_the_widest_column():
    """Every row is in one part, no part is too large, and ages of two parts do not mix."""
    random = np.random.default_rng(4)
    frame = pd.DataFrame({"age": random.normal(40, 15, 120), "sex": random.choice(["f", "m"], 120)})
    problem = problem_of(records_of(frame), k_anonymity_task(2, ["age", "sex"]))
    parts = parts_of(problem, np.arange(problem.rows), 30)
    assert sorted(np.concatenate(parts).tolist()) == list(range(problem.rows))
    assert max(map(len, parts)) <= 30
    ends = sorted((problem.numbers[one, 0].min(), problem.numbers[one, 0].max()) for one in parts)
    assert all(first[1] <= second[0] for first, second in pairwise(ends))


@pytest.mark.parametrize("units", ["raw", "standardized"])
@settings(max_examples=examples(60))
@given(rows=ROWS, cell=st.sampled_from([1, 2, 5, 100]), neighbors=st.sampled_from([1, 3, 16]))
def test_none_is_nearer_than_those_that_are_found(rows, cell, neighbors, units):
    """Whatever the parts, each combination is first, and the others are as near as the nearest of all."""
    frame = pd.DataFrame(rows, columns=["age", "pay", "town", "sex"]).astype(
        {"age": "Int64", "pay": "Float64"}
    )
    problem = problem_of(records_of(frame), k_anonymity_task(2, list(frame)), units)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(near, "_CELL", cell)
        patch.setattr(near, "_AT_ONCE", 7)
        patch.setattr(near, "NEIGHBORS", neighbors)
        found = given_of(problem, ClusterLimits(k=2))
    apart = np.zeros((len(found.near), len(found.near)))
    for numbers, (weight, beside_null) in zip(found.numbers.T, found.numeric[:, :2], strict=True):
        far = weight * (numbers[:, None] - numbers[None, :]) ** 2
        is_null = np.isnan(numbers)
        far[is_null[:, None] & is_null[None, :]] = 0.0
        far[is_null[:, None] != is_null[None, :]] = weight * beside_null
        apart += far
    for codes, weight in zip(found.codes.T, found.code_weight, strict=True):
        apart += weight * (codes[:, None] != codes[None, :])
    count = min(neighbors, len(apart))
    assert found.near.shape == (len(apart), count)
    assert found.near[:, 0].tolist() == list(range(len(apart)))
    assert all(len(set(row)) == count for row in found.near.tolist())
    nearest = np.sort(apart, axis=1)[:, :count]
    np.testing.assert_allclose(np.take_along_axis(apart, found.near, axis=1), nearest, rtol=1e-9, atol=1e-9)
