"""Large tables in blocks: cut along the axis of largest spread, each block annealed by itself."""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from queue import SimpleQueue
from typing import TYPE_CHECKING

import numpy as np

from qidguard_mo_obam.loss import centers_of
from qidguard_mo_obam.moves.annealing import PREPARING, annealed, bounded_moves, moves_for
from qidguard_mo_obam.moves.limits import ClusterLimits
from qidguard_mo_obam.moves.near import parts_of
from qidguard_mo_obam.problem import ClusteringProblem
from qidguard_mo_obam.watch import UNWATCHED, Watch

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BLOCK = 10_000
"""Most rows that are annealed at once; of more, blocks are made."""
_WORST, _FEWEST_WORST = 1 / 8, 64
"""Share of the rows, and the fewest of them, that are taken out of the clusters that lose most."""
_WORST_MOVES = 300_000
"""Moves for these that suffice; no fewer than twice as many a row as before, if these are more."""
_TOLD = 8
"""Blocks of which every step is told; of more, fewer are."""
_MOVES, _FEWEST, _MOST = 8_000_000, 16, 1_000
"""Moves over all blocks, and the fewest and most of them a row."""


def annealed_in_blocks(
    problem: ClusteringProblem,
    limits: ClusterLimits,
    *,
    seed: int,
    watch: Watch = UNWATCHED,
    moves: int = 0,
    block: int = _BLOCK,
) -> "NDArray[np.int64]":
    """Return an assignment with the number of clusters free, formed block by block.

    The rows are cut in two halves along the column that loses most, until no part has more than ``block``
    rows; each part is annealed by itself (``annealed``). No cluster crosses the edge of a block, which costs
    most where rows are far from others; and among clusters that lose little, those that lose much are too
    cold to move. So the clusters that lose most a record, with an eighth of the rows, are taken out, cut and
    annealed anew, of these again an eighth, and so on to a few. What does not lose less stays as it was.

    Time grows with the rows; a block holds what ``annealed`` does for its rows alone, and one a processor is
    worked on at a time, which changes nothing in the result. Where a block cannot keep the limits by itself,
    it is joined with the next.

    Args:
        problem: The table; a row is moved as a whole.
        limits: What every cluster has to keep; distances from the table's shares are of the whole table.
        seed: Seeds the moves of each block.
        watch: Hears of blocks; when the time is up, each block takes its best so far.
        moves: Moves in all, those of rows that are taken out left out; 0 decides by the number of rows.
        block: Most rows of a block.
    """
    moves = moves or moves_in_blocks(problem.rows)
    best = _in_blocks(problem, limits, np.arange(problem.rows), moves, seed, watch, block)
    losses, most = centers_of(problem, best).losses, problem.rows
    while most > _FEWEST_WORST and watch.goes_on():
        share = max(_FEWEST_WORST, int(most * _WORST))
        most = block if share < block < most else share
        rows = _worst(problem, best, losses, most)
        again = min(_WORST_MOVES, moves_for(len(rows)))
        again = max(again, 2 * moves * len(rows) // problem.rows)
        seed += problem.rows
        other = best.copy()
        other[rows] = problem.rows + _in_blocks(problem, limits, rows, again, seed, watch, block)
        other = np.unique(other, return_inverse=True)[1].reshape(-1)
        after = centers_of(problem, other).losses
        if float(after.sum()) < float(losses.sum()):
            best, losses = other, after
    return best


def moves_in_blocks(rows: int) -> int:
    """Return the moves to try over all blocks of so many rows."""
    if rows <= _BLOCK:
        return moves_for(rows)
    return bounded_moves(_MOVES, _FEWEST * rows, _MOST * rows)


def _worst(
    problem: ClusteringProblem, assignment: "NDArray[np.int64]", losses: "NDArray[np.float64]", most: int
) -> "NDArray[np.int64]":
    """Return the rows of the clusters that lose most a record, at most so many beside the first cluster."""
    order = np.argsort(-losses / np.bincount(assignment, weights=problem.records), kind="stable")
    rows = np.bincount(assignment)[order].cumsum()
    worst = order[: max(1, int(np.searchsorted(rows, most, side="right")))]
    return np.flatnonzero(np.isin(assignment, worst))


def _in_blocks(
    problem: ClusteringProblem,
    limits: ClusterLimits,
    rows: "NDArray[np.int64]",
    moves: int,
    seed: int,
    watch: Watch,
    block: int,
) -> "NDArray[np.int64]":
    """Return the clusters of some rows that keep the limits together, numbered from 0."""
    parts = _joined(problem, limits, parts_of(problem, rows, block))
    found = np.zeros(problem.rows, dtype=np.int64)
    watch.step(PREPARING, 0, 1)
    told: SimpleQueue[bool] = SimpleQueue()
    inside = watch.beside(_ToldSteps(told))

    def work(at: int) -> "NDArray[np.int64]":
        own = max(1, moves * len(parts[at]) // len(rows))
        try:
            return annealed(
                _part(problem, parts[at]), limits, seed=seed + at, watch=inside, moves=own, whole=problem
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
    for part, assignment in zip(parts, results, strict=True):
        found[part] = assignment + count
        count += int(assignment.max()) + 1
    return found[rows]


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


def _part(problem: ClusteringProblem, rows: "NDArray[np.int64]") -> ClusteringProblem:
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
    problem: ClusteringProblem, limits: ClusterLimits, parts: "list[NDArray[np.int64]]"
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


def _keeps(problem: ClusteringProblem, limits: ClusterLimits, rows: "NDArray[np.int64]") -> bool:
    tables = [table[rows].sum(axis=0)[None, :] for table in problem.sensitive]
    return not limits.missed_by(problem.persons[rows].sum()[None], tables, problem.totals).any()


class _ToldSteps:
    """Hears steps inside of blocks, which another thread counts; what they are called does not matter."""

    def __init__(self, told: "SimpleQueue[bool]") -> None:
        """Note where the other thread listens."""
        self._told = told

    def step(self, title: str, done: int, total: int) -> None:  # noqa: ARG002 - what ``Progress`` has
        """Say that some block, which has not ended, did a step."""
        self._told.put(False)
