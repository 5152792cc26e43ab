"""Who counts once: a person over all records, and where nobody says who is whom, equal rows."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NATURAL = 20
"""Records a distinct row from which the table is so narrow that different persons share their rows."""


def persons_of(
    codes: "NDArray[np.integer] | None", rows: "Iterable[NDArray[np.integer]]"
) -> "NDArray[np.int64]":
    """Return the number of each record's person, 0..persons−1.

    Args:
        codes: Shape (records,), a code of the person; None where nobody says, and equal rows count as one
            person, unless rows repeat so often that different persons must share them.
        rows: The columns by which rows are compared, each of shape (records,).
    """
    import numpy as np

    if codes is not None:
        return dense(np.asarray(codes, dtype=np.int64))[0]
    # a random sum of mixed codes: two different rows share one with a chance of about 2^−64
    generator = np.random.default_rng(20261122)
    mixed: NDArray[np.uint64] | None = None
    for column in rows:
        factor, shift = generator.integers(1, 2**63, 2, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
        value = (column.astype(np.uint64) + shift) * factor
        value ^= value >> np.uint64(29)
        value *= np.uint64(0xBF58476D1CE4E5B9)
        value ^= value >> np.uint64(32)
        mixed = value if mixed is None else mixed + value
    if mixed is None:
        return np.empty(0, dtype=np.int64)
    numbers, distinct = dense(mixed.view(np.int64))
    return np.arange(len(numbers)) if distinct * NATURAL <= len(numbers) else numbers


def dense(codes: "NDArray[np.integer]") -> "tuple[NDArray[np.int64], int]":
    """Return codes 0, 1, … without a gap, in the same order, and how many there are."""
    import numpy as np

    if not len(codes):
        return np.empty(0, dtype=np.int64), 0
    low, high = int(codes.min()), int(codes.max())
    if low >= 0 and high <= 4 * len(codes) + 1024:
        seen = np.zeros(high + 1, dtype=np.bool_)
        seen[codes] = True
        place = np.cumsum(seen) - 1
        return place[codes], int(place[-1]) + 1
    bits = len(codes).bit_length()
    if (high - low).bit_length() + bits > 62:  # noqa: PLR2004 - a key has one bit for its sign
        values, inverse = np.unique(codes, return_inverse=True)
        return inverse.astype(np.int64, copy=False), len(values)
    # to sort a value with its place in one number is quicker than to sort places by values
    packed = (codes.astype(np.int64) - low << bits) | np.arange(len(codes))
    packed.sort()
    rank = np.cumsum(np.diff(packed >> bits, prepend=-1) != 0) - 1
    place = np.empty(len(codes), dtype=np.int64)
    place[packed & ((1 << bits) - 1)] = rank
    return place, int(rank[-1]) + 1
