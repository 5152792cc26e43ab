"""Blocks of a large table: whole, near one another, and under the limits of the whole table."""

import numpy as np
import pandas as pd
import pytest

from qidguard.sdk import k_anonymity_task, records_of
from qidguard_mo_obam.loss import information_loss
from qidguard_mo_obam.moves.annealing import AnnealingEffort, annealed
from qidguard_mo_obam.moves.blocks import _in_blocks, annealed_in_blocks
from qidguard_mo_obam.moves.limits import ClusterLimits, SensitiveLimit
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
    found = annealed_in_blocks(problem, limits, seed=1, effort=AnnealingEffort(moves=3000), block=40)
    assert not limits.missed(problem, found).any()
    assert sorted(set(found.tolist())) == list(range(found.max() + 1))
    assert found.max() >= 10


@pytest.mark.slow
def test_blocks_lose_little_more_than_the_whole(problem):
    """With as many moves a row the loss is at most 1.15 times that of all rows at once."""
    limits = ClusterLimits(k=4)
    effort = AnnealingEffort(moves=12_000)
    whole = annealed(problem, limits, seed=1, effort=effort)
    parts = annealed_in_blocks(problem, limits, seed=1, effort=effort, block=60)
    assert information_loss(problem, parts) <= 1.15 * information_loss(problem, whole)


def test_rows_that_are_far_from_others_find_together_across_edges():
    """Of three columns with heavy tails the edges cost a fifth of the loss; what loses most is cut anew."""
    random = np.random.default_rng(3)
    names = ["a", "b", "c"]
    frame = pd.DataFrame({name: random.lognormal(0, 1.5, 320).round(3) for name in names})
    table = problem_of(records_of(frame), k_anonymity_task(2, names), "standardized")
    limits, moves, block = ClusterLimits(k=3), 2_000, 80
    once = _in_blocks(table, limits, np.arange(table.rows), moves, 5, Watch(), block)
    found = annealed_in_blocks(table, limits, seed=5, effort=AnnealingEffort(moves=moves), block=block)
    assert not limits.missed(table, found).any()
    assert sorted(set(found.tolist())) == list(range(found.max() + 1))
    assert information_loss(table, found) <= 0.9 * information_loss(table, once)


def test_the_seed_decides_blocks_too(problem):
    """Blocks are worked on side by side, and the result does not depend on which ends first."""
    limits, effort = ClusterLimits(k=3), AnnealingEffort(moves=2000)
    first, second = (
        annealed_in_blocks(problem, limits, seed=2, effort=effort, block=30).tolist() for _ in range(2)
    )
    assert first == second
