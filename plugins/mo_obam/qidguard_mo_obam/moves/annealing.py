"""Annealing of an assignment by moves that see loss and limits; the number of clusters free or not."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import NotMeasurable
from qidguard_mo_obam.moves.compiled import USES_NUMBA
from qidguard_mo_obam.moves.limits import ClusterLimits
from qidguard_mo_obam.moves.moving import work_on
from qidguard_mo_obam.moves.state import UNITS, Given, State, opened
from qidguard_mo_obam.moves.units import given_of
from qidguard_mo_obam.moves.work import MoveWork, Rule, begun
from qidguard_mo_obam.problem import ClusteringProblem
from qidguard_mo_obam.watch import UNWATCHED, Watch

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MOVES_A_ROW, _FEWEST_MOVES, _MOST_MOVES = 2_000, 200_000, 8_000_000
_NOT_COMPILED = 100
"""Without numba a move takes some hundred times as long, so that fewer are tried."""
_STEPS, _FEWEST_STEP, _STEP, _COMPILED_STEP = 100, 5, 1_000, 100_000
_AT_ONCE, _COMPILED_AT_ONCE = 10, 500
"""Clusters that are closed between two steps of progress."""
_ROOM = (16, 1.5)
"""Clusters for which there is room, beside those with which the moves begin, and as a multiple of them."""
PREPARING = "preparing moves (compiled at first use, up to half a minute)"
_SWAPS, _REBUILDS = 0.1, 0.04
_FEW, _RESTARTS = 64, 4
"""Of so few rows single moves decide much, so that there are several starts, which cost little."""


@dataclass(frozen=True, kw_only=True)
class Cooling:
    """Temperatures and the price of a limit that is missed altogether, at first and at last."""

    hot: float
    cold: float
    price: float
    last_price: float

    def of(self, scale: float) -> "Cooling":
        """Return the same in the unit of the loss."""
        return Cooling(
            hot=self.hot * scale,
            cold=self.cold * scale,
            price=self.price * scale,
            last_price=self.last_price * scale,
        )


_COOLING = Cooling(hot=0.3, cold=0.001, price=20.0, last_price=200.0)
_FEW_COOLING = Cooling(hot=3.0, cold=0.001, price=1.0, last_price=20.0)
_BRIEF, _BRIEF_COOLING, _BRIEF_REBUILDS = 100, replace(_COOLING, hot=0.01), 0.1
"""Of so few moves a row none are left to climb: it begins colder and rebuilds more clusters at once.

Temperatures are in mean losses of a cluster.
"""


def moves_for(rows: int) -> int:
    """Return the moves to try for so many rows where nobody says; the same number gives the same result."""
    return bounded_moves(_MOVES_A_ROW * rows, _FEWEST_MOVES, _MOST_MOVES)


def bounded_moves(moves: int, fewest: int, most: int) -> int:
    """Return a number of moves within bounds; a hundredth of it where they are not compiled."""
    moves = min(most, max(fewest, moves))
    return moves if USES_NUMBA else moves // _NOT_COMPILED


@dataclass(kw_only=True, eq=False)
class AnnealedAssignment:
    """An assignment that is improved, and the best that was met and keeps all limits."""

    given: Given
    state: State
    work: MoveWork
    best: "NDArray[np.int64] | None" = field(default=None)
    best_loss: float = float("inf")

    def look(self) -> None:
        """Keep what there is if it keeps all limits and loses less than what was kept."""
        if self.state.lack == 0.0 and self.state.loss < self.best_loss:
            self.best, self.best_loss = self.state.cluster.copy(), self.state.loss


def annealed(
    problem: ClusteringProblem,
    limits: ClusterLimits,
    *,
    seed: int,
    watch: Watch = UNWATCHED,
    start: "NDArray[np.int64] | None" = None,
    may_close: bool = False,
    moves: int = 0,
    whole: ClusteringProblem | None = None,
) -> "NDArray[np.int64]":
    """Return the assignment of the least loss that was met among those that keep all limits.

    Without a start the number of clusters is free: every row begins as a cluster, those that miss a limit are
    closed, the smallest first and each row into the cluster that it costs least to join, and then rows move,
    swap, and clusters are dissolved, split and gathered anew. With a start its number of clusters stays.

    A move that adds Δ to the loss is kept with probability exp(−Δ/T), T falling in even ratios (Metropolis et
    al. 1953, Kirkpatrick et al. 1983). What decides is seed and number of moves; a time limit gives the best
    so far. The state holds what ``state.Given`` and ``state.State`` list: 16 + numeric + categorical numbers
    a row, and for each cluster one count a category and a sensitive value; nothing of size rows × rows.

    Args:
        problem: The table; a row is moved as a whole.
        limits: What every cluster has to keep.
        seed: Seeds the moves.
        watch: Hears of steps; when the time is up, the best so far is taken.
        start: Shape (rows,), the cluster of each row; None lets the number of clusters free.
        may_close: Whether clusters of the start that miss a limit are closed first.
        moves: Moves to try; 0 decides by the number of rows.
        whole: The table that the problem is a part of, whose shares and variances count.

    Returns:
        Shape (rows,), clusters numbered from 0 without a gap.

    Raises:
        NotMeasurable: When not even one cluster of all records keeps the limits, or no assignment that does
            was met with the clusters of ``start``.

    Of no rows it is empty. A single row is one cluster.

    Example:
        >>> from qidguard_mo_obam.example import four_persons
        >>> annealed(four_persons(), ClusterLimits(k=2), seed=1, moves=100).tolist()
        [0, 1, 1]
    """
    if problem.rows == 0:
        return np.zeros(0, dtype=np.int64)
    moves = moves or moves_for(problem.rows)
    is_small = problem.rows <= _FEW
    is_brief = not is_small and moves < _BRIEF * problem.rows
    cooling = _FEW_COOLING if is_small else _BRIEF_COOLING if is_brief else _COOLING
    rebuilds = _BRIEF_REBUILDS if is_brief else _REBUILDS
    best, least, clusters = None, float("inf"), 0
    starts = _RESTARTS if is_small else 1
    for again in range(starts):
        if again and not watch.goes_on():
            break
        anneal = begin(problem, limits, seed + again, start, watch, may_close=may_close, whole=whole)
        clusters = int((anneal.state.sizes[:, UNITS] > 0).sum())
        scale = max(anneal.state.loss, problem.deviation * 1e-9, 1e-9) / max(1, clusters)
        rule = Rule(price=scale, gain=0.0, is_free=start is None, swaps=_SWAPS, rebuilds=rebuilds)
        run(anneal, rule, cooling.of(scale), -(-moves // starts), watch, "annealing")
        if rule.is_free and anneal.state.lack > 0.0:
            # outliers may lose more than a missed limit costs, and only what keeps all limits is taken
            work_on(anneal.given, anneal.state, anneal.work, _CLOSING, _NONE, len(anneal.state.sizes), 1.0)
            anneal.look()
        if anneal.best is not None and anneal.best_loss < least:
            best, least = anneal.best, anneal.best_loss
    if best is None:
        until = " within the time limit" if watch.is_cut else ""
        raise NotMeasurable(
            f"no assignment to {clusters:,} clusters that keeps k and the limits of sensitive attributes was"
            f" found{until}; ask for fewer clusters, a smaller k or weaker limits"
        )
    return np.unique(best, return_inverse=True)[1].reshape(-1).astype(np.int64)


def begin(
    problem: ClusteringProblem,
    limits: ClusterLimits,
    seed: int,
    start: "NDArray[np.int64] | None",
    watch: Watch,
    *,
    may_close: bool = False,
    whole: ClusteringProblem | None = None,
) -> AnnealedAssignment:
    """Return the start, or without one clusters that keep the limits, none closed without need."""
    watch.step(PREPARING, 0, 1)
    given = given_of(problem, limits, whole, watch)
    every = np.arange(problem.rows) if start is None else np.unique(start, return_inverse=True)[1].reshape(-1)
    state = opened(given, int(every.max()) + 1)
    anneal = AnnealedAssignment(given=given, state=state, work=begun(state, seed, len(problem.sensitive)))
    moves = len(state.sizes) if start is None or may_close else 0
    work_on(given, state, anneal.work, _CLOSING, every.astype(np.int64), 0, 1.0)
    watch.step(PREPARING, 1, 1)
    each = _COMPILED_AT_ONCE if USES_NUMBA else _AT_ONCE
    for first in range(0, moves, each):
        watch.step("closing clusters", first, moves)
        closed = work_on(given, state, anneal.work, _CLOSING, _NONE, each, 1.0)
        if closed < 0:
            raise NotMeasurable(
                "not even one cluster of all records keeps k and the limits of sensitive attributes; ask for"
                " a smaller k or weaker limits"
            )
        if closed < each:
            break
    watch.step("closing clusters", moves, moves)
    if start is None:
        _close_up(anneal)
    anneal.look()
    return anneal


def _close_up(anneal: AnnealedAssignment) -> None:
    """Let the clusters that are left stand side by side, with some room: what is small is near in memory."""
    cluster = np.unique(anneal.state.cluster, return_inverse=True)[1].reshape(-1).astype(np.int64)
    room = min(len(anneal.state.sizes), _ROOM[0] + int(_ROOM[1] * (1 + cluster.max())))
    random = anneal.work.random
    anneal.state = opened(anneal.given, room)
    anneal.work = begun(anneal.state, 0, len(anneal.work.low))
    anneal.work.random[:] = random
    work_on(anneal.given, anneal.state, anneal.work, _CLOSING, cluster, 0, 1.0)


_CLOSING = Rule(price=0.0, gain=0.0, is_free=True, swaps=0.0, rebuilds=1.0, is_closing=True)
_NONE = np.zeros(0, dtype=np.int64)


def run(
    anneal: AnnealedAssignment,
    rule: Rule,
    cooling: Cooling,
    moves: int,
    watch: Watch,
    title: str,
    each: Callable[[], None] | None = None,
) -> None:
    """Cool an assignment down; between steps the user may interrupt, and ``each`` is called."""
    steps = max(
        1, min(moves // _FEWEST_STEP + 1, max(_STEPS, moves // (_COMPILED_STEP if USES_NUMBA else _STEP)))
    )
    watch.step(title, 0, steps)
    for step in range(steps):
        if step and not watch.goes_on():
            break
        done = step / max(1, steps - 1)
        temperature = cooling.hot * (cooling.cold / cooling.hot) ** done
        now = rule._replace(price=cooling.price * (cooling.last_price / cooling.price) ** done)
        count = moves * (step + 1) // steps - moves * step // steps
        work_on(anneal.given, anneal.state, anneal.work, now, _NONE, count, temperature)
        (each or anneal.look)()
        watch.step(title, step + 1, steps)
    watch.step(title, steps, steps)
