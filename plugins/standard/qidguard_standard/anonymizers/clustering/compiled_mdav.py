"""MDAV as numba compiles it, for k alone and categories that are equal or not; the same classes as numpy's.

Importing this needs numba, and a folder that it can keep its machine code in. The very first use on a machine
compiles for some seconds; later ones load what was kept.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
from numba import njit

from qidguard.sdk import Progress
from qidguard_standard.anonymizers.clustering.space import Space

if TYPE_CHECKING:
    from numpy.typing import NDArray

Plain = TypeVar("Plain", bound=Callable[..., Any])

_STEP_POINTS = 50_000_000
"""Points that one call looks at, some tenths of a second: between calls the user may interrupt."""


def compiled(function: Plain) -> Plain:
    """Compile for any thread to run freely; the machine code is kept for the next process."""
    return cast("Plain", njit(cache=True, nogil=True)(function))


def compiled_mdav(space: Space, k: int, progress: Progress | None, title: str) -> "NDArray[np.int64]":
    """Return the class of each point; see ``mdav_classes``.

    Shape (records,), numbered from 0.
    """
    classes, points = np.full(space.records, -1), np.arange(space.records)
    codes = space.codes.astype(np.int64)  # one type, so that it is compiled once
    scaled, (words, bits) = space.scaled(), _packed(space.codes)
    weights = np.zeros(0) if space.is_plain else space.weights  # none: what differs is counted
    sums, left, count = space.numbers.sum(axis=1), space.records, 0
    times = np.zeros((len(space.codes), int(space.codes.max(initial=0)) + 1), dtype=np.int64)
    for at, row in enumerate(space.codes):
        times[at] = np.bincount(row, minlength=times.shape[1])
    while left:
        left, count = _classes(
            (scaled, words, points, classes),
            (space.numbers, codes, space.shift, space.scale),
            (sums, times),
            (bits, weights, space.is_squared),
            k,
            left,
            count,
        )
        if progress is not None:
            progress.step(title, space.records - left, space.records)
    return classes


def _packed(codes: "NDArray[np.integer]") -> "tuple[NDArray[np.uint64], int]":
    """Return codes side by side in words of 64 bits, shape (words, records), and the bits that each has."""
    bits = next(b for b in (8, 16, 32) if int(codes.max(initial=0)) < 1 << b)
    each = 64 // bits
    words = np.zeros((-(-len(codes) // each), codes.shape[1]), dtype=np.uint64)
    for at, row in enumerate(codes):
        words[at // each] |= row.astype(np.uint64) << np.uint64(at % each * bits)
    return words, bits


@compiled
def _pack(code: "NDArray[np.int64]", words: int, bits: int) -> "NDArray[np.uint64]":
    """Pack the codes of one place."""
    packed = np.zeros(words, dtype=np.uint64)
    each = 64 // bits
    for c in range(len(code)):
        packed[c // each] |= np.uint64(code[c]) << np.uint64(c % each * bits)
    return packed


@compiled
def _distances(
    scaled: "NDArray[np.float64]",
    words: "NDArray[np.uint64]",
    coding: "tuple[int, NDArray[np.float64], bool]",
    left: int,
    number: "NDArray[np.float64]",
    word: "NDArray[np.uint64]",
) -> "NDArray[np.float64]":
    """Return the distances of the first points from a place."""
    bits, weights, is_squared = coding
    total, differ = np.zeros(left), np.zeros(left, dtype=np.int64)
    for q in range(len(number)):
        for a in range(left):
            apart = scaled[q, a] - number[q]
            total[a] += apart * apart if is_squared else abs(apart)
    if len(weights):
        mask = (np.uint64(1) << np.uint64(bits)) - np.uint64(1)
        for c in range(len(weights)):
            w, weight, by = c // (64 // bits), weights[c], np.uint64(c % (64 // bits) * bits)
            for a in range(left):
                total[a] += weight if ((words[w, a] ^ word[w]) >> by) & mask else 0.0
        return total
    one = np.uint64(1)
    ones = np.uint64(0)
    for _ in range(64 // bits):
        ones = (ones << np.uint64(bits)) | one
    high = ones << np.uint64(bits - 1)
    low, top, last = ~high, np.uint64(bits - 1), np.uint64(64 - bits)
    for w in range(len(word)):
        for a in range(left):
            x = words[w, a] ^ word[w]
            # the highest bit of each code that differs, then all of them counted by one multiplication
            differ[a] += np.int64((((((x & low) + low) | x) & high) >> top) * ones >> last)
    for a in range(left):
        total[a] += differ[a]
    return total


@compiled
def _nearest(distances: "NDArray[np.float64]", k: int) -> "NDArray[np.int64]":
    """Return the places of the k least distances, the nearest first, of equal ones the first."""
    nearest, least = np.empty(k, dtype=np.int64), np.full(k, np.inf)
    most = np.inf
    for a in range(len(distances)):
        distance = distances[a]
        if distance < most:
            at = k - 1
            while at > 0 and least[at - 1] > distance:
                least[at] = least[at - 1]
                nearest[at] = nearest[at - 1]
                at -= 1
            least[at] = distance
            nearest[at] = a
            most = least[k - 1]
    return nearest


@compiled
def _classes(  # noqa: C901, PLR0912 - one loop, for what it calls cannot change its many arrays' lengths
    pieces: "tuple[NDArray[np.float64], NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]",
    given: "tuple[NDArray[np.float64], NDArray[np.integer], NDArray[np.float64], NDArray[np.float64]]",
    left_in: "tuple[NDArray[np.float64], NDArray[np.int64]]",
    coding: "tuple[int, NDArray[np.float64], bool]",
    k: int,
    left: int,
    count: int,
) -> tuple[int, int]:
    """Form classes for some tenths of a second; the points that are left, and the classes so far."""
    scaled, words, points, classes = pieces
    numbers, codes, shift, scale = given
    sums, times = left_in
    bits = coding[0]
    number, code = np.empty(len(sums)), np.empty(len(times), dtype=np.int64)
    looked = 0
    while left and looked < _STEP_POINTS:
        looked += 3 * left
        if left < 2 * k:
            for a in range(left):
                classes[points[a]] = count
            return 0, count + 1
        for q in range(len(sums)):
            number[q] = (sums[q] / left - shift[q]) / scale[q]
        for c in range(len(times)):
            code[c] = np.argmax(times[c])
        around = int(
            np.argmax(_distances(scaled, words, coding, left, number, _pack(code, len(words), bits)))
        )
        for _ in range(2 if left >= 3 * k else 1):
            distances = _distances(
                scaled, words, coding, left, scaled[:, around].copy(), words[:, around].copy()
            )
            nearest = _nearest(distances, k)
            for b in range(k):
                point = points[nearest[b]]
                classes[point] = count
                distances[nearest[b]] = -1.0
                for q in range(len(sums)):
                    sums[q] -= numbers[q, point]
                for c in range(len(times)):
                    times[c, codes[c, point]] -= 1
            count += 1
            around, most, kept = 0, -1.0, 0
            for a in range(left):
                if distances[a] >= 0.0:
                    if distances[a] > most:
                        most = distances[a]
                        around = kept
                    points[kept] = points[a]
                    for q in range(len(sums)):
                        scaled[q, kept] = scaled[q, a]
                    for w in range(len(words)):
                        words[w, kept] = words[w, a]
                    kept += 1
            left = kept
    return left, count
