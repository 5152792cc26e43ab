"""Number the classes that rows fall into on several columns of group numbers."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LARGEST_KEY = 2**62
_DENSE, _DENSE_FREE = 8, 1 << 14
"""Keys a row up to which rows are counted in an array; beyond, sorting them costs less."""
_BITS = 63


def numbered(
    columns: "Sequence[tuple[NDArray[np.integer[Any]], int]]", rows: int
) -> "tuple[NDArray[np.int64], int]":
    """Number the classes of equal rows, in the order of the columns' numbers.

    Args:
        columns: For each column the number in each row, 0..span−1, and the span, ≥ 1.
        rows: Number of rows.

    Returns:
        The class of each row, and how many there are; one class where there is no column.

    Units:
        None.

    Raises:
        ValueError: When columns differ in length.

    Example:
        >>> group, classes = numbered([(np.array([1, 0, 1]), 2), (np.array([2, 2, 2]), 3)], 3)
        >>> group.tolist(), classes
        ([1, 0, 1], 2)
    """
    key, span = np.zeros(rows, dtype=np.int64), 1
    for numbers, width in columns:
        if span * width > _LARGEST_KEY:
            key, span = _dense(key, span)
        key = key * width + numbers
        span *= width
    return _dense(key, span)


def _dense(key: "NDArray[np.int64]", span: int) -> "tuple[NDArray[np.int64], int]":
    if span <= _DENSE * len(key) + _DENSE_FREE:
        place = np.cumsum(np.bincount(key, minlength=1) > 0)
        return place.take(key) - 1, int(place[-1]) if len(key) else 0
    bits = len(key).bit_length()
    if span.bit_length() + bits > _BITS:
        known, group = np.unique(key, return_inverse=True)
        return group.astype(np.int64), len(known)
    # a key and its row in one number: sorting those costs less than sorting rows by their keys
    both = (key << bits) | np.arange(len(key))
    both.sort()
    ranked = both >> bits
    is_new = np.ones(len(key), dtype=np.bool_)
    np.not_equal(ranked[1:], ranked[:-1], out=is_new[1:])
    group = np.empty(len(key), dtype=np.int64)
    group[both & ((1 << bits) - 1)] = np.cumsum(is_new) - 1
    return group, int(is_new.sum())
