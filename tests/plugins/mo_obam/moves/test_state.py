"""Statistics of clusters that are changed move by move, against losses and limits counted anew."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard.sdk import k_anonymity_task, records_of
from qidguard_mo_obam.loss import centers_of, entropies
from qidguard_mo_obam.moves.limits import ClusterLimits, SensitiveLimit
from qidguard_mo_obam.moves.moving import work_on
from qidguard_mo_obam.moves.state import BITS, LACK, LOSS, RECORDS, loss_with, opened, put, weigh
from qidguard_mo_obam.moves.units import given_of
from qidguard_mo_obam.moves.work import Rule, begun
from qidguard_mo_obam.problem import problem_of

ROWS = st.lists(
    st.tuples(
        st.none() | st.integers(-5, 30),
        st.floats(0, 1).map(lambda x: round(x, 3)),
        st.none() | st.sampled_from("xyz"),
        st.sampled_from("abcd"),
        st.none() | st.sampled_from("pq"),
    ),
    min_size=3,
    max_size=16,
)
LIMITS = ClusterLimits(
    k=3,
    sensitive=(
        SensitiveLimit(attribute=0, distinct=2, distance=0.5),
        SensitiveLimit(attribute=1, entropy=0.4, largest=0.9),
    ),
)


def problem(rows, units="raw"):
    """Return the problem of rows."""
    frame = pd.DataFrame(rows, columns=["age", "share", "sex", "sa", "other"]).astype({"age": "Int64"})
    task = k_anonymity_task(2, ["age", "share", "sex"], sensitive=["sa", "other"])
    return problem_of(records_of(frame), task, units)


def agrees(found, state):
    """Compare the state with what the clusters are when they are counted anew."""
    cluster = state.cluster
    count = len(state.sizes)
    np.testing.assert_allclose(
        centers_of(found, cluster, count).losses, state.worth[:, LOSS], rtol=1e-9, atol=1e-7
    )
    used = state.sizes[:, RECORDS] > 0
    np.testing.assert_allclose(
        entropies(found, cluster, count).T[used], state.worth[used, BITS : BITS + 2], atol=1e-9
    )
    missed = LIMITS.missed(found, cluster)
    assert missed.tolist() == (state.worth[: len(missed), LACK] > 0).tolist()


@settings(max_examples=examples(12), deadline=None)
@given(ROWS, st.sampled_from(["raw", "standardized"]), st.data())
def test_what_a_move_changes_is_what_counting_anew_finds(rows, units, data):
    """After any moves each loss, entropy and limit is that of the assignment, as foretold."""
    found = problem(rows, units)
    given_arrays = given_of(found, LIMITS)
    clusters = min(4, found.rows)
    state = opened(given_arrays, clusters)
    for u in range(found.rows):
        put(given_arrays, state, u, u % clusters)
    for _ in range(5):
        u = data.draw(st.integers(0, found.rows - 1))
        c, d = int(state.cluster[u]), data.draw(st.integers(0, clusters - 1))
        if c == d:
            continue
        for e in range(clusters):
            weigh(given_arrays, state, e)
        records = int(found.records[u])
        foretold = [
            loss_with(given_arrays, state, c, u, -records),
            loss_with(given_arrays, state, d, u, records),
        ]
        put(given_arrays, state, u, d)
        for e in (c, d):
            weigh(given_arrays, state, e)
        np.testing.assert_allclose(foretold, state.worth[[c, d], LOSS], rtol=1e-9, atol=1e-7)
    for e in range(clusters):
        weigh(given_arrays, state, e)
    agrees(found, state)


@pytest.mark.slow
@pytest.mark.parametrize("is_free", [True, False])
@pytest.mark.parametrize("gain", [0.0, 50.0])
@settings(max_examples=examples(5), deadline=None)
@given(rows=ROWS, seed=st.integers(0, 99))
def test_moves_taken_back_leave_nothing_behind(is_free, gain, rows, seed):
    """After hundreds of moves, kept and taken back, the state is that of its assignment."""
    found = problem(rows)
    given_arrays = given_of(found, LIMITS)
    state = opened(given_arrays, found.rows)
    work = begun(state, seed, 2)
    rule = Rule(price=100.0, gain=gain, is_free=is_free, swaps=0.2, rebuilds=0.3)
    start = np.arange(found.rows) % max(1, found.rows // 2)
    work_on(given_arrays, state, work, rule, start.astype(np.int64), 200, 20.0)
    agrees(found, state)
    used = np.unique(state.cluster)
    if not is_free:
        assert len(used) == max(1, found.rows // 2)
    if gain:
        np.testing.assert_allclose(
            work.low[:, 0], entropies(found, state.cluster)[:, used].min(axis=1), atol=1e-9
        )


@settings(max_examples=examples(30))
@given(rows=ROWS, seed=st.integers(0, 1000))
def test_what_is_taken_back_leaves_the_least_entropies(rows, seed):
    """Rebuilds that cost too much are undone, and the least entropies kept are those of the state."""
    given_rows = given_of(problem(rows), LIMITS)
    state = opened(given_rows, len(given_rows.units))
    work = begun(state, seed, 2)
    start = np.arange(len(given_rows.units)) // 3
    for moves in (0, 40):
        rule = Rule(price=1.0, gain=1e6, is_free=True, swaps=0.0, rebuilds=1.0)
        work_on(given_rows, state, work, rule, start if not moves else start[:0], moves, 1e-9)
        least = state.worth[state.sizes[:, RECORDS] > 0, BITS : BITS + 2].min(axis=0)
        np.testing.assert_allclose(work.low[:, 0], least, atol=1e-12)
