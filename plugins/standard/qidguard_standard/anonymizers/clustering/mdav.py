"""MDAV microaggregation for records of mixed type (Domingo-Ferrer & Torra 2005), in numpy or compiled.

V-MDAV: classes of k to 2k − 1 records (Solanas & Martínez-Ballesté 2006).
"""

import os
from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from qidguard.sdk import AnonymizationTask, Arguments, Parameter, Progress, UserError
from qidguard_standard.anonymizers.clustering.classes import ClassRule
from qidguard_standard.anonymizers.clustering.crowd import Crowd, Forming, grown, join_nearest
from qidguard_standard.anonymizers.clustering.partitioned import Clusterer, publish_parameters
from qidguard_standard.anonymizers.clustering.space import DISTANCE, Space
from qidguard_standard.anonymizers.clustering.wanted import K, L

if TYPE_CHECKING:
    from numpy.typing import NDArray


def mdav_classes(space: Space, rule: ClassRule, progress: Progress, title: str) -> "NDArray[np.int64]":
    """Return the class of each point.

    While at least 3k persons are left, the point r that is farthest from their center and the point s that is
    farthest from r get a class each of themselves and their nearest. Of at least 2k that are left r gets one
    more, and the rest are the last class. Where the rest keep no l they join the nearest classes.

    Shape (records,), numbered from 0.
    """
    crowd, forming, k = Crowd(space), Forming(rule, space.records, progress, title), rule.wanted.k

    def close(points: "NDArray[np.int64]") -> None:
        forming.close(points)
        crowd.take(points)

    while forming.persons >= 2 * k and forming.makes_a_class:
        takes_two = forming.persons >= 3 * k
        first = crowd.farthest(crowd.distances(crowd.center()))
        distances = crowd.distances(crowd.at(first))
        second = crowd.farthest(distances)
        close(grown(crowd, distances, rule))
        if takes_two and forming.makes_a_class:
            if forming.classes[second] >= 0:  # nothing is far from anything, or the first class reached far
                second = crowd.farthest(crowd.distances(crowd.at(first)))
            close(grown(crowd, crowd.distances(crowd.at(second)), rule))
    if crowd.left and forming.makes_a_class:
        close(np.flatnonzero(forming.classes < 0))
    return join_nearest(space, forming.classes, forming.count)


MdavKernel = Callable[[Space, ClassRule, Progress, str], "NDArray[np.int64]"]

VARIABLE = "QIDGUARD_KERNEL"
"""The environment variable that names a kernel, ``numpy`` or ``numba``; without it the work decides."""

WORTH_COMPILING_SECONDS = 5.0
"""Estimated work in numpy from which the compiled kernel is loaded unasked; compiling takes about as long."""
_SECONDS_CLASS, _SECONDS_POINT = 1e-4, 4e-9


def mdav_kernel(records: int, block: int, k: int) -> MdavKernel:
    """Return what makes MDAV's classes."""
    asked = os.environ.get(VARIABLE, "")
    if asked not in {"", "numpy", "numba"}:
        raise UserError(f"{VARIABLE} is numpy or numba, not {asked!r}; set one of these or none")
    seconds = records / max(k, 1) * (_SECONDS_CLASS + 1.5 * block / 2 * _SECONDS_POINT)
    if asked == "numpy" or (not asked and seconds < WORTH_COMPILING_SECONDS) or find_spec("numba") is None:
        return mdav_classes
    try:
        from qidguard_standard.anonymizers.clustering.compiled_mdav import compiled_mdav
    except (ImportError, RuntimeError):
        # RuntimeError: no folder can be written to that the machine code could be kept in
        return mdav_classes

    def run(space: Space, rule: ClassRule, progress: Progress, title: str) -> "NDArray[np.int64]":
        if space.has_tables or not rule.counts_records:
            return mdav_classes(space, rule, progress, title)
        return compiled_mdav(space, rule.wanted.k, progress, title)

    return run


class Mdav(Clusterer):
    """Maximum distance to average vector: classes of k records, each published as its center.

    The records farthest from the center are grouped first, each with its k − 1 nearest; see ``mdav_classes``.
    A distance adds Δ² in variances for numbers and dates, as Domingo-Ferrer & Torra do, to 0 or 1 for
    categories, or the share of the levels of a hierarchy where the task has one. ``distance: absolute`` takes
    |Δ| in standard deviations, under which what is lost in squares is larger by up to a quarter on the
    benchmark sets; ``distance: loss`` weighs columns as NCP does, which suits published sets.
    With l a class takes, beyond its k nearest, the nearest records with sensitive values that it lacks.

    Records with equal QIDs stand in the order of the table, which decides only who shares a class; ties
    between different ones are decided by their content. Time grows with the square of the records: beyond
    100,000 use ``blocks``.

    Literature: Domingo-Ferrer & Torra 2005, Ordinal, continuous and heterogeneous k-anonymity through
    microaggregation, Data Mining and Knowledge Discovery 11.
    """

    name: ClassVar[str] = "mdav"
    title: ClassVar[str] = "MDAV microaggregation: centers of k records that are near one another"
    parameters: ClassVar[tuple[Parameter, ...]] = (K, L, DISTANCE, *publish_parameters("means"))

    def cluster(
        self, points: Space, rule: ClassRule, arguments: Arguments, task: AnonymizationTask
    ) -> "NDArray[np.int64]":
        """Return the class of each point."""
        del arguments
        kernel = mdav_kernel(points.records, points.records, rule.wanted.k)
        return kernel(points, rule, task.progress, self.name)


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
    crowd, forming = Crowd(space), Forming(rule, space.records, progress, title)
    center, most = crowd.center(), 2 * rule.wanted.k - 1
    while crowd.left and forming.makes_a_class:
        first = crowd.farthest(crowd.distances(center))
        members = grown(crowd, crowd.distances(crowd.at(first)), rule)
        if gain > 0:
            members = _extended(crowd, members, gain, most)
        forming.close(members)
        crowd.take(members)
    return join_nearest(space, forming.classes, forming.count)


def _extended(crowd: Crowd, members: "NDArray[np.int64]", gain: float, most: int) -> "NDArray[np.int64]":
    """Return the members with those who join them."""
    if len(members) >= min(most, crowd.left):
        return members
    reach = np.minimum.reduce([crowd.distances(crowd.at(int(point))) for point in members])
    while len(members) < min(most, crowd.left):
        reach[crowd.held(members)] = np.inf
        nearest = int(crowd.points[reach.argmin()])
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


class VMdav(Clusterer):
    """Variable-size MDAV: near neighbors join a class beyond k; see ``v_mdav_classes``.

    Distances, ties and l are those of ``mdav``. Time grows with the square of the records and with k.

    Literature: Solanas & Martínez-Ballesté 2006, V-MDAV: a multivariate microaggregation with variable group
    size, COMPSTAT.
    """

    name: ClassVar[str] = "v_mdav"
    title: ClassVar[str] = "V-MDAV microaggregation: centers of k to 2k − 1 records"
    parameters: ClassVar[tuple[Parameter, ...]] = (K, L, GAIN, DISTANCE, *publish_parameters("means"))

    def cluster(
        self, points: Space, rule: ClassRule, arguments: Arguments, task: AnonymizationTask
    ) -> "NDArray[np.int64]":
        """Return the class of each point.

        Example:
            >>> VMdav().parameters[2].name
            'gain'
        """
        return v_mdav_classes(points, rule, arguments["gain"], task.progress, self.name)
