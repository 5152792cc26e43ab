"""Number the classes that rows fall into on several coded columns."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LARGEST_KEY = 2**62


def class_numbers(codes: "NDArray[np.int32]") -> "NDArray[np.int64]":
    """Number the classes of equal rows."""
    rows, columns = codes.shape
    key = np.zeros(rows, dtype=np.int64)
    if not rows:
        return key
    span = 1
    for column in range(columns):
        values = int(codes[:, column].max()) + 1
        if span * values > _LARGEST_KEY:
            key = np.unique(key, return_inverse=True)[1]
            span = int(key.max()) + 1
        key = key * values + codes[:, column]
        span *= values
    return np.unique(key, return_inverse=True)[1]
