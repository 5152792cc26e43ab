"""The kernel that numba compiles; made only where numba and a folder for its machine code are there."""

import numpy as np

from qidguard.engines.classes import Floats, Ints
from qidguard.measuring.lattice.compiled import count_sizes, fill_cells, list_sizes, merge, split, strip
from qidguard.measuring.lattice.kernel import Classes, Split, Tail

_NO_WEIGHTS = np.zeros(0, dtype=np.float64)
_COUNTED = 1 << 9
"""Class sizes below are counted, larger ones listed: there are few of them."""


class CompiledKernel:
    """Steps of one or two passes, which leave the other threads free to run."""

    name = "numba"
    is_parallel = True

    def split(self, classes: Classes, codes: Ints, cardinality: int) -> Split:
        """Split classes by one more column."""
        weights = _given(classes.weights)
        found = split(classes.rows, weights, classes.group, classes.groups, codes, cardinality)
        return _split(found, is_weighted=classes.weights is not None)

    def merge(self, classes: Classes, number: Ints, first: Ints, span: int, *, is_counted: bool) -> Split:
        """Let rows of one class that are one row of a later level become one."""
        rows, weights, group, left = merge(
            classes.rows, _given(classes.weights), classes.group, number, first, span
        )
        is_weighted = is_counted and (classes.weights is not None or left < len(rows))
        kept = weights if is_weighted else _NO_WEIGHTS
        return _split(strip(rows[:left], kept, group[:left], classes.groups), is_weighted=is_weighted)

    def sizes(
        self, classes: Classes, tail: Tail, codes: Ints, masks: Ints, alone: Ints
    ) -> tuple[Ints, Ints, Ints]:
        """Return the persons in each class of some sets: the set's place, the size, how often."""
        place = np.full(1 << tail.columns, -1)
        place[masks] = np.arange(len(masks))
        owner = place.take(tail.mask)
        size = np.zeros((classes.groups, len(owner)), dtype=np.int64)
        fill_cells(size, classes.rows, _given(classes.weights), classes.group, codes, tail.into, tail.source)
        counted = np.zeros((len(masks), max(_COUNTED, len(alone))), dtype=np.int64)
        large = count_sizes(size, owner, counted)
        counted[:, 0] = 0  # cells that nobody is in
        counted[:, : len(alone)] += alone
        of, found = np.nonzero(counted)
        times = counted[of, found]
        if not large:
            return of, found, times
        large_of, large_size = list_sizes(size, owner, counted.shape[1], large)
        return (
            np.concatenate((of, large_of)),
            np.concatenate((found, large_size)),
            np.concatenate((times, np.ones(large, dtype=np.int64))),
        )


def _given(weights: Floats | None) -> Floats:
    return _NO_WEIGHTS if weights is None else weights


def _split(found: tuple[Ints, Floats, Ints, int, Ints, Floats], *, is_weighted: bool) -> Split:
    rows, weights, group, groups, lost, lost_weights = found
    if not is_weighted:
        return Split(Classes(rows, None, group, groups), lost, None)
    return Split(Classes(rows, weights, group, groups), lost, lost_weights)
