"""Classes that grow by their nearest records, and the records that are left over."""

from typing import TYPE_CHECKING

import numpy as np

from qidguard_standard.anonymizers.clustering.classes import ClassRule
from qidguard_standard.anonymizers.clustering.crowd import Crowd, Place
from qidguard_standard.anonymizers.clustering.space import Space

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Supply:
    """How many persons and sensitive values the free points still have.

    Args:
        rule: What classes have to keep, in the order of points.
        records: Number of points.
    """

    def __init__(self, rule: ClassRule, records: int) -> None:
        self._rule = rule
        self._persons = None if rule.entity is None else _Stock(rule.entity)
        self._values = {name: _Stock(rule.sensitive[name]) for name in rule.wanted.l}
        self._left = records

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

    def take(self, points: "NDArray[np.int64]") -> None:
        """Take points out."""
        self._left -= len(points)
        for stock in (self._persons, *self._values.values()):
            if stock is not None:
                stock.take(points)


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
    modes = []
    for codes in space.codes:
        span = int(codes.max(initial=0)) + 1
        keys, times = np.unique(of * span + codes[points], return_counts=True)
        best = np.lexsort((-times, keys // span))
        owner = keys[best] // span
        modes.append(keys[best][np.append(True, owner[1:] != owner[:-1])] % span)
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
