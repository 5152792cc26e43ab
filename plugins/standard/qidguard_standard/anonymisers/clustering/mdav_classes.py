"""MDAV: classes around the points that are farthest from the centre (Domingo-Ferrer & Torra 2005)."""

from typing import TYPE_CHECKING

import numpy as np

from qidguard import Progress
from qidguard_standard.anonymisers.clustering.classes import ClassRule
from qidguard_standard.anonymisers.clustering.crowd import Crowd
from qidguard_standard.anonymisers.clustering.growth import Supply, grown
from qidguard_standard.anonymisers.clustering.leftovers import join_nearest
from qidguard_standard.anonymisers.clustering.space import Space

if TYPE_CHECKING:
    from numpy.typing import NDArray

_EVERY = 64
"""Classes between two words of progress."""


def mdav_classes(space: Space, rule: ClassRule, progress: Progress, title: str) -> "NDArray[np.int64]":
    """Return the class of each point.

    While at least 3k persons are left, the point r that is farthest from their centre and the point s that is
    farthest from r get a class each of themselves and their nearest. Of at least 2k that are left r gets one
    more, and the rest are the last class. Where the rest keep no l they join the nearest classes.

    Args:
        space: The points.
        rule: What classes have to keep, in the order of points.
        progress: Hears how many points have a class.
        title: What the work is called there.

    Returns:
        Shape (records,), numbered from 0.

    Units:
        None.

    Raises:
        Nothing.

    Example:
        >>> mdav_classes.__name__
        'mdav_classes'
    """
    crowd, supply, k = Crowd(space), Supply(rule, space.records), rule.wanted.k
    classes, count = np.full(space.records, -1), 0

    def close(points: "NDArray[np.int64]") -> None:
        nonlocal count
        classes[points] = count
        count += 1
        crowd.take(points)
        supply.take(points)
        if count % _EVERY == 0:
            progress.step(title, space.records - crowd.left, space.records)

    while supply.persons >= 2 * k and supply.makes_a_class:
        takes_two = supply.persons >= 3 * k
        first = crowd.farthest(crowd.distances(crowd.centre()))
        distances = crowd.distances(crowd.at(first))
        second = crowd.farthest(distances)
        close(grown(crowd, distances, rule))
        if takes_two and supply.makes_a_class:
            if classes[second] >= 0:  # nothing is far from anything, or the first class had to reach far
                second = crowd.farthest(crowd.distances(crowd.at(first)))
            close(grown(crowd, crowd.distances(crowd.at(second)), rule))
    if crowd.left and supply.makes_a_class:
        close(crowd.free)
    return join_nearest(space, classes, count)
