"""MDAV microaggregation for records of mixed type (Domingo-Ferrer & Torra 2005), in numpy or compiled."""

import os
from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from qidguard.sdk import AnonymizationTask, Anonymized, Arguments, Parameter, Progress, Records, UserError
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


def mdav_classes(space: Space, rule: ClassRule, progress: Progress, title: str) -> "NDArray[np.int64]":
    """Return the class of each point.

    While at least 3k persons are left, the point r that is farthest from their center and the point s that is
    farthest from r get a class each of themselves and their nearest. Of at least 2k that are left r gets one
    more, and the rest are the last class. Where the rest keep no l they join the nearest classes.

    Shape (records,), numbered from 0.
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
        first = crowd.farthest(crowd.distances(crowd.center()))
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


class Mdav(DrawsClassSizes):
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

    def anonymize(self, records: Records, arguments: Arguments, task: AnonymizationTask) -> Anonymized:
        """Return every record, its QIDs published by class."""
        return clustered(
            records,
            arguments,
            task,
            lambda points, rule: mdav_kernel(points.records, points.records, rule.wanted.k)(
                points, rule, task.progress, self.name
            ),
        )
