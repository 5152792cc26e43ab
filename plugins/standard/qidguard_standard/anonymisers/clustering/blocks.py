"""Blocks: Mondrian first, then a finer method inside each, for a million records and beyond."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from qidguard import Anonymised, Arguments, Parameter, Records, Task
from qidguard_standard.anonymisers.clustering.alike import alike
from qidguard_standard.anonymisers.clustering.axis import axis
from qidguard_standard.anonymisers.clustering.block_work import over_blocks
from qidguard_standard.anonymisers.clustering.classes import ClassRule, class_rule
from qidguard_standard.anonymisers.clustering.cuts import Cuts
from qidguard_standard.anonymisers.clustering.hull import ground
from qidguard_standard.anonymisers.clustering.k_member_classes import Growth, k_member_classes
from qidguard_standard.anonymisers.clustering.mdav_kernel import mdav_kernel
from qidguard_standard.anonymisers.clustering.partitioned import (
    changed_columns,
    partitioned,
    publish_parameter,
)
from qidguard_standard.anonymisers.clustering.space import DISTANCE, Space, space
from qidguard_standard.anonymisers.clustering.v_mdav import GAIN
from qidguard_standard.anonymisers.clustering.v_mdav_classes import v_mdav_classes
from qidguard_standard.anonymisers.clustering.wanted import K, L, wanted

if TYPE_CHECKING:
    from numpy.typing import NDArray

Inside = Callable[["NDArray[np.int64]", ClassRule], "NDArray[np.int64]"]
"""Gives the points of one block their classes."""

_LOOK_AHEAD = 4
_LARGEST = 1.5
"""Blocks are cut down to this many times their size; a cut in the middle leaves three quarters of it."""


class Blocks:
    """Blocks of near records by Mondrian's cuts, and inside each MDAV, V-MDAV or k-member clustering.

    Records that agree in all QIDs and keep k and l among themselves are a class as they are, and lose
    nothing; in a large table these are most. The others are cut into blocks.

    The time of these methods grows with the square of the records; in blocks it grows with the records, at
    the price of the classes that cross the edge of a block. Distances have the scale of the whole table.
    Blocks are worked on side by side, and the result does not depend on how many at a time.

    Literature: LeFevre, DeWitt & Ramakrishnan 2006 for the blocks; the inner methods as their own.

    Example:
        >>> Blocks().name
        'blocks'
    """

    name: ClassVar[str] = "blocks"
    title: ClassVar[str] = "blocks by Mondrian, a finer method inside: for a million records and beyond"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        K,
        L,
        Parameter(
            name="inside",
            type=str,
            default="mdav",
            choices=("mdav", "v_mdav", "k_member"),
            meaning="the method inside each block",
        ),
        Parameter(
            name="block_size",
            type=int,
            default=4000,
            minimum=1,
            meaning="records of a block, about; larger blocks lose less and take longer",
        ),
        GAIN,
        replace(DISTANCE, default="loss"),
        publish_parameter("sets"),
    )

    def anonymize(self, records: Records, arguments: Arguments, task: Task) -> Anonymised:
        """Return every record, its QIDs published by class.

        Args:
            records: The table.
            arguments: ``k``, persons; ``l``, values; ``inside``; ``block_size``, records; ``gain`` for
                V-MDAV; ``distance``; ``publish``.
            task: Combinations, entity, sensitive attributes, limits, hierarchies and seed.

        Returns:
            What is published, over all QIDs together, which keeps k and l for every combination.

        Units:
            None.

        Raises:
            NotMeasurable: When neither argument nor policy says k, or the table has fewer persons, or too few
                sensitive values.

        Example:
            >>> [parameter.name for parameter in Blocks().parameters]
            ['k', 'l', 'inside', 'block_size', 'gain', 'distance', 'publish']
        """
        asked = wanted(arguments, task)
        columns = changed_columns(records, task)
        rule = class_rule(records, asked, task, asked.sensitive)
        size = max(arguments["block_size"], 3 * asked.k)
        points = space(columns, task, arguments["distance"])
        codes = np.stack([column.codes[points.order] for column in columns], axis=1)
        by_point = rule.of(points.order)
        found, rest = alike(codes, by_point)
        if len(rest):
            left = by_point.of(rest)
            cuts = Cuts(
                rule=left,
                axes=tuple(axis(column).at(points.order[rest]) for column in columns),
                look_ahead=_LOOK_AHEAD,
                open_above=int(_LARGEST * size),
                least_half=size // 4,
            )
            blocks = cuts.partition(task.progress, "cutting blocks")
            inside = _inside(points.of(rest), arguments, task)
            own = over_blocks(blocks, left, inside, task.progress, self.name)
            found[rest] = own + int(found.max(initial=-1)) + 1
        classes = np.empty_like(found)
        classes[points.order] = found
        return partitioned(records, columns, classes, rule, task, arguments["publish"])


def _inside(points: Space, arguments: Arguments, task: Task) -> Inside:
    """Return the method inside a block; its own progress is not told, the blocks are."""
    method = arguments["inside"]
    if method == "k_member":
        every = ground(points)
        return lambda of, rule: k_member_classes(every.at(of), Growth(rule=rule), task.seed, _DEAF, method)
    if method == "v_mdav":
        return lambda of, rule: v_mdav_classes(points.of(of), rule, arguments["gain"], _DEAF, method)
    sizes = min(points.records, arguments["block_size"])

    def mdav(of: "NDArray[np.int64]", rule: ClassRule) -> "NDArray[np.int64]":
        return mdav_kernel(points.records, sizes, rule.wanted.k)(points.of(of), rule, _DEAF, method)

    return mdav


class _Deaf:
    """Hears nothing."""

    def step(self, title: str, done: int, total: int) -> None:
        """Do nothing."""


_DEAF = _Deaf()
