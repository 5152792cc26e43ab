"""V-MDAV: MDAV whose classes take in near neighbours, up to 2k − 1 (Solanas & Martínez-Ballesté 2006)."""

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


def v_mdav_classes(
    space: Space, rule: ClassRule, gain: float, progress: Progress, title: str
) -> "NDArray[np.int64]":
    """Return the class of each point.

    The point that is farthest from the centre of all points gets a class of itself and its nearest. While the
    class has fewer than 2k − 1 points, the free point e that is nearest to any of its members joins, if its
    distance from them is less than ``gain`` times its distance from the nearest other free point. Points that
    are too few for a class join the nearest classes.

    Args:
        space: The points.
        rule: What classes have to keep, in the order of points.
        gain: γ, ≥ 0; 0 adds nobody. The authors advise 0.2 for scattered points and 1.1 for clustered ones.
        progress: Hears how many points have a class.
        title: What the work is called there.

    Returns:
        Shape (records,), numbered from 0.

    Units:
        None.

    Raises:
        Nothing.

    Example:
        >>> v_mdav_classes.__name__
        'v_mdav_classes'
    """
    # γ is a ratio of distances, of which some spaces hold the squares
    gain = gain**2 if space.is_squared else gain
    crowd, supply, most = Crowd(space), Supply(rule, space.records), 2 * rule.wanted.k - 1
    classes, count = np.full(space.records, -1), 0
    centre = crowd.centre()
    while crowd.left and supply.makes_a_class:
        first = crowd.farthest(crowd.distances(centre))
        members = grown(crowd, crowd.distances(crowd.at(first)), rule)
        if gain > 0:
            members = _extended(crowd, members, gain, most)
        classes[members] = count
        count += 1
        crowd.take(members)
        supply.take(members)
        if count % _EVERY == 0:
            progress.step(title, space.records - crowd.left, space.records)
    return join_nearest(space, classes, count)


def _extended(crowd: Crowd, members: "NDArray[np.int64]", gain: float, most: int) -> "NDArray[np.int64]":
    """Return the members with those who join them."""
    if len(members) >= min(most, crowd.left):
        return members
    reach = np.minimum.reduce([crowd.distances(crowd.at(int(point))) for point in members])
    while len(members) < min(most, crowd.left):
        reach[crowd.held(members)] = np.inf
        nearest = crowd.point(int(reach.argmin()))
        around = crowd.distances(crowd.at(nearest))
        others = around.copy()
        others[crowd.held(np.append(members, nearest))] = np.inf
        # nobody else being left, the distance from others is without end
        if not reach.min() < gain * others.min():
            break
        members = np.append(members, nearest)
        reach = np.minimum(reach, around)
    return members
