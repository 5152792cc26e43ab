"""What a move is said to add to the loss of categories is the difference of that loss, counted anew."""

import numpy as np
import pytest

from qidguard_standard.anonymizers.clustering.moves import (
    Values,
    exchanging,
    has_enough,
    joining,
    leaving,
    may_leave,
    may_replace,
    recount,
)

POINTS, CLASSES = 14, 3
WEIGHTS = np.array([0.5, 2.0])


def values_of(codes: np.ndarray, of: np.ndarray) -> Values:
    """Return points in their classes, everything counted."""
    chain, heads = np.full((2, len(of)), -1), np.full(CLASSES, -1)
    for x in range(len(of)):
        chain[0, x], heads[of[x]] = heads[of[x]], x
    counted = np.zeros((CLASSES, 2), dtype=np.int64)
    values = Values(
        codes=codes, weights=WEIGHTS, attributes=codes, least=np.array([2, 1]), most=counted,
        ties=counted.copy(), held=counted.copy(), times=np.zeros(9, dtype=np.int64), chain=chain, heads=heads,
    )  # fmt: skip
    for c in range(CLASSES):
        recount(values, c)
    return values


def loss(codes: np.ndarray, of: np.ndarray, c: int) -> float:
    """Return the weighted members of a class that have not its most frequent value."""
    mine = codes[of == c]
    return sum(w * (len(mine) - np.bincount(mine[:, j]).max(initial=0)) for j, w in enumerate(WEIGHTS))


def is_held(codes: np.ndarray, of: np.ndarray, c: int) -> bool:
    """Return whether a class has two values of the first attribute and one of the second."""
    mine = codes[of == c]
    return len(np.unique(mine[:, 0])) >= 2 and len(np.unique(mine[:, 1])) >= 1


@pytest.mark.parametrize("seed", range(12))
def test_what_a_move_adds_is_the_difference_of_the_loss(seed):
    """Joining, leaving and changing places, for every point and every other class or point."""
    generator = np.random.default_rng(seed)
    codes, of = generator.integers(0, 3, (POINTS, 2)), generator.integers(0, CLASSES, POINTS)
    values = values_of(codes, of)
    assert [has_enough(values, c) for c in range(CLASSES)] == [is_held(codes, of, c) for c in range(CLASSES)]
    for x in range(POINTS):
        a = of[x]
        for b in {*range(CLASSES)} - {int(a)}:
            moved = of.copy()
            moved[x] = b
            assert joining(values, x, b) == loss(codes, moved, b) - loss(codes, of, b)
            assert leaving(values, x, a) == loss(codes, of, a) - loss(codes, moved, a)
            if is_held(codes, of, a):
                assert may_leave(values, x, a) == is_held(codes, moved, a)
        for z in np.flatnonzero(of != a).tolist():
            moved = of.copy()
            moved[[x, z]] = of[[z, x]]
            before, after = (sum(loss(codes, some, c) for c in (a, of[z])) for some in (of, moved))
            assert exchanging(values, x, z, a, of[z]) == after - before
            if is_held(codes, of, a):
                assert may_replace(values, x, z, a) == is_held(codes, moved, a)
