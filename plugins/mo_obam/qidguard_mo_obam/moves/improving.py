"""Solutions by moves: the number of clusters free, or those of p-median under further limits."""

import numpy as np

from qidguard_mo_obam.asked import OptimizationRequest, most_clusters
from qidguard_mo_obam.loss import centers_of
from qidguard_mo_obam.moves.annealing import annealed
from qidguard_mo_obam.moves.blocks import annealed_in_blocks
from qidguard_mo_obam.moves.limits import ClusterLimits
from qidguard_mo_obam.problem import ClusteringProblem
from qidguard_mo_obam.solving import Solved, require_different, solved
from qidguard_mo_obam.watch import Watch


def improved(
    problem: ClusteringProblem, asked: OptimizationRequest, limits: ClusterLimits, seed: int, watch: Watch
) -> Solved:
    """Return the best clusters that were found and keep k and the limits of sensitive attributes.

    With n_C free they are annealed from rows that are closed greedily. At a given n_C they start from the
    clusters of least loss; those that miss a limit are closed first, unless there have to be n_C of them.
    """
    most_clusters(asked, problem)
    if not asked.n_c:
        assignment = annealed_in_blocks(problem, limits, seed=seed, watch=watch)
        return _solution(problem, assignment, 0.0, 1, watch)
    base = solved(problem, asked, seed, watch)
    if not limits.missed(base.problem, base.assignment).any():
        return base
    assignment = annealed(
        base.problem,
        limits,
        seed=seed,
        watch=watch,
        start=base.assignment,
        may_close=not asked.is_exact,
    )
    require_different(base.problem, assignment, asked)
    return _solution(base.problem, assignment, base.bound, base.starts + 1, watch)


def _solution(
    problem: ClusteringProblem,
    assignment: "np.ndarray[tuple[int], np.dtype[np.int64]]",
    bound: float,
    starts: int,
    watch: Watch,
) -> Solved:
    return Solved(
        problem=problem,
        assignment=assignment,
        loss=float(centers_of(problem, assignment).losses.sum()),
        bound=bound,
        starts=starts,
        is_cut=watch.is_cut,
    )
