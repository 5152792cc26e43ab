"""Large tables in blocks: cut along the axis of largest spread, each block annealed by itself."""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from queue import SimpleQueue
from typing import TYPE_CHECKING

import numpy as np

from qidguard_mo_obam.moves.annealing import PREPARING, Effort, annealed
from qidguard_mo_obam.moves.limits import ClusterLimits
from qidguard_mo_obam.problem import Problem
from qidguard_mo_obam.watch import Watch

if TYPE_CHECKING:
    from numpy.typing import NDArray

LARGEST_WHOLE = 5_000
"""Rows that are annealed at once; of more, blocks are made."""
_BLOCK = 1_200
"""Most rows of a block."""
_TOLD = 8
"""Blocks of which every step is told; of more, fewer are."""
_MOVES, _FEWEST, _MOST = 8_000_000, 16, 1_000
"""Moves over all blocks, and the fewest and most of them a row."""


def annealed_in_blocks(
    problem: Problem,
    limits: ClusterLimits,
    *,
    seed: int,
    watch: Watch | None = None,
    effort: Effort | None = None,
    block: int = _BLOCK,
) -> "NDArray[np.int64]":
    """Return an assignment with the number of clusters free, formed block by block.

    The rows are cut in two halves along the column that loses most, until no part has more than ``block``
    rows; each part is annealed by itself (``annealed``). No cluster crosses the edge of a block, which is
    what it costs. Time grows with the rows; a block holds what ``annealed`` does for its rows alone, and one
    a processor is worked on at a time, which changes nothing in the result. Where a block cannot keep the
    limits by itself, it is joined with the next.

    Args:
        problem: The table; a row is moved as a whole.
        limits: What every cluster has to keep; distances from the table's shares are of the whole table.
        seed: Seeds the moves of each block.
        watch: Hears of blocks; when the time is up, each block takes its best so far.
        effort: Moves in all.
        block: Most rows of a block.
    """
    parts = _joined(problem, limits, blocks_of(problem, block))
    effort, watch = effort or Effort(), watch or Watch()
    moves = effort.moves or min(_MOST * problem.rows, max(_FEWEST * problem.rows, _MOVES))
    found = np.zeros(problem.rows, dtype=np.int64)
    watch.step(PREPARING, 0, 1)
    told: SimpleQueue[bool] = SimpleQueue()
    inside = watch.beside(_Told(told))

    def work(at: int) -> "NDArray[np.int64]":
        own = Effort(moves=max(1, moves * len(parts[at]) // problem.rows))
        try:
            return annealed(
                _part(problem, parts[at]), limits, seed=seed + at, watch=inside, effort=own, whole=problem
            )
        finally:
            told.put(True)

    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        try:
            waiting = [pool.submit(work, at) for at in range(len(parts))]
            _hear(told, len(parts), watch)
            results = [one.result() for one in waiting]
        except BaseException:
            inside.stop()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    watch.is_cut |= inside.is_cut
    count = 0
    for rows, assignment in zip(parts, results, strict=True):
        found[rows] = assignment + count
        count += int(assignment.max()) + 1
    return found


def _hear(told: "SimpleQueue[bool]", blocks: int, watch: Watch) -> None:
    """Tell progress of the blocks until all of them have ended."""
    ended = heard = 0
    each = max(1, blocks // _TOLD)
    while ended < blocks:
        ended += told.get()
        heard += 1
        if heard == 1:
            watch.step(PREPARING, 1, 1)
        if heard % each == 0:
            watch.step("blocks", ended, blocks)
    watch.step("blocks", blocks, blocks)


def blocks_of(problem: Problem, block: int) -> "list[NDArray[np.int64]]":
    """Return the rows of each block, neighbors after one another."""
    waiting, done = [np.arange(problem.rows)], []
    while waiting:
        rows = waiting.pop()
        if len(rows) <= block:
            done.append(rows)
            continue
        order = rows[np.argsort(_axis(problem, rows), kind="stable")]
        waiting += [order[len(order) // 2 :], order[: len(order) // 2]]
    return done


def _axis(problem: Problem, rows: "NDArray[np.int64]") -> "NDArray[np.float64] | NDArray[np.int64]":
    """Return the column along which these rows lose most when they are published as one."""
    records = problem.records[rows]
    best, axis = -1.0, np.zeros(len(rows))
    for at, weight in enumerate(problem.number_weight):
        numbers = np.where(problem.known[rows, at], problem.numbers[rows, at], problem.means[at])
        mean = float(np.average(numbers, weights=records))
        lost = float(weight * ((numbers - mean) ** 2 * records).sum())
        if lost > best:
            best, axis = lost, numbers
    for at, weight in enumerate(problem.code_weight):
        codes = problem.codes[rows, at]
        lost = float(weight * (records.sum() - np.bincount(codes, weights=records).max()))
        if lost > best:
            best, axis = lost, codes
    return axis


def _part(problem: Problem, rows: "NDArray[np.int64]") -> Problem:
    return replace(
        problem,
        combination=np.arange(len(rows)),
        records=problem.records[rows],
        persons=problem.persons[rows],
        numbers=problem.numbers[rows],
        codes=problem.codes[rows],
        sensitive=tuple(table[rows] for table in problem.sensitive),
        sensitive_codes=(),
        person=None,
    )


def _joined(
    problem: Problem, limits: ClusterLimits, parts: "list[NDArray[np.int64]]"
) -> "list[NDArray[np.int64]]":
    """Return the blocks, those that miss a limit as one cluster joined with their neighbor."""
    joined: list[NDArray[np.int64]] = []
    for part in parts:
        joined.append(part)
        while len(joined) > 1 and not (
            _keeps(problem, limits, joined[-1]) and _keeps(problem, limits, joined[-2])
        ):
            last = joined.pop()
            joined[-1] = np.concatenate([joined[-1], last])
    return joined


def _keeps(problem: Problem, limits: ClusterLimits, rows: "NDArray[np.int64]") -> bool:
    tables = [table[rows].sum(axis=0)[None, :] for table in problem.sensitive]
    return not limits.missed_by(problem.persons[rows].sum()[None], tables, problem.totals).any()


class _Told:
    """Hears steps inside of blocks, which another thread counts; what they are called does not matter."""

    def __init__(self, told: "SimpleQueue[bool]") -> None:
        """Note where the other thread listens."""
        self._told = told

    def step(self, title: str, done: int, total: int) -> None:  # noqa: ARG002 - what ``Progress`` has
        """Say that some block, which has not ended, did a step."""
        self._told.put(False)
