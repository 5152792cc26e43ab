"""The points that are in no class yet, and classes that grow by their nearest."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import Progress
from qidguard_standard.anonymizers.clustering.classes import ClassRule, modes_by_class
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


class FreePoints:
    """Points that have no class; those taken are dropped now and then. A point is named by its position.

    Ties fall to the first point, which is by content and then by the order of records.

    Args:
        records: Number of points.
    """

    def __init__(self, records: int) -> None:
        self.points = np.arange(records)
        self.taken = np.zeros(0, dtype=np.int64)
        self.left = records

    def farthest(self, distances: "NDArray[np.float64]") -> int:
        """Return the point that is farthest; it must not be taken."""
        distances = distances.copy()
        distances[self.taken] = -1.0
        return int(self.points[distances.argmax()])

    def held(self, points: "NDArray[np.int64] | int") -> "NDArray[np.int64]":
        """Return where the distances of some points stand."""
        return np.searchsorted(self.points, points)

    def take(self, points: "NDArray[np.int64]") -> None:
        """Take points out."""
        self.taken = np.append(self.taken, self.held(points))
        self.left -= len(points)

    def packed(self) -> "NDArray[np.int64] | None":
        """Drop what is taken, once it is much; where those that are kept stood, None where nothing goes."""
        if self.left >= _WORTH_PACKING * len(self.points):
            return None
        is_free = np.ones(len(self.points), dtype=np.bool_)
        is_free[self.taken] = False
        at = np.flatnonzero(is_free)
        self.points, self.taken = self.points[at], self.taken[:0]
        return at


class Crowd(FreePoints):
    """Free points of a space, and their distances from one place.

    Args:
        space: All points.
    """

    def __init__(self, space: Space) -> None:
        super().__init__(space.records)
        self._space = space
        self._scaled = space.scaled()
        self._held = self._scaled
        self._codes = space.codes
        self._sum = space.numbers.sum(axis=1)
        self._span = int(space.codes.max(initial=0)) + 1
        self._base = np.arange(len(space.codes)) * self._span
        at = (space.codes + self._base[:, None]).reshape(-1)
        self._times = np.bincount(at, minlength=len(space.codes) * self._span)

    def center(self) -> Place:
        """Return the mean of the numbers and the modes of the categories of the points that are left."""
        mean = (self._sum / self.left - self._space.shift) / self._space.scale
        return Place(numbers=mean, codes=self._times.reshape(-1, self._span).argmax(axis=1))

    def at(self, point: int) -> Place:
        """Return a point as a place."""
        return Place(numbers=self._scaled[:, point], codes=self._space.codes[:, point])

    def distances(self, place: Place) -> "NDArray[np.float64]":
        """Return the distances of the points that are held; ∞ for those taken."""
        total = np.zeros(len(self.points))
        for numbers, number in zip(self._held, place.numbers, strict=True):
            apart = numbers - number
            total += apart * apart if self._space.is_squared else np.abs(apart)
        given = zip(self._codes, place.codes.tolist(), self._space.tables, strict=True)
        if self._space.is_plain and len(self._codes) < _BYTE:
            # a plain number keeps the codes' few bits, and bits are counted without a cast
            differ = np.zeros(len(self.points), dtype=np.uint8)
            for codes, code, _ in given:
                differ += np.not_equal(codes, code).view(np.uint8)
            total += differ
        else:
            for (codes, code, table), weight in zip(given, self._space.weights, strict=True):
                total += np.not_equal(codes, code) * weight if table is None else table[code][codes]
        total[self.taken] = np.inf
        return total

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
        return self.points[nearest]

    def take(self, points: "NDArray[np.int64]") -> None:
        """Take points out."""
        for point in points:  # one by one: a sum must not depend on how many are added at once
            self._sum = self._sum - self._space.numbers[:, point]
        at = (self._space.codes[:, points] + self._base[:, None]).reshape(-1)
        self._times -= np.bincount(at, minlength=len(self._times))
        super().take(points)
        free = self.packed()
        if free is not None:
            self._held = np.take(self._held, free, axis=1)
            self._codes = np.take(self._codes, free, axis=1)


_EVERY = 64
"""Classes between two words of progress."""


class Forming:
    """Classes as they are formed, and how many persons and sensitive values the other points still have.

    Args:
        rule: What classes have to keep, in the order of points.
        records: Number of points.
        progress: Hears of classes.
        title: What it is called there.
    """

    def __init__(self, rule: ClassRule, records: int, progress: Progress, title: str) -> None:
        self.classes = np.full(records, -1)
        self.count = 0
        self._rule = rule
        self._persons = None if rule.entity is None else _Stock(rule.entity)
        self._values = {name: _Stock(rule.sensitive[name]) for name in rule.wanted.l}
        self._left = records
        self._progress, self._title = progress, title

    @property
    def persons(self) -> int:
        """Distinct persons left."""
        return self._left if self._persons is None else self._persons.distinct

    @property
    def makes_a_class(self) -> bool:
        """Whether what is left keeps k and l as one class."""
        enough = self.persons >= self._rule.wanted.k
        return enough and all(
            stock.distinct >= self._rule.wanted.l[name] for name, stock in self._values.items()
        )

    def close(self, points: "NDArray[np.int64]") -> None:
        """Make a class of points."""
        self.classes[points] = self.count
        self.count += 1
        self._left -= len(points)
        for stock in (self._persons, *self._values.values()):
            if stock is not None:
                stock.take(points)
        if self.count % _EVERY == 0:
            records = len(self.classes)
            self._progress.step(self._title, records - self._left, records)


class _Stock:
    """The distinct codes of the points that are left."""

    def __init__(self, codes: "NDArray[np.int64]") -> None:
        self._codes = codes
        self._times = np.bincount(codes)
        self.distinct = int(np.count_nonzero(self._times))

    def take(self, points: "NDArray[np.int64]") -> None:
        codes = self._codes[points]
        np.subtract.at(self._times, codes, 1)
        gone = np.unique(codes)
        self.distinct -= int(np.count_nonzero(self._times[gone] == 0))


def grown(crowd: Crowd, distances: "NDArray[np.float64]", rule: ClassRule) -> "NDArray[np.int64]":
    """Return the points of a class: the nearest to k persons, and then those that bring new values."""
    k = rule.wanted.k
    if rule.counts_records:
        return crowd.nearest(distances, k)
    wide = 4 * k
    while True:
        near = crowd.nearest(distances, wide)
        enough = _first(near, rule)
        if enough is not None or len(near) == crowd.left:
            return near if enough is None else enough
        wide *= 4


def _first(near: "NDArray[np.int64]", rule: ClassRule) -> "NDArray[np.int64] | None":
    """Return the first of the points that make a class; None where they make none."""
    taken: list[int] = []
    persons: set[int] = set()
    lacking = {name: (least, set[int]()) for name, least in rule.wanted.l.items()}
    for point in near.tolist():
        is_new = any(
            len(seen) < least and int(rule.sensitive[name][point]) not in seen
            for name, (least, seen) in lacking.items()
        )
        if len(persons) >= rule.wanted.k and not is_new:
            continue
        taken.append(point)
        persons.add(point if rule.entity is None else int(rule.entity[point]))
        for name, (_, seen) in lacking.items():
            seen.add(int(rule.sensitive[name][point]))
        if len(persons) >= rule.wanted.k and all(len(seen) >= least for least, seen in lacking.values()):
            return np.array(taken)
    return None


def join_nearest(space: Space, classes: "NDArray[np.int64]", count: int) -> "NDArray[np.int64]":
    """Return the classes with each point that has none put into the class whose center is nearest.

    The centers are those before any of them joins; of equally near ones the first class is taken.

    Shape (records,), 0..max(count, 1) − 1.

    Example:
        >>> line = Space(
        ...     order=np.arange(3),
        ...     numbers=np.array([[0.0, 8.0, 9.0]]),
        ...     shift=np.zeros(1),
        ...     scale=np.ones(1),
        ...     codes=np.zeros((0, 3), dtype=np.int64),
        ...     weights=np.zeros(0),
        ...     is_squared=False,
        ...     tables=(),
        ... )
        >>> join_nearest(line, np.array([0, 1, -1]), 2).tolist()
        [0, 1, 1]
    """
    joined = classes.copy()
    left = np.flatnonzero(classes < 0)
    if not count:
        joined[:] = 0
        return joined
    if not len(left):
        return joined
    crowd = Crowd(centers(space, classes, count))
    scaled = space.scaled()
    for point in left.tolist():
        place = Place(numbers=scaled[:, point], codes=space.codes[:, point])
        joined[point] = int(crowd.distances(place).argmin())
    return joined


def centers(space: Space, classes: "NDArray[np.int64]", count: int) -> Space:
    """Return the center of each class as a point."""
    points = np.flatnonzero(classes >= 0)
    of = classes[points]
    sizes = np.bincount(of, minlength=count)
    means = np.array([np.bincount(of, weights=row[points], minlength=count) / sizes for row in space.numbers])
    modes = [modes_by_class(of, codes[points]) for codes in space.codes]
    return Space(
        order=np.arange(count),
        numbers=means.reshape(-1, count),
        shift=space.shift,
        scale=space.scale,
        codes=np.array(modes, dtype=np.int64).reshape(-1, count),
        weights=space.weights,
        is_squared=space.is_squared,
        tables=space.tables,
    )
