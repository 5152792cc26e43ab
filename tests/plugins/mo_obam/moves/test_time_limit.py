"""A time limit is looked at inside of long loops, gives the best so far, and is told in the receipt."""

from functools import partial

import numpy as np
import pandas as pd
import pytest

from mo_obam_tables import held, task
from qidguard.core.parameter import bind
from qidguard_mo_obam.anonymizer import MoObam
from qidguard_mo_obam.asked import asked_of
from qidguard_mo_obam.clusters import clusters_of
from qidguard_mo_obam.moves import blocks
from qidguard_mo_obam.moves.blocks import annealed_in_blocks
from qidguard_mo_obam.problem import problem_of
from qidguard_mo_obam.solving import solved
from qidguard_mo_obam.watch import Watch

QIDS = ["age", "sex"]
CUT = "ended by the time limit with the best so far"


@pytest.fixture(scope="module")
def frame():
    """Return 90 records of ages, sexes and sensitive values."""
    random = np.random.default_rng(8)
    return pd.DataFrame(
        {
            "age": random.integers(20, 80, 90),
            "sex": random.choice(["f", "m"], 90),
            "sa": random.choice(["a", "b"], 90),
        }
    )


class Ending(Watch):
    """Says that the time is up when asked for the n-th time."""

    def __init__(self, asked):
        """Note how often it is asked before."""
        super().__init__()
        self.left = asked

    def goes_on(self, cells=0):
        """Count down."""
        self.left -= 1
        self.is_cut |= self.left < 0
        return self.left >= 0


def notes(frame, **given):
    """Return the sentences of the receipt, once every published class was seen to have k persons."""
    method = MoObam()
    done = method.anonymize(held(frame), bind(method.parameters, given), task(QIDS, ["sa"]))
    classes = pd.DataFrame({name: recoded.codes for name, recoded in done.columns.items()})
    assert classes.groupby(QIDS).size().min() >= given["k"]
    return "\n".join(done.notes)


@pytest.mark.parametrize(
    ("asked", "told", "left_out"),
    [
        ({"n_c": 6, "k": 2, "seconds": 1e-6}, CUT, "no time limit"),
        ({"n_c": 6, "k": 2, "seconds": 1e-6}, "not proven: the time limit came first", "proven: no table"),
        ({"n_c": 8, "k": 11, "seconds": 1e-6}, CUT, "no time limit"),
        ({"k": 3, "seconds": 1e-6}, CUT, "no time limit"),
        ({"n_c": 4, "k": 5, "lambda": 0.1, "seconds": 1e-6}, CUT, "no time limit"),
        ({"n_c": 8, "k": 5, "l": 2, "seconds": 1e-6}, CUT, "no time limit"),
        ({"n_c": 4, "k": 2, "seconds": 1000}, "no time limit reached", CUT),
        # here moves run as they stand; clusters of least loss need none
        ({"k": 3, "seconds": 1e-3}, "without numba a hundredth of the moves is tried", "no time limit"),
        ({"n_c": 4, "k": 2}, "clusters were formed", "numba"),
    ],
)
def test_a_cut_is_told_and_where_moves_are_not_compiled(frame, asked, told, left_out):
    """With next to no time there is a table that keeps k; what ends in time is not cut."""
    found = notes(frame, **asked)
    assert (told in found, left_out in found) == (True, False)


def test_blocks_are_cut_too(frame, monkeypatch):
    """The time is that of all blocks together, and what is cut in one of them is told."""
    monkeypatch.setattr(blocks, "annealed_in_blocks", partial(annealed_in_blocks, block=20))
    assert "ended by the time limit" in notes(frame, k=3, seconds=1e-6)


@pytest.mark.parametrize("asked", [0, 1, 5, 20, 80, 320, 640])
def test_whenever_the_time_ends_bound_and_loss_stay_in_order(frame, asked):
    """A search that is cut anywhere has a loss of no less, and a bound of no more, than the optimum."""
    table = problem_of(held(frame), task(QIDS))
    best = clusters_of(table, 9, seed=0, starts=6)
    assert best.loss <= 1.001 * best.bound
    watch = Ending(asked)
    found = clusters_of(table, 9, watch, seed=0, starts=6)
    assert found.bound <= best.loss + 1e-9
    assert found.loss >= best.bound - 1e-9
    assert found.count <= 9
    assert watch.is_cut == (watch.left < 0)


@pytest.mark.samples(1)
@pytest.mark.parametrize("asked", [0, 10, 100, 300, 900])
def test_whenever_the_time_ends_each_cluster_has_k_persons(frame, asked):
    """Filling is cut between rounds only as far as every cluster keeps k."""
    table = problem_of(held(frame), task(QIDS))
    wanted = asked_of(bind(MoObam.parameters, {"n_c": 8, "k": 11}), task(QIDS))
    whole, found = (solved(table, wanted, 0, watch) for watch in (Watch(), Ending(asked)))
    sizes = np.bincount(found.assignment, weights=found.problem.persons)
    assert sizes.min() >= 11
    assert found.bound <= whole.loss + 1e-9
    assert found.loss >= whole.bound - 1e-9
