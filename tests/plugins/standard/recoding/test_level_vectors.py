"""Level vectors against all of them, sorted."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard_standard.anonymizers.recoding.cheapest_classes import cheapest_vectors

STEPS = st.lists(st.lists(st.integers(0, 3), max_size=3), min_size=1, max_size=4)


@settings(derandomize=True, database=None, max_examples=examples(60), deadline=None)
@given(steps=STEPS, most=st.integers(0, 40))
def test_the_cheapest_vectors_come_first_and_each_once(steps, most):
    """They are the first ones of the sorted list of all, up to the order of equal ones."""
    losses = [np.cumsum([0, *some]).astype(float) for some in steps]
    every = [tuple(v) for v in product(*(range(len(one)) for one in losses))]

    def cost(vector):
        return sum(one[level] for one, level in zip(losses, vector, strict=True))

    found = list(cheapest_vectors(losses, most))
    assert len(set(found)) == len(found) == min(most, len(every))
    assert [cost(vector) for vector in found] == pytest.approx(sorted(map(cost, every))[:most])
