"""At most n_C clusters of combinations with little loss, and how far from the least this can be."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from qidguard_mo_obam.bound import MOST_PAIRS, bound_by_parts, radius_of, relaxed_on, safe
from qidguard_mo_obam.grid import GridColumn, axes_of, near_pairs, own_centers, sampled_pairs
from qidguard_mo_obam.loss import centers_of
from qidguard_mo_obam.median import Medians, lloyd, seeded, substituted
from qidguard_mo_obam.problem import ClusteringProblem
from qidguard_mo_obam.watch import UNWATCHED, Watch

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FAR = 0.5
"""A gap at which parts of the columns are bounded as well."""
_CLOSE = 1e-3
"""A gap at which no more is tried."""
_SHAKEN = 0.15
"""Share of the centers that are drawn anew between two searches."""
_MOST_SEEDED = 16
_SEEDED_CENTERS = 256
"""Centers seeded for one search, in sets of which the best goes on: few centers end up anywhere."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Clusters:
    """Clusters of combinations.

    Args:
        assignment: Shape (rows,), the cluster of each row, all of 0..clusters − 1.
        loss: Their weighted loss, (10).
        bound: No table of at most so many clusters loses less, proven; ≥ 0.
        starts: How many searches were made.
        others: Further assignments that were met, better ones first.
    """

    assignment: "NDArray[np.int64]" = field(repr=False)
    loss: float
    bound: float
    starts: int
    others: "tuple[NDArray[np.int64], ...]" = field(default=(), repr=False)

    @property
    def count(self) -> int:
        """Number of clusters."""
        return int(self.assignment.max(initial=-1)) + 1


def clusters_of(
    problem: ClusteringProblem,
    wanted: int,
    watch: Watch = UNWATCHED,
    *,
    seed: int,
    starts: int,
    bounded: int | None = None,
) -> Clusters:
    """Return at most ``wanted`` clusters of the rows, without regard to k, and a proven bound of their loss.

    Published centers are rounded means and modes. So the best clusters are those of the best set of
    publishable centers, each row at its nearest: a weighted p-median over a grid. It is searched by vertex
    substitution from seeded starts, from the centers that the Lagrangian bound opens, and from the best with
    some centers drawn anew, until the gap is at most .1 percent or all searches are made. Where the grid is
    too large for memory, drawn rows take the place of its candidates.

    The bound is a lower bound of the loss of every table that at most ``wanted`` clusters can publish: the
    record of every such table is published as some center, for which the grid has a candidate that costs no
    more in any column (``axes_of``); choosing candidates and serving each record by one of them is what the
    relaxation bounds from below for any multipliers (``relaxed``). Demands on clusters, such as k or their
    entropy, and records of one combination in several clusters only raise what it bounds, or leave it.
    Where the grid is too large, parts of the columns are bounded and added up as well; the larger counts.

    Args:
        problem: The table.
        wanted: Most clusters, ≥ 1; with as many as rows nothing is lost.
        watch: Hears of each search; when the time is up, the best so far is returned.
        seed: Decides everything that is drawn.
        starts: Most searches, ≥ 1.
        bounded: For how many clusters the bound holds; None is ``wanted``.
    """
    weights, count = problem.records, bounded or wanted
    if wanted >= problem.rows:
        return Clusters(assignment=np.arange(problem.rows), loss=0.0, bound=0.0, starts=0)
    watch.step("searching clusters", 0, starts)
    generator = np.random.default_rng(seed)
    axes, below = axes_of(problem, below=False), axes_of(problem, below=True)
    best = lloyd(axes, weights, seeded(axes, weights, wanted, generator, watch), watch)
    near = near_pairs(axes, weights, radius_of(weights, best), MOST_PAIRS, watch)
    best = best if near is None else substituted(axes, weights, near, best, watch)
    watch.step("searching clusters: bound", 1, starts)
    bound, opened = _bound(below, weights, count, best, generator, watch) if watch.goes_on() else (0.0, None)
    found = [best]
    made = 1
    while made < starts and best.loss - bound > _CLOSE * bound and watch.goes_on():
        if near is None:
            base = best
            if made % 3 == 0:
                base = lloyd(axes, weights, _shaken(axes, weights, best, generator), watch)
            elif made % 3 == 1:
                base = _best_seeded(axes, weights, wanted, generator, watch)
            drawn = sampled_pairs(axes, weights, radius_of(weights, base), generator)
            one = lloyd(axes, weights, substituted(axes, weights, drawn, base, watch).centers, watch)
        else:
            if made == 1 and opened is not None and is_same_grid(axes, below):
                centers = opened[:wanted]
            elif made % 2:
                centers = seeded(axes, weights, wanted, generator, watch)
            else:
                centers = _shaken(axes, weights, best, generator)
            one = substituted(axes, weights, near, lloyd(axes, weights, centers, watch), watch)
        found.append(one)
        best = min(best, one, key=lambda medians: medians.loss)
        made += 1
        watch.step("searching clusters", made, starts)
    watch.step("searching clusters", starts, starts)
    ordered = sorted(found, key=lambda medians: medians.loss)
    answers = [settled(medians.to) for medians in ordered]
    assignment = min(answers, key=lambda one: float(centers_of(problem, one).losses.sum()))
    return Clusters(
        assignment=assignment,
        loss=float(centers_of(problem, assignment).losses.sum()),
        bound=bound,
        starts=made,
        others=tuple(one for one in answers if one is not assignment),
    )


def _bound(
    below: tuple[GridColumn, ...],
    weights: "NDArray[np.int64]",
    count: int,
    best: Medians,
    generator: np.random.Generator,
    watch: Watch,
) -> "tuple[float, NDArray[np.int64] | None]":
    """Return the larger of the bounds, and the centers that the one on all columns opens."""
    relaxation = relaxed_on(below, weights, count, best, watch)
    bound = 0.0 if relaxation is None else safe(relaxation.bound)
    if best.loss - bound > _FAR * bound:
        bound = max(bound, bound_by_parts(below, weights, count, generator, watch))
    return bound, None if relaxation is None else relaxation.opened


def is_same_grid(axes: tuple[GridColumn, ...], below: tuple[GridColumn, ...]) -> bool:
    """Return whether both grids have the same candidates at the same positions."""
    return all(a.candidates == b.candidates for a, b in zip(axes, below, strict=True))


def _best_seeded(
    axes: tuple[GridColumn, ...],
    weights: "NDArray[np.int64]",
    count: int,
    generator: np.random.Generator,
    watch: Watch,
) -> Medians:
    """Return the best of some sets of seeded centers, after Lloyd's rounds."""
    sets = min(_MOST_SEEDED, max(1, _SEEDED_CENTERS // count))
    found = (lloyd(axes, weights, seeded(axes, weights, count, generator, watch), watch) for _ in range(sets))
    return min(found, key=lambda medians: medians.loss)


def _shaken(
    axes: tuple[GridColumn, ...],
    weights: "NDArray[np.int64]",
    best: Medians,
    generator: np.random.Generator,
) -> "NDArray[np.int64]":
    """Return the best centers, some of them replaced by rows that lose much."""
    lost = best.nearest[0]
    count = max(2, round(_SHAKEN * len(best.centers)))
    if lost.sum() <= 0:
        return best.centers
    drawn = generator.choice(len(weights), size=count, p=lost / lost.sum())
    kept = generator.permutation(len(best.centers))[: max(0, len(best.centers) - count)]
    return np.concatenate([best.centers[kept], own_centers(axes)[drawn]])[: len(best.centers)]


def settled(assignment: "NDArray[np.int64]") -> "NDArray[np.int64]":
    """Return the same clusters numbered by their first rows, without empty ones."""
    _, first, place = np.unique(assignment, return_index=True, return_inverse=True)
    number = np.empty(len(first), dtype=np.int64)
    number[np.argsort(first, kind="stable")] = np.arange(len(first))
    return number[place.reshape(-1)]
