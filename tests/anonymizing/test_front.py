"""The front of several solutions and its knee."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard.anonymizing.choosing import front_of, knee_of, normalized

FEW = settings(max_examples=examples(200, fewest=20), deadline=None, derandomize=True, database=None)
FIGURES = st.integers(2, 4).flatmap(
    lambda width: st.lists(
        st.lists(st.integers(0, 5), min_size=width, max_size=width), min_size=1, max_size=12
    )
)


@FEW
@given(FIGURES)
def test_the_front_is_what_no_other_beats(rows):
    """Against the definition, pair by pair."""
    expected = [
        at
        for at, one in enumerate(rows)
        if not any(all(o <= v for o, v in zip(other, one, strict=True)) and other != one for other in rows)
    ]
    assert front_of(np.array(rows, dtype=float)) == expected


@FEW
@given(FIGURES)
def test_units_and_order_do_not_move_the_knee(rows):
    """Figures times ten plus one, and the rows backward, have a knee with the same figures."""
    figures = np.array(rows, dtype=float)
    front = np.unique(figures[front_of(figures)], axis=0)
    knee = front[knee_of(front)]
    assert (front[knee_of(front * 10 + 1)] == knee).all()
    backward = front[::-1]
    again = backward[knee_of(backward)]
    # of exact ties of distance and sum the first is taken
    assert (again == knee).all() or np.isclose(
        normalized(front).sum(axis=1), normalized(front).sum(axis=1)[knee_of(front)]
    ).sum() > 1


@pytest.mark.parametrize(
    ("rows", "knee"),
    [
        ([[3.0, 4.0]], 0),
        ([[0.0, 10.0], [1.0, 2.0], [10.0, 0.0]], 1),
        ([[0.0, 1.0], [0.5, 0.5], [1.0, 0.0]], 0),  # all on the line: the first of equal sums
        ([[0.0, 1.0], [0.6, 0.6], [1.0, 0.0]], 0),  # bulging the other way: an end
        # best in both risks at once: two extremes in three figures
        ([[0.0, 1.0, 1.0], [0.2, 0.1, 0.1], [1.0, 0.0, 0.0]], 1),
        ([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0], [0.3, 0.3, 0.3]], 3),
        # a figure that is the same for all plays no part
        ([[0.0, 1.0, 7.0], [0.2, 0.2, 7.0], [1.0, 0.0, 7.0]], 1),
    ],
)
def test_knees_by_hand(rows, knee):
    """Each front can be drawn."""
    assert knee_of(np.array(rows)) == knee
