"""Keys in ascending order, and where each came from."""

import numpy as np
from numpy.typing import NDArray

from qidguard.measure.lattice.records import Ints

_BITS = 63


def ranked(key: Ints) -> tuple[Ints, Ints]:
    """Return the positions of the keys in ascending order, and the keys in that order; none is negative."""
    place = len(key).bit_length()
    if int(key.max(initial=0)).bit_length() + place > _BITS:
        order = np.argsort(key)
        return order, key.take(order)
    # a key and its place in one number: sorting those costs less than sorting places by their keys
    both = key << place
    both |= np.arange(len(key))
    both.sort()
    return both & ((1 << place) - 1), both >> place


def is_new(keys: Ints) -> NDArray[np.bool_]:
    """Return where a run of equal numbers begins."""
    found = np.ones(len(keys), dtype=np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=found[1:])
    return found
