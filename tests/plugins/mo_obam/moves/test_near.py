"""Parts of near rows, and the nearest combinations that are found by them, against all distances."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard.sdk import k_anonymity_task, records_of
from qidguard_mo_obam.moves import near
from qidguard_mo_obam.moves.limits import ClusterLimits
from qidguard_mo_obam.moves.near import parts_of
from qidguard_mo_obam.moves.units import given_of
from qidguard_mo_obam.problem import problem_of

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
