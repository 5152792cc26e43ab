"""The front of loss and entropy at a given number of clusters: annealing at several prices of a bit."""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import NotMeasurable, class_numbers
from qidguard_mo_obam.loss import centers_of, least_entropy
from qidguard_mo_obam.moves.annealing import AnnealedAssignment, Cooling, begin, bounded_moves, run
from qidguard_mo_obam.moves.limits import ClusterLimits
from qidguard_mo_obam.moves.work import Rule
from qidguard_mo_obam.problem import ClusteringProblem
from qidguard_mo_obam.watch import UNWATCHED, Watch

if TYPE_CHECKING:
    from numpy.typing import NDArray

_PRICES = np.geomspace(1e-3, 30.0, 18)
"""Prices of one bit of the sum of least entropies, in the deviation of the table."""
_MOVES_A_ROW, _FEWEST_MOVES, _MOST_MOVES = 200, 20_000, 200_000
_PARTS = 20_000
"""Rows that records are parted into, about."""
_COOLING = Cooling(hot=2.0, cold=0.002, price=1.0, last_price=1.0)
"""Temperatures in mean losses of a record."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Point:
    """A clustering of a front.

    Args:
        assignment: Shape (rows,), of the parted problem.
        loss: Its weighted loss, (10).
        entropy: (12), bits.
    """

    assignment: "NDArray[np.int64]" = field(repr=False)
    loss: float
    entropy: float


def parted_by_values(
    problem: ClusteringProblem, cluster: "NDArray[np.int64]"
) -> "tuple[ClusteringProblem, NDArray[np.int64]]":
    """Return rows of one combination, cluster and set of sensitive values, and the cluster of each row.

    Args:
        problem: The table.
        cluster: Shape (records,), the cluster of each record.
    """
    columns = [problem.combination, cluster]
    if problem.person is None:
        largest = max(1, len(cluster) // _PARTS)
        alike = class_numbers(np.stack([*columns, *problem.sensitive_codes], axis=1))
        order = np.argsort(alike, kind="stable")
        starts = np.concatenate(([0], np.cumsum(np.bincount(alike))))[:-1]
        rank = np.empty(len(alike), dtype=np.int64)
        rank[order] = np.arange(len(alike)) - starts[alike[order]]
        columns = [alike, rank // largest]
    row = class_numbers(np.stack(columns, axis=1))
    parted = problem.parted(row)
    of_row = np.zeros(parted.rows, dtype=np.int64)
    of_row[row] = cluster
    return parted, of_row


def front(
    problem: ClusteringProblem,
    start: "NDArray[np.int64]",
    limits: ClusterLimits,
    *,
    seed: int,
    watch: Watch = UNWATCHED,
    moves: int = 0,
) -> tuple[Point, ...]:
    """Return clusterings none of which is better in loss and entropy than another, least loss first.

    Their number of clusters is that of the start. From the start on, Σ loss − price · (12) is annealed at
    rising prices of a bit, each from where the last one ended, and then at falling ones. Of all states
    between two steps that keep the limits those are returned that none other dominates.

    Args:
        problem: The table; a row is moved as a whole, see ``parted_by_values``.
        start: Shape (rows,), the cluster of each row.
        limits: What every cluster has to keep.
        seed: Seeds the moves.
        watch: Hears of steps; when the time is up, what was met so far is taken.
        moves: Moves at each price; 0 decides by the number of rows.

    Raises:
        NotMeasurable: When no state that keeps the limits was met.

    Example:
        >>> from qidguard_mo_obam.example import four_persons
        >>> found = front(
        ...     four_persons(),
        ...     np.array([0, 1, 1]),
        ...     ClusterLimits(k=2),
        ...     seed=1,
        ...     moves=200,
        ... )
        >>> [(point.loss, point.entropy) for point in found]
        [(51.0, 0.0)]
    """
    moves = moves or bounded_moves(_MOVES_A_ROW * problem.rows, _FEWEST_MOVES, _MOST_MOVES)
    anneal = begin(problem, limits, seed, start, watch)
    met: list[Point] = []
    _meet(anneal, met)
    for price in (*_PRICES, *_PRICES[::-2]):
        if not watch.goes_on():
            break
        scale = max(anneal.state.loss, problem.deviation * 1e-6, 1e-9) / max(1, int(problem.records.sum()))
        rule = Rule(
            price=problem.deviation,
            gain=float(price) * problem.deviation,
            is_free=False,
            swaps=0.2,
            rebuilds=0.0,
            wide=0.3,
        )
        cooling = replace(_COOLING.of(scale), price=problem.deviation, last_price=problem.deviation)
        run(anneal, rule, cooling, moves, watch, "front", lambda: _meet(anneal, met))
    if not met:
        raise NotMeasurable(
            f"no assignment to {int(start.max()) + 1:,} clusters that keeps k and the limits of sensitive"
            " attributes was found; ask for fewer clusters, a smaller k or weaker limits"
        )
    return tuple(
        Point(
            assignment=point.assignment,
            loss=float(centers_of(problem, point.assignment).losses.sum()),
            entropy=least_entropy(problem, point.assignment),
        )
        for point in sorted(met, key=lambda one: one.loss)
    )


def _meet(anneal: AnnealedAssignment, met: list[Point]) -> None:
    """Keep the present state if it keeps all limits and no kept one is as good in both."""
    if anneal.state.lack > 0.0:
        return
    loss, entropy = anneal.state.loss, float(anneal.work.low[:, 0].sum())
    if any(one.loss <= loss and one.entropy >= entropy for one in met):
        return
    met[:] = [one for one in met if one.loss < loss or one.entropy > entropy]
    met.append(Point(assignment=anneal.state.cluster.copy(), loss=loss, entropy=entropy))
