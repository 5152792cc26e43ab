"""The clusters that are published: those of least loss, and with at least k persons in each."""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import NotMeasurable
from qidguard_mo_obam.asked import OptimizationRequest, most_clusters
from qidguard_mo_obam.bound import MOST_PAIRS, radius_of, relaxed, safe
from qidguard_mo_obam.clusters import Clusters, clusters_of, is_same_grid, settled
from qidguard_mo_obam.grid import GridColumn, axes_of, filled_pairs, near_pairs, own_centers
from qidguard_mo_obam.loss import centers_of
from qidguard_mo_obam.median import lloyd, medians_at, recentered, seeded, substituted
from qidguard_mo_obam.moves.limits import ClusterLimits
from qidguard_mo_obam.problem import ClusteringProblem
from qidguard_mo_obam.sized import Sized, put, shares_of, sized
from qidguard_mo_obam.watch import Watch

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MOST_FLOWS = 2**24
"""Pairs of a kind of persons and a cluster between which a flow is sought."""
_ANEW = 1
"""Centers that are drawn anew from the best."""
_CLOSE = 1e-3
"""A gap at which no more is tried."""
_MET = 4
"""Sets of centers that the bound opens and that are tried."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Solved:
    """A solution.

    Args:
        problem: The table, its rows parted where one is in several clusters.
        assignment: Shape (rows,), the cluster of each row, all of 0..clusters − 1.
        loss: Its weighted loss, (10).
        bound: No table with at most n_C clusters loses less, proven; 0 where nothing is.
        starts: How many searches were made.
        is_cut: Whether the time limit ended them.
    """

    problem: ClusteringProblem = field(repr=False)
    assignment: "NDArray[np.int64]" = field(repr=False)
    loss: float
    bound: float
    starts: int
    is_cut: bool


def improved(
    problem: ClusteringProblem, asked: OptimizationRequest, limits: ClusterLimits, seed: int, watch: Watch
) -> Solved:
    """Return the best clusters that were found and keep k and the limits of sensitive attributes.

    With n_C free they are annealed from rows that are closed greedily. At a given n_C they are the clusters
    of least loss, or start from them; those that miss a limit are closed first, unless there have to be n_C
    of them.
    """
    if asked.n_c:
        base = solved(problem, asked, seed, watch)
        if not limits.sensitive or not limits.missed(base.problem, base.assignment).any():
            return base
        # numba takes its time to load, and only moves use it
        from qidguard_mo_obam.moves.annealing import annealed

        may_close, start = not asked.is_exact, base.assignment
        assignment = annealed(base.problem, limits, seed=seed, watch=watch, start=start, may_close=may_close)
        require_different(base.problem, assignment, asked)
        return _solution(base.problem, assignment, watch, base.bound, base.starts + 1)
    from qidguard_mo_obam.moves.blocks import annealed_in_blocks

    most_clusters(asked, problem)
    assignment = annealed_in_blocks(problem, limits, seed=seed, watch=watch)
    return _solution(problem, assignment, watch, bound=0.0, starts=1)


def solved(problem: ClusteringProblem, asked: OptimizationRequest, seed: int, watch: Watch) -> Solved:
    """Return the best clusters that were found, every one with at least k persons.

    Without regard to k first (``clusters_of``), which is the answer where every cluster has k persons. Else
    centers and the cheapest flow of persons to them in turns (``sized``), from all centers that were met,
    from those that the bound with k opens, from new ones and from the best with one drawn anew; then records
    of one combination may be in several clusters.

    The bound is that of clusters without k, or with k where that is larger.
    """
    wanted = most_clusters(asked, problem)
    # a person who is counted at one row may stand in clusters beside it, so k sets no proven limit there
    bounded = wanted if problem.person is None else min(asked.n_c or problem.rows, problem.rows)
    found = clusters_of(problem, wanted, watch, seed=seed, starts=asked.starts, bounded=bounded)
    if asked.is_exact and found.count < asked.n_c:
        found = replace(found, assignment=_divided(found.assignment, asked.n_c), others=())
    fits = [one for one in (found.assignment, *found.others) if _least(problem, one) >= asked.k]
    if found.assignment is (fits[0] if fits else None) and differ(problem, found.assignment, asked):
        return _solution(problem, found.assignment, watch, found.bound, found.starts)
    shares = shares_of(problem)
    if len(shares.row) * found.count > _MOST_FLOWS:
        raise NotMeasurable(
            f"{found.count:,} clusters of {len(shares.row):,} combinations are too many to be filled to"
            f" k = {asked.k} at once; lower n_c, or leave it out"
        )
    done = _filled(problem, asked, wanted, found, seed, watch)
    require_different(done.problem, done.assignment, asked)
    return done


def _filled(
    problem: ClusteringProblem,
    asked: OptimizationRequest,
    wanted: int,
    found: Clusters,
    seed: int,
    watch: Watch,
) -> Solved:
    """Return clusters filled to k, from every start in turn, and the bound for ``wanted`` clusters.

    Where n_C clusters are asked for exactly, those come first whose centers all differ.
    """
    k = asked.k

    def rank(one: Sized) -> tuple[bool, float]:
        are_apart = one.loss < np.inf and (not asked.is_exact or differ(*put(problem, one.flow), asked))
        return not are_apart, one.loss

    watch.step("filling clusters", 0, asked.starts)
    axes, weights, shares = axes_of(problem, below=False), problem.records, shares_of(problem)
    generator = np.random.default_rng((seed, k))
    first = [_centers(axes, problem, found.assignment)]
    best = sized(axes, shares, first[0], k, watch=watch)
    watch.step("filling clusters: bound", 1, asked.starts)
    bound, opened = 0.0, list["NDArray[np.int64]"]()
    if watch.goes_on():
        bound, opened = _bound_with_k(problem, axes, best, k, wanted, watch)
    first += opened + [_centers(axes, problem, one) for one in found.others]
    radius = radius_of(weights, medians_at(axes, weights, best.centers, watch))
    near = near_pairs(axes, weights, radius, MOST_PAIRS, watch)
    starts = 1
    while starts < asked.starts and rank(best) > (False, (1 + _CLOSE) * bound) and watch.goes_on():
        if starts < len(first):
            centers = first[starts]
        elif starts % 2 and near is not None:
            drawn = lloyd(axes, weights, seeded(axes, weights, found.count, generator, watch), watch)
            centers = substituted(axes, weights, near, drawn, watch).centers
        else:
            centers = _altered(axes, weights, best, generator)
        one = sized(axes, shares, centers, k, best.loss, watch)
        best = min(best, one, key=rank)
        starts += 1
        watch.step("filling clusters", starts, asked.starts)
    watch.step("filling clusters", asked.starts, asked.starts)
    parted, assignment = put(problem, best.flow)
    return _solution(parted, settled(assignment), watch, max(bound, found.bound), found.starts + starts)


def _bound_with_k(
    problem: ClusteringProblem, axes: tuple[GridColumn, ...], reached: Sized, k: int, count: int, watch: Watch
) -> "tuple[float, list[NDArray[np.int64]]]":
    """Return a lower bound of ``count`` clusters of k persons, and the centers that it opens, the best first.

    Only where each record is a person: someone with several records may fill more than one cluster.
    """
    if problem.person is not None:
        return 0.0, []
    below, weights = axes_of(problem, below=True), problem.records
    around = medians_at(axes, weights, reached.centers, watch)
    radius = radius_of(weights, around)
    near = near_pairs(below, weights, radius, MOST_PAIRS, watch)
    if near is None:
        return 0.0, []
    near = filled_pairs(near, below, weights, problem.persons, k, watch)
    done = relaxed(
        near,
        radius * weights,
        count,
        reached.loss,
        around.nearest,
        fill=(k, problem.persons),
        watch=watch,
    )
    if not is_same_grid(axes, below):
        return safe(done.bound), []
    return safe(done.bound), [one for one in (done.opened, *done.others[:_MET]) if len(one) == count]


def _altered(
    axes: tuple[GridColumn, ...],
    weights: "NDArray[np.int64]",
    best: Sized,
    generator: np.random.Generator,
) -> "NDArray[np.int64]":
    """Return the best centers with a few of them replaced by rows that lose much."""
    centers = best.centers.copy()
    lost = medians_at(axes, weights, centers).nearest[0]
    if lost.sum() > 0:
        count = min(_ANEW, len(centers))
        rows = generator.choice(len(weights), size=count, p=lost / lost.sum())
        centers[generator.permutation(len(centers))[:count]] = own_centers(axes)[rows]
    return centers


def _centers(
    axes: tuple[GridColumn, ...], problem: ClusteringProblem, assignment: "NDArray[np.int64]"
) -> "NDArray[np.int64]":
    """Return the positions of the centers of an assignment."""
    blank = np.zeros((int(assignment.max()) + 1, len(axes)), dtype=np.int64)
    return recentered(axes, problem.records, blank, assignment)


def _divided(assignment: "NDArray[np.int64]", count: int) -> "NDArray[np.int64]":
    """Return as many clusters, rows of the largest ones by themselves: that loses no more."""
    divided = assignment.copy()
    for new in range(int(assignment.max()) + 1, count):
        largest = int(np.bincount(divided).argmax())
        divided[np.flatnonzero(divided == largest)[-1]] = new
    return divided


def _least(problem: ClusteringProblem, assignment: "NDArray[np.int64]") -> int:
    """Return the persons of the smallest cluster."""
    return int(np.bincount(assignment, weights=problem.persons).min())


def _solution(
    problem: ClusteringProblem,
    assignment: "NDArray[np.int64]",
    watch: Watch,
    bound: float,
    starts: int,
) -> Solved:
    return Solved(
        problem=problem,
        assignment=assignment,
        loss=float(centers_of(problem, assignment).losses.sum()),
        bound=bound,
        starts=starts,
        is_cut=watch.is_cut,
    )


def differ(problem: ClusteringProblem, assignment: "NDArray[np.int64]", asked: OptimizationRequest) -> bool:
    """Return whether there are n_C centers that all differ; True where they are not asked for exactly."""
    if not asked.is_exact:
        return True
    centers = centers_of(problem, assignment)
    is_null = np.isnan(centers.numbers)
    shown = np.column_stack([np.where(is_null, 0.0, centers.numbers) + 0.0, is_null, centers.codes])
    return len(np.unique(shown, axis=0)) == asked.n_c


def require_different(
    problem: ClusteringProblem, assignment: "NDArray[np.int64]", asked: OptimizationRequest
) -> None:
    """Raise NotMeasurable where two clusters would be published alike and so be one class."""
    if not differ(problem, assignment, asked):
        raise NotMeasurable(
            f"{asked.n_c} clusters of k = {asked.k} whose centers all differ were not found, and clusters"
            " with equal centers are published as one class; lower n_c or k, or leave exactly out"
        )
