"""Microaggregation by simulated annealing that begins with the classes of MDAV."""

import os
import time
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from qidguard.sdk import AnonymizationTask, Anonymized, Arguments, Parameter, Progress, Records
from qidguard_standard.anonymizers.clustering.annealing import Annealed, Annealing, Effort, Kernel
from qidguard_standard.anonymizers.clustering.classes import ClassRule
from qidguard_standard.anonymizers.clustering.mdav import VARIABLE, mdav_kernel
from qidguard_standard.anonymizers.clustering.partitioned import (
    DrawsClassSizes,
    clustered,
    publish_parameters,
)
from qidguard_standard.anonymizers.clustering.space import DISTANCE, Space
from qidguard_standard.anonymizers.clustering.wanted import K, L

if TYPE_CHECKING:
    from numpy.typing import NDArray


_STEPS = 30_000_000
"""Steps at an effort of 1 for tables of some thousand records, about ten seconds if compiled."""
_MOST_EACH, _LEAST_EACH = 30_000, 400
"""Steps for each record that suffice for a small table, and those without which a large one is not helped."""
_MOST_PAIR = 50
"""Steps for each pair of records that suffice for a tiny table."""
_PLAIN_STEPS = 20_000
"""Steps that are taken uncompiled, in about a second, rather than wait for numba."""

EFFORT = Parameter(
    name="effort",
    type=float,
    default=1.0,
    minimum=0.0,
    meaning="how much is searched: 1 is about ten seconds for some thousand records, 2 twice as long; 0 only"
    " goes down to the nearest optimum",
)
SECONDS = Parameter(
    name="seconds",
    type=float,
    default=0.0,
    minimum=0.0,
    meaning="time after which the best classes so far are taken, which then depend on the machine; 0 sets no"
    " limit",
)


def steps_of(records: int, effort: float) -> int:
    """Return how many steps are taken: counts decide, so that every machine comes to the same.

    Example:
        >>> steps_of(4_000, 1.0), steps_of(100, 1.0), steps_of(100_000, 0.5)
        (30000000, 500000, 20000000)
    """
    enough = min(_STEPS, _MOST_EACH * records, _MOST_PAIR * records**2)
    return int(effort * max(enough, min(_LEAST_EACH * records, _MOST_PAIR * records**2)))


def anneal_kernel(steps: int, progress: Progress) -> Kernel:
    """Return the inner loops for so many steps, compiled where that pays and numba is there."""
    asked = os.environ.get(VARIABLE, "")
    if asked == "numpy" or (not asked and steps <= _PLAIN_STEPS) or find_spec("numba") is None:
        return Kernel()
    return _compiled(progress)


_COMPILED: list[Kernel] = []
"""The compiled kernel, which is made once in a process."""


def _compiled(progress: Progress) -> Kernel:
    if not _COMPILED:
        try:
            from qidguard_standard.anonymizers.clustering.compiled_annealing import compiled_kernel

            _COMPILED.append(compiled_kernel(progress))
        except (ImportError, RuntimeError):
            # RuntimeError: no folder can be written to that the machine code could be kept in
            _COMPILED.append(Kernel())
    return _COMPILED[0]


def annealed_classes(
    space: Space, rule: ClassRule, effort: Effort, progress: Progress, title: str
) -> Annealed:
    """Return classes that lose no more than MDAV's, in squares and in values that differ from the mode."""
    start = mdav_kernel(space.records, space.records, rule.wanted.k)(space, rule, progress, "first classes")
    kernel = anneal_kernel(effort.steps, progress)
    return Annealing(space, rule, start, effort, kernel, (progress, title)).run()


def until(seconds: float) -> float:
    """Return when, by the monotonic clock, so many seconds are over; 0 seconds are never over.

    Example:
        >>> until(0)
        inf
    """
    return time.monotonic() + seconds if seconds else np.inf


class Anneal(DrawsClassSizes):
    """Microaggregation by simulated annealing: the classes of MDAV, improved until little is to be gained.

    What is minimized is Σ over classes of Σ (x − mean)² over numbers, each in variances of its column, and of
    the members whose category is not the most frequent one, the squared error of what ``publish: means``
    shows. Steps move a record to a near class, exchange two records, dissolve a class or found one; one that
    adds δ is taken with probability exp(−δ / T). The table sets the temperatures: a quick cooling shows at
    which of them loss is saved, and the second one stays there. Few steps, as in
    ``blocks``, cool once and begin less hot. Between and after them single moves go down
    as far as they can. The best classes ever seen are taken, so that they never lose more than MDAV's.

    Every class has k persons at all times, without l and an entity column at most 2k − 1 records, and with l
    as many values of each sensitive attribute: what would break that is not done. A hierarchy tells near
    categories from far ones in MDAV's classes alone. ``distance: loss`` weighs columns as NCP does.

    The seed and the counts of ``effort`` decide everything: the same on every machine, with numba or without,
    where it takes some hundred times as long; ``seconds`` stops it before. Records with equal QIDs stand in
    the order of the table, which decides who shares a class. Memory grows with the records. Beyond 100,000
    use ``blocks``, since MDAV's time grows with the square.

    Literature: Kirkpatrick, Gelatt & Vecchi 1983, Optimization by simulated annealing, Science 220;
    Domingo-Ferrer & Torra 2005 for the start; Domingo-Ferrer & Mateo-Sanz 2002, Practical data-oriented
    microaggregation for statistical disclosure control, IEEE TKDE 14, for the loss and the sizes k to 2k − 1.
    """

    name: ClassVar[str] = "anneal"
    title: ClassVar[str] = "annealed microaggregation: centers of k to 2k − 1 records that lose least"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        K,
        L,
        EFFORT,
        SECONDS,
        replace(DISTANCE, choices=("squared", "loss")),
        *publish_parameters("means"),
    )

    def anonymize(self, records: Records, arguments: Arguments, task: AnonymizationTask) -> Anonymized:
        """Return every record, its QIDs published by class.

        Example:
            >>> Anneal().parameters[2].name
            'effort'
        """
        found: list[Annealed] = []

        def cluster(points: Space, rule: ClassRule) -> "NDArray[np.int64]":
            effort = Effort(
                steps=steps_of(points.records, arguments["effort"]),
                until=until(arguments["seconds"]),
                seed=(task.seed,),
            )
            found.append(annealed_classes(points, rule, effort, task.progress, self.name))
            return found[-1].classes

        done = clustered(records, arguments, task, cluster)
        return replace(done, notes=(*done.notes, *_notes(found)))


def _notes(parts: list[Annealed]) -> list[str]:
    notes = []
    before, after = sum(one.before for one in parts), sum(one.after for one in parts)
    if before > 0:
        notes.append(f"annealing cut the squared error of MDAV's classes by {1 - after / before:.1%}")
    done = min(one.done for one in parts)
    if done < 1:
        notes.append(
            f"the time was over after {done:.0%} of the steps: these are the best classes so far, and another"
            " machine may come to others; raise seconds or lower effort"
        )
    return notes
