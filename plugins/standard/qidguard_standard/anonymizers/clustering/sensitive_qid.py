"""Classes of a table with a quasi-identifier that is sensitive, too, and of which l or t is asked.

It is published as it is, so to a reader each of its values is a class by itself, which has to keep k. What
is learned of it is learned beside the other QIDs, over several of these. So records that agree in it are put
into classes first, and then near classes of different values show the same in all other columns.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import class_numbers
from qidguard_standard.anonymizers.clustering.classes import ClassRule
from qidguard_standard.anonymizers.clustering.crowd import Crowd
from qidguard_standard.anonymizers.clustering.growth import centers
from qidguard_standard.anonymizers.clustering.space import Space

if TYPE_CHECKING:
    from numpy.typing import NDArray

Inside = Callable[["NDArray[np.int64]", ClassRule], "NDArray[np.int64]"]
"""Gives some of the points their classes; the rule is in their order."""


def by_part(space: Space, rule: ClassRule, inside: Inside) -> "NDArray[np.int64]":
    """Return the class of each point, shape (records,), from 0: of each part by itself, then joined."""
    everybody = np.arange(space.records)
    if not rule.apart:
        return inside(everybody, rule)
    part = class_numbers(np.stack([rule.sensitive[name] for name in rule.apart], axis=1))
    classes, count = np.empty(space.records, dtype=np.int64), 0
    parts: list[int] = []
    for number in range(int(part.max()) + 1):
        rows = np.flatnonzero(part == number)
        own = inside(rows, rule.inside(rows))
        classes[rows] = own + count
        count += int(own.max()) + 1
        parts += [number] * (count - len(parts))
    return _joined(space, rule, classes, np.array(parts))[classes]


def _joined(
    space: Space, rule: ClassRule, classes: "NDArray[np.int64]", parts: "NDArray[np.int64]"
) -> "NDArray[np.int64]":
    """Return the group of each class, shape (classes,), from 0: each keeps the rule, or there is one.

    A group that does not keep it joins that of the nearest class of a part that it lacks, one that nobody
    joined yet if there is any; where it lacks none, of the nearest of all. Those of the rarest part begin,
    for the others have to come to them.
    """
    count = len(parts)
    crowd = Crowd(centers(space, classes, count))
    group = np.arange(count)
    rarest_first = np.argsort(np.bincount(parts)[parts], kind="stable")
    while True:
        fine = rule.keeps(group[classes], count)
        lacking = [one for one in rarest_first.tolist() if not fine[group[one]]]
        if not lacking or (group == group[0]).all():
            return np.unique(group, return_inverse=True)[1].reshape(-1)
        grown: set[int] = set()
        for one in lacking:
            mine = group == group[one]
            if int(group[one]) in grown or mine.all():
                continue
            others = ~mine & ~np.isin(parts, parts[mine])
            free = others & ~np.isin(group, list(grown))
            distances = crowd.distances(crowd.at(one))
            distances[~free if free.any() else ~others if others.any() else mine] = np.inf
            target = int(group[int(distances.argmin())])
            group[mine] = target
            grown.add(target)
