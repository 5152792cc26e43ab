"""Annealed assignments against every partition, their limits, and the same work compiled."""

import json
import math
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard.sdk import NotMeasurable, k_anonymity_task, records_of
from qidguard_mo_obam.loss import centers_of
from qidguard_mo_obam.moves.annealing import annealed
from qidguard_mo_obam.moves.compiled import VARIABLE
from qidguard_mo_obam.moves.limits import ClusterLimits, SensitiveLimit
from qidguard_mo_obam.problem import problem_of
from qidguard_mo_obam.watch import Watch


def problem(frame, qids=("age", "sex"), sensitive=("sa",), entity=None):
    """Return the problem of a frame."""
    task = k_anonymity_task(2, list(qids), sensitive=sensitive, entity=entity)
    return problem_of(records_of(frame, entity=entity), task)


def drawn(seed, rows=6):
    """Return a table of some ages, sexes and sensitive values."""
    random = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": random.integers(20, 60, rows),
            "sex": random.choice(["f", "m"], rows),
            "sa": random.choice(["a", "b", "c"], rows),
        }
    )


def partitions(rows):
    """Yield every partition as the cluster of each row."""
    if rows == 0:
        yield []
        return
    for smaller in partitions(rows - 1):
        for cluster in range(max(smaller, default=-1) + 2):
            yield [*smaller, cluster]


def loss(found, assignment):
    """Return what an assignment loses, counted without the moves."""
    return float(centers_of(found, np.asarray(assignment)).losses.sum())


LIMITS = {
    "k": {},
    "l": {"distinct": 2},
    "entropy": {"entropy": 0.9},
    "t": {"distance": 0.3},
    "ordered t": {"ordered": 0.2},
    "share": {"largest": 0.6},
    "groups": {"distinct": 2, "groups": np.array([0, 1, 1, 2])},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", list(LIMITS))
def test_the_optimum_over_all_partitions_is_found(name):
    """With n_C free the least loss of any partition is found, in three of four tables at least."""
    sensitive = (SensitiveLimit(attribute=0, **LIMITS[name]),) if LIMITS[name] else ()
    limits, optimal = ClusterLimits(k=2, sensitive=sensitive), 0
    for seed in range(4):
        found = problem(drawn(seed))
        every = map(np.array, partitions(found.rows))
        all_kept = [loss(found, each) for each in every if not limits.missed(found, each).any()]
        if not all_kept:
            with pytest.raises(NotMeasurable, match=r"^not even one cluster of all records keeps k"):
                annealed(found, limits, seed=1)
            optimal += 1
            continue
        assignment = annealed(found, limits, seed=1, moves=2000)
        assert not limits.missed(found, assignment).any()
        assert loss(found, assignment) >= min(all_kept) - 1e-9
        optimal += math.isclose(loss(found, assignment), min(all_kept), abs_tol=1e-9)
    assert optimal >= 3


def test_a_given_number_of_clusters_stays():
    """From a start the least loss of any partition into as many clusters is found."""
    found, limits = problem(drawn(3)), ClusterLimits(k=2)
    start = np.arange(found.rows) % 3
    assignment = annealed(found, limits, seed=1, start=start, moves=2000)
    least = min(
        loss(found, each)
        for each in map(np.array, partitions(found.rows))
        if each.max() == 2 and not limits.missed(found, each).any()
    )
    assert (int(assignment.max()) + 1, loss(found, assignment)) == (3, pytest.approx(least))


ROW = st.tuples(st.none() | st.integers(0, 9), st.sampled_from("fm"), st.none() | st.sampled_from("abc"))


@settings(max_examples=examples(10), deadline=None)
@given(st.lists(ROW, min_size=4, max_size=14), st.integers(1, 3), st.integers(1, 2))
def test_every_cluster_keeps_the_limits(rows, k, least):
    """Whatever the table, with NULLs too, each cluster has k persons and l values; else it is refused."""
    frame = pd.DataFrame(rows, columns=["age", "sex", "sa"]).astype({"age": "Int64"})
    found = problem(frame)
    limits = ClusterLimits(k=k, sensitive=(SensitiveLimit(attribute=0, distinct=least),))
    if limits.missed(found, np.zeros(found.rows, dtype=np.int64)).any():
        with pytest.raises(NotMeasurable, match=r"^not even one cluster of all records keeps k"):
            annealed(found, limits, seed=1, moves=200)
        return
    assignment = annealed(found, limits, seed=1, moves=200)
    assert sorted(set(assignment.tolist())) == list(range(assignment.max() + 1))
    assert not limits.missed(found, assignment).any()


def test_persons_count_not_records():
    """A person with three records is one person, so that a cluster of theirs alone is too small."""
    frame = pd.DataFrame({"id": [1, 1, 1, 2, 3], "age": [20, 20, 20, 40, 41]})
    found = problem(frame, qids=("age",), sensitive=(), entity="id")
    assignment = annealed(found, ClusterLimits(k=2), seed=1, moves=500)
    assert assignment.max() == 0


@pytest.mark.slow
def test_the_seed_decides_everything():
    """The same seed and work give the same assignment; another seed may give another."""
    found, limits = problem(drawn(5, rows=40)), ClusterLimits(k=3)

    def once(seed):
        return annealed(found, limits, seed=seed, moves=500).tolist()

    assert once(1) == once(1)
    assert len({tuple(once(seed)) for seed in range(6)}) > 1


@pytest.mark.slow
def test_outliers_hold_nothing_up():
    """Far rows that would gladly be too few in their cluster do not keep the rest from getting better."""
    heavy = np.random.default_rng(1).standard_t(2, (300, 3))
    records = records_of(pd.DataFrame(heavy, columns=["a", "b", "c"]))
    far, limits = problem_of(records, k_anonymity_task(5, ["a", "b", "c"])), ClusterLimits(k=5)
    closed, moved = (annealed(far, limits, seed=0, moves=moves) for moves in (1, 60 * far.rows))
    assert not limits.missed(far, moved).any()
    assert centers_of(far, moved).losses.sum() < 0.9 * centers_of(far, closed).losses.sum()


def test_a_time_limit_gives_the_best_so_far():
    """With no time left there is still an assignment that keeps the limits."""
    found, limits, watch = problem(drawn(5, rows=70)), ClusterLimits(k=3), Watch(seconds=0.01)
    assignment = annealed(found, limits, seed=1, watch=watch, moves=10**7)
    assert not limits.missed(found, assignment).any()
    assert watch.is_cut


def test_what_cannot_be_kept_with_the_clusters_is_refused():
    """Three clusters of three persons cannot be made of six."""
    found = problem(drawn(3))
    with pytest.raises(NotMeasurable, match=r"^no assignment to 3 clusters that keeps k"):
        annealed(
            found,
            ClusterLimits(k=3),
            seed=1,
            start=np.arange(found.rows) % 3,
            moves=200,
        )


_ASSIGN = """
import json, sys
sys.path.insert(0, sys.argv[1])
from test_annealing import drawn, problem
from qidguard_mo_obam.moves.annealing import annealed
from qidguard_mo_obam.moves.limits import ClusterLimits, SensitiveLimit
limits = ClusterLimits(k=3, sensitive=(SensitiveLimit(attribute=0, distinct=2),))
found = annealed(problem(drawn(5, rows=200)), limits, seed=1, moves=5000)
print(json.dumps(found.tolist()))
"""


@pytest.mark.slow
def test_compiled_moves_are_the_same_moves():
    """What numba compiles makes the assignment that plain Python makes, move by move."""
    found = [
        subprocess.run(
            [sys.executable, "-c", _ASSIGN, os.path.dirname(__file__)],  # noqa: PTH120 - an argument
            env={**os.environ, VARIABLE: kernel, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for kernel in ("numpy", "numba")
    ]
    assert json.loads(found[0]) == json.loads(found[1])
