"""The compiled kernel: what numpy does in several passes over arrays, done in one or two; the same classes.

Importing this needs numba, and a folder that it can keep its machine code in. The very first use on a machine
compiles for some seconds; later ones load what was kept.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numba import njit

from qidguard.engines.classes import Floats, Ints

Plain = TypeVar("Plain", bound=Callable[..., Any])

_HASH = 0x9E3779B97F4A7C15 - 2**64
"""2^64 divided by the golden ratio, odd, as a signed number: it spreads keys that lie close together."""


def compiled(function: Plain) -> Plain:
    """Compile for any thread to run freely; the machine code is kept for the next process."""
    return cast("Plain", njit(cache=True, nogil=True)(function))


@compiled
def strip(rows: Ints, weights: Floats, key: Ints, span: int) -> tuple[Ints, Floats, Ints, int, Ints, Floats]:
    """Number classes 0..``span``−1 anew, those of one row taken out; see ``split``."""
    count = len(rows)
    is_weighted = len(weights) > 0
    number = np.zeros(span, dtype=np.int32)
    for i in range(count):
        number[key[i]] += 1
    found, alone = 0, 0
    for k in range(span):
        rows_in = number[k]
        number[k] = found if rows_in > 1 else -1
        found += rows_in > 1
        alone += rows_in == 1
    # every row is written on both sides and only the place moves on: no branch for the processor to guess
    shared = np.empty(count - alone + 1, dtype=np.int64)
    shared_group = np.empty(count - alone + 1, dtype=np.int64)
    lost = np.empty(alone + 1, dtype=np.int64)
    shared_weights = np.empty(count - alone + 1 if is_weighted else 0, dtype=np.float64)
    lost_weights = np.empty(alone + 1 if is_weighted else 0, dtype=np.float64)
    at = 0
    for i in range(count):
        into = number[key[i]]
        shared[at] = lost[i - at] = rows[i]
        shared_group[at] = into
        if is_weighted:
            shared_weights[at] = lost_weights[i - at] = weights[i]
        at += into >= 0
    return shared[:at], shared_weights[:at], shared_group[:at], found, lost[:alone], lost_weights[:alone]


@compiled
def split(
    rows: Ints, weights: Floats, group: Ints, groups: int, codes: Ints, cardinality: int
) -> tuple[Ints, Floats, Ints, int, Ints, Floats]:
    """Split classes by one more column; no ``weights`` at all say that each row stands for one record.

    Returns:
        The rows, weights and class of what shares its class still, the number of classes, and the rows and
        weights of what is alone.
    """
    key = np.empty(len(rows), dtype=np.int64)
    for i in range(len(rows)):
        key[i] = group[i] * cardinality + codes[rows[i]]
    return strip(rows, weights, key, groups * cardinality)


@compiled
def merge(
    rows: Ints, weights: Floats, group: Ints, number: Ints, first: Ints, span: int
) -> tuple[Ints, Floats, Ints, int]:
    """Let rows of one class that are one row of a later level become one.

    Returns:
        The later level's row, the weight and the class of each row that is left, and how many are left.
    """
    count = len(rows)
    is_weighted = len(weights) > 0
    shift = 60
    while 1 << (64 - shift) < 2 * count:
        shift -= 1
    mask = (1 << (64 - shift)) - 1
    table = np.full(mask + 1, -1, dtype=np.int32)
    left = np.empty(count, dtype=np.int64)
    left_group = np.empty(count, dtype=np.int64)
    # a row's key beside its weight: what is looked at together lies together
    known = np.empty((count, 2), dtype=np.int64)
    found = 0
    for i in range(count):
        row = number[first[rows[i]]]
        weight = np.int64(weights[i]) if is_weighted else 1
        key = group[i] * span + row
        slot = np.int64(np.uint64(key * _HASH) >> np.uint64(shift))
        at = table[slot]
        while at >= 0 and known[at, 0] != key:
            slot = (slot + 1) & mask
            at = table[slot]
        if at < 0:
            table[slot] = found
            known[found, 0] = key
            known[found, 1] = weight
            left[found] = row
            left_group[found] = group[i]
            found += 1
        else:
            known[at, 1] += weight
    return left, known[:found, 1].astype(np.float64), left_group, found


@compiled
def fill_cells(
    size: Ints, rows: Ints, weights: Floats, group: Ints, codes: Ints, into: Ints, source: Ints
) -> None:
    """Fill in the persons of each class (axis 0) in each cell of a tail (axis 1), all zero before."""
    if len(weights):
        for i in range(len(rows)):
            size[group[i], codes[rows[i]]] += np.int64(weights[i])
    else:
        for i in range(len(rows)):
            size[group[i], codes[rows[i]]] += 1
    for g in range(len(size)):
        for i in range(len(into)):
            size[g, into[i]] += size[g, source[i]]


@compiled
def count_sizes(size: Ints, owner: Ints, counted: Ints) -> int:
    """Count cells by their set (axis 0) and size (axis 1); return how many are too large to be counted.

    ``owner`` is each cell's set, or −1 where nobody wants it.
    """
    width = counted.shape[1]
    large = 0
    for g in range(len(size)):
        for i in range(len(owner)):
            if owner[i] >= 0:
                if size[g, i] < width:
                    counted[owner[i], size[g, i]] += 1
                else:
                    large += 1
    return large


@compiled
def list_sizes(size: Ints, owner: Ints, least: int, large: int) -> tuple[Ints, Ints]:
    """Return the set and the size of the ``large`` cells of at least some size."""
    found_owner = np.empty(large, dtype=np.int64)
    found_size = np.empty(large, dtype=np.int64)
    at = 0
    for g in range(len(size)):
        for i in range(len(owner)):
            if owner[i] >= 0 and size[g, i] >= least:
                found_owner[at] = owner[i]
                found_size[at] = size[g, i]
                at += 1
    return found_owner, found_size
