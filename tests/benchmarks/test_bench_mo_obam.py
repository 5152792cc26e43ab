"""MO-OBAM at the paper's settings: loss, gap, k and processor time, medians over five seeds."""

import time

import numpy as np
import pandas as pd
import pytest

from in_turns import counting, distances, in_turns
from mo_obam_tables import adult, german, spread
from qidguard.core.parameter import bind
from qidguard.sdk import k_anonymity_task
from qidguard_mo_obam.anonymizer import MoObam
from qidguard_mo_obam.asked import asked_of
from qidguard_mo_obam.loss import entropies, information_loss
from qidguard_mo_obam.problem import problem_of
from qidguard_mo_obam.solving import solved
from qidguard_mo_obam.watch import Watch

pytestmark = [pytest.mark.bench, pytest.mark.realdata, pytest.mark.timeout(900)]

SEEDS = 5
CASES = {
    # table, n_C, k: IL, gap in percent (None: no figure is set), yardsticks of distances
    "german 30 5": (german, 30, 5, 0.00730, 0.5, 1.5),
    "german 30 10": (german, 30, 10, 0.0078, None, 11),
    "german 30 15": (german, 30, 15, 0.0087, None, 16),
    "german 30 20": (german, 30, 20, 0.0094, None, 30),
    "adult 100 5": (adult, 100, 5, 0.00279, 0.5, 19),
}


@pytest.mark.parametrize("case", CASES)
def test_the_paper_at_its_own_clusters(data, figures, case):
    """IL in raw units, the proven gap, k, homogeneity and processor time of reading and solving."""
    table, clusters, k, most_loss, most_gap, most = CASES[case]
    records, task = table(data)
    asked = asked_of(bind(MoObam.parameters, {"n_c": clusters, "k": k}), task)
    losses, gaps, found, single = [], [], [], 0
    yardstick, spent = in_turns(
        distances,
        lambda: found.append(solved(problem_of(records, task), asked, len(found), Watch(task.progress))),
        repeats=SEEDS,
    )
    for done in found:
        losses.append(information_loss(done.problem, done.assignment))
        gaps.append(100 * (done.loss / done.bound - 1))
        sizes = np.bincount(done.assignment, weights=done.problem.persons)
        assert len(sizes) <= clusters
        assert sizes.min() >= k
        alone = (entropies(done.problem, done.assignment) <= 0).any(axis=0)
        single = max(single, int(np.bincount(done.assignment, weights=done.problem.records)[alone].sum()))
    loss, gap, ratio = float(np.median(losses)), float(np.median(gaps)), spent / yardstick
    figures(loss=loss, gap_percent=gap, seconds=spent, ratio=ratio, homogeneity=single)
    assert loss <= most_loss
    assert most_gap is None or gap <= most_gap
    assert ratio <= most
    assert single <= (0 if table is german else 3)


FIRST = """
    import json, sys, time
    from pathlib import Path
    from mo_obam_tables import german
    from qidguard.core.parameter import bind
    from qidguard_mo_obam.anonymizer import MoObam
    records, task = german(Path(sys.argv[1]))
    times = [time.process_time()]
    for _ in range(2):
        MoObam().anonymize(records, bind(MoObam.parameters, {"n_c": 30, "k": 5}), task)
        times.append(time.process_time())
    print(json.dumps({"first": times[1] - times[0], "second": times[2] - times[1]}))
"""


def test_a_first_user_compiles_nothing(data, figures, tmp_path, in_own_process, monkeypatch):
    """In a new process with no kept machine code German takes at most twice as long as the second time."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    found = in_own_process(FIRST, str(data))
    ratio = found["first"] / found["second"]
    figures(**found, ratio=ratio)
    assert ratio <= 2


def test_a_million_records_are_read_quickly(figures):
    """1M × 4 become a problem in at most twice the time of one count of classes."""
    records = spread("alike", 1_000_000)
    task = k_anonymity_task(5, records.names)
    codes = pd.DataFrame(records.codes(records.names))
    counted, spent = in_turns(counting(codes), lambda: problem_of(records, task))
    figures(rows=problem_of(records, task).rows, seconds=spent, counted_s=counted, ratio=spent / counted)
    assert spent <= 2 * counted


def problem_in(units, kind, rows):
    """Return drawn records as a problem of some units."""
    records = spread(kind, rows)
    return problem_of(records, k_anonymity_task(5, records.names), units)


def in_blocks(problem, moves=0, **arguments):
    """Return clusters of at least five, by the share of moves that a million rows have; 0 is the default."""
    # whether moves are compiled is decided when they are first imported, which other tests do
    from qidguard_mo_obam.moves.blocks import annealed_in_blocks
    from qidguard_mo_obam.moves.compiled import USES_NUMBA
    from qidguard_mo_obam.moves.limits import ClusterLimits

    assert USES_NUMBA, "tests/plugins/mo_obam/moves runs moves as they stand; collect it in another run"
    moves = moves * problem.rows // 1_000_000
    return annealed_in_blocks(problem, ClusterLimits(k=5), seed=1, moves=moves, **arguments)


FEW = 16_000_000
"""Moves for a million rows, as many as these have by themselves."""


@pytest.mark.untimed
@pytest.mark.parametrize("units", ["raw", "standardized"])
@pytest.mark.parametrize("kind", ["even", "normal", "heavy", "mixed", "alike"])
def test_blocks_lose_little_more_than_the_whole(kind, units, figures):
    """With as few moves a record as a million has, 20,000 records lose at most 1.15 times the full run's."""
    problem = problem_in(units, kind, 20_000)
    blocks = information_loss(problem, in_blocks(problem, FEW))
    whole = information_loss(problem, in_blocks(problem, block=problem.rows))
    figures(kind=kind, units=units, rows=problem.rows, blocks=blocks, whole=whole, ratio=blocks / whole)
    assert blocks <= 1.15 * whole


@pytest.mark.parametrize("kind", ["heavy", "mixed"])
def test_a_million_records_in_blocks(kind, figures):
    """A record of 1M × 4 takes at most 1.3 times as long as one of 40,000, and every cluster has five."""
    large, small = problem_in("standardized", kind, 1_000_000), problem_in("standardized", kind, 40_000)
    done, started = [], time.perf_counter()
    each, spent = in_turns(
        lambda: in_blocks(small, FEW),
        lambda: done.append(in_blocks(large)),
        repeats=1,
    )
    ratio = spent / large.rows / (each / small.rows)
    figures(rows=large.rows, processor_s=spent, wall_s=time.perf_counter() - started, ratio=ratio)
    assert np.bincount(done[0], weights=large.persons).min() >= 5
    assert ratio <= 1.3
