import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard.search.archive import front

VALUES = st.lists(st.tuples(*[st.sampled_from([-1.0, 0.0, 0.5, 1.0, float("inf")])] * 3), max_size=25)


@settings(max_examples=examples(150), deadline=None, derandomize=True, database=None)
@given(VALUES)
def test_the_front_is_what_nobody_dominates(values):
    """Held against the definition, row by row: nowhere lower, somewhere higher; equal rows stay together."""
    expected = [
        i
        for i, row in enumerate(values)
        if not any(all(o >= r for o, r in zip(other, row, strict=True)) and other != row for other in values)
    ]
    assert expected == front(np.array(values).reshape(len(values), 3)).tolist()


def test_a_single_term_leaves_the_highest():
    """With one term the front is the maximum, as often as it occurs."""
    assert front(np.array([[1.0], [3.0], [2.0], [3.0]])).tolist() == [1, 3]


def test_no_set_has_no_front():
    """Nothing dominates nothing."""
    assert front(np.empty((0, 2))).tolist() == []
