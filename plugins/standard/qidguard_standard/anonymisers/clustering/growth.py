"""Let a class grow from the nearest points until it keeps what it has to."""

from typing import TYPE_CHECKING

import numpy as np

from qidguard_standard.anonymisers.clustering.classes import ClassRule
from qidguard_standard.anonymisers.clustering.crowd import Crowd

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
    """Return the points of a class: the nearest to k persons, and then those that bring new values.

    Args:
        crowd: The free points, which are enough for a class.
        distances: Their distances from the place that the class grows around.
        rule: What the class has to keep, in the order of points.

    Returns:
        Points, the nearest first; after k persons only such as have a sensitive value that the class lacks.

    Units:
        None.

    Raises:
        Nothing.

    Example:
        >>> from types import SimpleNamespace
        >>> from qidguard_standard.anonymisers.clustering.wanted import Wanted
        >>> line = SimpleNamespace(left=3, nearest=lambda far, count: np.argsort(far)[:count])
        >>> grown(line, np.array([0.0, 2.0, 1.0]), ClassRule(wanted=Wanted(k=2))).tolist()
        [0, 2]
    """
    k = rule.wanted.k
    if rule.counts_records:
        return crowd.nearest(distances, k)
    wide = 4 * k
    while True:
        near = crowd.nearest(distances, wide)
        found = _first(near, rule)
        if found is not None or len(near) == crowd.left:
            return near if found is None else found
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
