"""The tail: few-valued columns at the end of the walk, whose subsets are summed out and not split."""

from collections.abc import Sequence
from math import prod

import numpy as np

from qidguard.measure.lattice.kernel import Tail
from qidguard.measure.lattice.levels import Level
from qidguard.measure.lattice.records import Ints, Records

_MOST_CELLS = 16
"""Cells a class up to which the subsets of a tail of columns are summed out of the cells of them all."""


def tail_length(cardinalities: Sequence[int]) -> int:
    """Return how many columns at the end make the tail: whose subsets cost less summed out than split."""
    length = 0
    while length < len(cardinalities) and prod(c + 1 for c in cardinalities[-length - 1 :]) <= _MOST_CELLS:
        length += 1
    return length


def tail_of(cardinalities: Sequence[int]) -> Tail:
    """Return how the subsets of columns with so many values each are summed out of all columns' cells."""
    full = (1 << len(cardinalities)) - 1
    shape = tuple(reversed(cardinalities))
    # axis 0 is the last column: bit ``columns − 1`` of a set's mask
    places = {full: np.arange(prod(shape)).reshape(shape)}
    into: list[int] = []
    source: list[int] = []
    masks = [full] * prod(shape)
    for mask in range(full - 1, -1, -1):
        # add the lowest column that is not in the set, and sum it out again
        bit = (~mask & (mask + 1)).bit_length() - 1
        parent = places[mask | 1 << bit]
        axis = (mask >> bit + 1).bit_count()
        left = parent.shape[:axis] + parent.shape[axis + 1 :]
        places[mask] = np.arange(len(masks), len(masks) + prod(left)).reshape(left)
        for i in range(parent.shape[axis]):
            into += places[mask].reshape(-1).tolist()
            source += parent.take(i, axis=axis).reshape(-1).tolist()
        masks += [mask] * prod(left)
    return Tail(
        len(cardinalities),
        prod(shape),
        np.array(into, dtype=np.int64),
        np.array(source, dtype=np.int64),
        np.array(masks, dtype=np.int64),
    )


def tail_codes(records: Records, columns: int, level: Level) -> Ints:
    """Return the cell of the last ``columns`` columns together in each of the level's rows."""
    found = np.zeros(level.rows, dtype=np.int64)
    for column in reversed(range(len(records.columns) - columns, len(records.columns))):
        codes = level.columns[column]
        if codes is None:
            raise ValueError("the level has left this column behind")
        found = found * records.cardinalities[column] + codes
    return found
