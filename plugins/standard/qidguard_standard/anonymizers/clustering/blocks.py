"""Clustering of large tables: Mondrian cuts them into blocks, and each block is clustered by itself."""

import os
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from qidguard.sdk import (
    AnonymizationTask,
    Anonymized,
    Arguments,
    ColumnValues,
    NotMeasurable,
    Parameter,
    Progress,
    Records,
    class_numbers,
)
from qidguard_standard.anonymizers.clustering.anneal import (
    EFFORT,
    SECONDS,
    anneal_kernel,
    annealed_classes,
    until,
)
from qidguard_standard.anonymizers.clustering.annealing import Effort
from qidguard_standard.anonymizers.clustering.axis import axis
from qidguard_standard.anonymizers.clustering.classes import ClassRule, members
from qidguard_standard.anonymizers.clustering.k_member import Growth, ground, k_member_classes
from qidguard_standard.anonymizers.clustering.mdav import GAIN, mdav_kernel, v_mdav_classes
from qidguard_standard.anonymizers.clustering.mondrian import Cuts
from qidguard_standard.anonymizers.clustering.partitioned import (
    DrawsClassSizes,
    Inside,
    by_part,
    classed,
    publish_parameters,
)
from qidguard_standard.anonymizers.clustering.space import DISTANCE, Space, space
from qidguard_standard.anonymizers.clustering.wanted import K, L

if TYPE_CHECKING:
    from numpy.typing import NDArray


def alike(codes: "NDArray[np.int32]", rule: ClassRule) -> "tuple[NDArray[np.int64], NDArray[np.int64]]":
    """Return the classes of records that are one as they are, and the other records.

    Example:
        >>> from qidguard_standard.anonymizers.clustering.wanted import Wanted
        >>> found, rest = alike(np.array([[1], [2], [1], [3]], dtype=np.int32), ClassRule(wanted=Wanted(k=2)))
        >>> found.tolist(), rest.tolist()
        ([0, -1, 0, -1], [1, 3])
    """
    number = class_numbers(codes)
    keeps = rule.keeps(number, int(number.max(initial=-1)) + 1)
    place = np.where(keeps, np.cumsum(keeps) - 1, -1)
    rest = np.flatnonzero(~keeps[number])
    if len(rest) and not rule.of(rest).keeps(np.zeros(len(rest), dtype=np.int64), 1)[0]:
        return np.full(len(number), -1), np.arange(len(number))
    return place[number], rest


def over_blocks(
    blocks: "NDArray[np.int64]",
    rule: ClassRule,
    inside: Inside,
    progress: Progress,
    title: str,
) -> "NDArray[np.int64]":
    """Return the class of each point, formed block by block.

    Shape (points,), numbered from 0, block after block.
    """
    by_block = members(blocks)
    parts = np.split(by_block.order, by_block.starts[1:])
    found: list[NDArray[np.int64] | None] = [None] * len(parts)
    progress.step(title, 0, len(parts))
    with ThreadPoolExecutor(
        max_workers=os.process_cpu_count() if hasattr(os, "process_cpu_count") else None
    ) as pool:
        work = {pool.submit(inside, part, rule.of(part)): at for at, part in enumerate(parts)}
        try:
            for done, future in enumerate(as_completed(work), start=1):
                found[work[future]] = future.result()
                progress.step(title, done, len(parts))
        except BaseException:
            # whoever stopped this waits for the blocks that are begun and no others
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    classes, count = np.empty(len(blocks), dtype=np.int64), 0
    for part, own in zip(parts, found, strict=True):
        if own is not None:
            classes[part] = own + count
            count += int(own.max()) + 1
    return classes


_LOOK_AHEAD = 4
_LARGEST = 1.5
"""Blocks are cut down to this many times their size; a cut in the middle leaves three quarters of it."""


class Blocks(DrawsClassSizes):
    """Blocks of near records by Mondrian's cuts, and inside each MDAV, V-MDAV, annealing or k-member.

    Records that agree in all QIDs and keep k and l among themselves are a class as they are, and lose
    nothing; in a large table these are most. The others are cut into blocks.

    The time of these methods grows with the square of the records; in blocks it grows with the records, at
    the price of the classes that cross the edge of a block. Distances have the scale of the whole table.
    Blocks are worked on side by side, and the result does not depend on how many at a time.

    Literature: LeFevre, DeWitt & Ramakrishnan 2006 for the blocks; the inner methods as their own.
    """

    name: ClassVar[str] = "blocks"
    is_first_choice: ClassVar[bool] = True
    title: ClassVar[str] = "blocks by Mondrian, a finer method inside: for a million records and beyond"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        K,
        L,
        Parameter(
            name="inside",
            type=str,
            default="mdav",
            choices=("mdav", "v_mdav", "anneal", "k_member"),
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
        replace(EFFORT, meaning="for anneal: how much is searched; 1 is 400 steps for each record"),
        replace(SECONDS, meaning=f"for anneal: {SECONDS.meaning}"),
        replace(DISTANCE, default="loss"),
        *publish_parameters("sets"),
    )

    def anonymize(self, records: Records, arguments: Arguments, task: AnonymizationTask) -> Anonymized:
        """Return every record, its QIDs published by class."""

        def classes(columns: tuple[ColumnValues, ...], rule: ClassRule) -> "NDArray[np.int64]":
            size = max(arguments["block_size"], 3 * rule.wanted.k)
            points = space(columns, task, arguments["distance"])
            by_point = rule.of(points.order)
            codes = np.stack([column.codes[points.order] for column in columns], axis=1)
            found, rest = alike(codes, by_point)
            if len(rest):
                left, left_points = by_point.of(rest), points.of(rest)
                cuts = Cuts(
                    rule=left,
                    axes=tuple(
                        axis(column, task.suppression_mark).at(points.order[rest]) for column in columns
                    ),
                    look_ahead=_LOOK_AHEAD,
                    open_above=int(_LARGEST * size),
                    least_half=size // 4,
                )
                blocks = cuts.partition(task.progress, "cutting blocks")
                inside = _inside(left_points, arguments, task)
                own = over_blocks(
                    blocks,
                    left,
                    lambda block, rule: by_part(
                        left_points.of(block), rule, lambda rows, one: inside(block[rows], one)
                    ),
                    task.progress,
                    self.name,
                )
                found[rest] = own + int(found.max(initial=-1)) + 1
            return points.by_record(found)

        return classed(records, arguments, task, classes)


def _inside(points: Space, arguments: Arguments, task: AnonymizationTask) -> Inside:
    """Return the method inside a block; its own progress is not told, the blocks are."""
    method = arguments["inside"]
    if method == "k_member":
        every = ground(points)
        return lambda of, rule: k_member_classes(
            every.at(of), Growth(rule=rule), task.seed, _NO_PROGRESS, method
        )
    if method == "v_mdav":
        return lambda of, rule: v_mdav_classes(points.of(of), rule, arguments["gain"], _NO_PROGRESS, method)
    if method == "anneal":
        return _annealed(points, arguments, task)
    sizes = min(points.records, arguments["block_size"])

    def mdav(of: "NDArray[np.int64]", rule: ClassRule) -> "NDArray[np.int64]":
        return mdav_kernel(points.records, sizes, rule.wanted.k)(points.of(of), rule, _NO_PROGRESS, method)

    return mdav


_STEPS_EACH = 400
"""Steps of annealing for each record at an effort of 1."""


def _annealed(points: Space, arguments: Arguments, task: AnonymizationTask) -> Inside:
    """Return annealing inside a block, seeded by where the block is."""
    if arguments["distance"] == "absolute":
        raise NotMeasurable("anneal works on squares; set distance to squared or loss")
    effort, over = arguments["effort"] * _STEPS_EACH, until(arguments["seconds"])
    anneal_kernel(
        int(effort * points.records), task.progress
    )  # made before the blocks are, which say nothing

    def anneal(of: "NDArray[np.int64]", rule: ClassRule) -> "NDArray[np.int64]":
        one = Effort(steps=int(effort * len(of)), until=over, seed=(task.seed, int(of[0])))
        return annealed_classes(points.of(of), rule, one, _NO_PROGRESS, "anneal").classes

    return anneal


class _NoProgress:
    """Hears nothing."""

    def step(self, title: str, done: int, total: int) -> None:
        """Do nothing."""


_NO_PROGRESS = _NoProgress()
