"""The points that are in no class yet, and their distances from one place."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from qidguard_standard.anonymizers.clustering.space import Space

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BLOCK = 64
"""Distances of which only the least is looked at first."""
_BYTE = 256
_WORTH_PACKING = 0.9
"""Share of the points held that must be free, or else those that are taken are dropped."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """A place in the space: a point, or a center.

    Args:
        numbers: Shape (numbers,), scaled.
        codes: Shape (categories,).
    """

    numbers: "NDArray[np.float64]"
    codes: "NDArray[np.integer]"


class Crowd:
    """Points that are still free. A point is named by its position in the space.

    Ties fall to the first point, which is by content and then by the order of records.

    Args:
        space: All points.
    """

    def __init__(self, space: Space) -> None:
        self._space = space
        self._scaled = space.scaled()
        self._points = np.arange(space.records)
        self._held = self._scaled
        self._codes = space.codes
        self._taken = np.zeros(0, dtype=np.int64)
        self._sum = space.numbers.sum(axis=1)
        self._span = int(space.codes.max(initial=0)) + 1
        self._base = np.arange(len(space.codes)) * self._span
        at = (space.codes + self._base[:, None]).reshape(-1)
        self._times = np.bincount(at, minlength=len(space.codes) * self._span)
        self.left = space.records

    @property
    def free(self) -> "NDArray[np.int64]":
        """The points that are left, ascending."""
        is_free = np.ones(len(self._points), dtype=np.bool_)
        is_free[self._taken] = False
        return self._points[is_free]

    def center(self) -> Place:
        """Return the mean of the numbers and the modes of the categories of the points that are left."""
        mean = (self._sum / self.left - self._space.shift) / self._space.scale
        return Place(numbers=mean, codes=self._times.reshape(-1, self._span).argmax(axis=1))

    def at(self, point: int) -> Place:
        """Return a point as a place."""
        return Place(numbers=self._scaled[:, point], codes=self._space.codes[:, point])

    def distances(self, place: Place) -> "NDArray[np.float64]":
        """Return the distances of the points that are held; ∞ for those taken."""
        total = np.zeros(len(self._points))
        for numbers, number in zip(self._held, place.numbers, strict=True):
            apart = numbers - number
            total += apart * apart if self._space.is_squared else np.abs(apart)
        given = zip(self._codes, place.codes.tolist(), self._space.tables, strict=True)
        if self._space.is_plain and len(self._codes) < _BYTE:
            # a plain number keeps the codes' few bits, and bits are counted without a cast
            differ = np.zeros(len(self._points), dtype=np.uint8)
            for codes, code, _ in given:
                differ += np.not_equal(codes, code).view(np.uint8)
            total += differ
        else:
            for (codes, code, table), weight in zip(given, self._space.weights, strict=True):
                total += np.not_equal(codes, code) * weight if table is None else table[code][codes]
        total[self._taken] = np.inf
        return total

    def farthest(self, distances: "NDArray[np.float64]") -> int:
        """Return the point that is farthest; it must not be taken."""
        distances = distances.copy()
        distances[self._taken] = -1.0
        return int(self._points[distances.argmax()])

    def nearest(self, distances: "NDArray[np.float64]", count: int) -> "NDArray[np.int64]":
        """Return the ``count`` nearest points, or all that are left, the nearest first."""
        count = min(count, self.left)
        whole = len(distances) // _BLOCK * _BLOCK
        if whole // _BLOCK > count:
            # the least of each block bound the count-th least of all: few points lie below them
            least = distances[:whole].reshape(_BLOCK, -1).min(axis=0)
            most = np.partition(least, count - 1)[count - 1]
            close = np.flatnonzero(distances <= most)
        else:
            close = np.arange(len(distances))
        nearest = close[np.argsort(distances[close], kind="stable")[:count]]
        return self._points[nearest]

    def point(self, held: int) -> int:
        """Return the point at a place of the distances."""
        return int(self._points[held])

    def held(self, points: "NDArray[np.int64]") -> "NDArray[np.int64]":
        """Return where the distances of some points stand."""
        return np.searchsorted(self._points, points)

    def take(self, points: "NDArray[np.int64]") -> None:
        """Take points out."""
        for point in points:  # one by one: a sum must not depend on how many are added at once
            self._sum = self._sum - self._space.numbers[:, point]
        at = (self._space.codes[:, points] + self._base[:, None]).reshape(-1)
        self._times -= np.bincount(at, minlength=len(self._times))
        self._taken = np.append(self._taken, self.held(points))
        self.left -= len(points)
        if self.left < _WORTH_PACKING * len(self._points):
            free = np.ones(len(self._points), dtype=np.bool_)
            free[self._taken] = False
            self._points = self._points[free]
            self._held = self._held[:, free]
            self._codes = self._codes[:, free]
            self._taken = self._taken[:0]
