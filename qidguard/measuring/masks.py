"""Sets of columns as bit masks in arrays: 64-bit numbers, or Python's where there are more columns."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

MOST_BITS = 62
"""Columns up to which masks are 64-bit numbers; one bit is the sign."""

Masks = NDArray[np.int64] | NDArray[np.object_]


def mask_array(masks: Sequence[int], columns: int) -> Masks:
    """Return masks over that many columns as an array."""
    if columns <= MOST_BITS:
        return np.array(masks, dtype=np.int64)
    found = np.empty(len(masks), dtype=object)
    found[:] = masks
    return found


def moved(masks: Masks, to: Sequence[int | None]) -> Masks:
    """Return the masks with bit i at bit ``to[i]``; None drops it."""
    found = masks & 0
    for i, place in enumerate(to):
        if place is not None:
            found |= (masks >> i & 1) << place
    return found
