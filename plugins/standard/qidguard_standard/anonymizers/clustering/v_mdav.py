"""V-MDAV microaggregation: classes of k to 2k − 1 records (Solanas & Martínez-Ballesté 2006)."""

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from qidguard.sdk import AnonymizationTask, Anonymized, Arguments, Parameter, Progress, Records
from qidguard_standard.anonymizers.clustering.class_sizes import DrawsClassSizes
from qidguard_standard.anonymizers.clustering.classes import ClassRule
from qidguard_standard.anonymizers.clustering.crowd import Crowd
from qidguard_standard.anonymizers.clustering.growth import Supply, grown, join_nearest
from qidguard_standard.anonymizers.clustering.partitioned import clustered, publish_parameters
from qidguard_standard.anonymizers.clustering.space import DISTANCE, Space
from qidguard_standard.anonymizers.clustering.wanted import K, L

if TYPE_CHECKING:
    from numpy.typing import NDArray


_EVERY = 64
"""Classes between two words of progress."""


def v_mdav_classes(
    space: Space, rule: ClassRule, gain: float, progress: Progress, title: str
) -> "NDArray[np.int64]":
    """Return the class of each point.

    The point that is farthest from the center of all points gets a class of itself and its nearest. While the
    class has fewer than 2k − 1 points, the free point e that is nearest to any of its members joins, if its
    distance from them is less than ``gain`` times its distance from the nearest other free point. Points that
    are too few for a class join the nearest classes.

    Shape (records,), numbered from 0.
    """
    # γ is a ratio of distances, of which some spaces hold the squares
    gain = gain**2 if space.is_squared else gain
    crowd, supply, most = Crowd(space), Supply(rule, space.records), 2 * rule.wanted.k - 1
    classes, count = np.full(space.records, -1), 0
    center = crowd.center()
    while crowd.left and supply.makes_a_class:
        first = crowd.farthest(crowd.distances(center))
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


GAIN = Parameter(
    name="gain",
    type=float,
    default=0.2,
    minimum=0.0,
    meaning="γ, a ratio of distances: how much nearer to the class than to others a record must be to join"
    " it beyond k; 0.2 suits scattered records, 1.1 clustered ones",
)


class VMdav(DrawsClassSizes):
    """Variable-size MDAV: near neighbors join a class beyond k; see ``v_mdav_classes``.

    Distances, ties and l are those of ``mdav``. Time grows with the square of the records and with k.

    Literature: Solanas & Martínez-Ballesté 2006, V-MDAV: a multivariate microaggregation with variable group
    size, COMPSTAT.
    """

    name: ClassVar[str] = "v_mdav"
    title: ClassVar[str] = "V-MDAV microaggregation: centers of k to 2k − 1 records"
    parameters: ClassVar[tuple[Parameter, ...]] = (K, L, GAIN, DISTANCE, *publish_parameters("means"))

    def anonymize(self, records: Records, arguments: Arguments, task: AnonymizationTask) -> Anonymized:
        """Return every record, its QIDs published by class.

        Example:
            >>> VMdav().parameters[2].name
            'gain'
        """
        return clustered(
            records,
            arguments,
            task,
            lambda points, rule: v_mdav_classes(points, rule, arguments["gain"], task.progress, self.name),
        )
