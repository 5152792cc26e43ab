"""Several solutions of one run: the front of loss and entropy, and the one that objective (18) takes."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import AnonymizationTask, Anonymized, Direction, Solution, SolutionFigure, Solutions
from qidguard_mo_obam.asked import OptimizationRequest
from qidguard_mo_obam.loss import information_loss, most_entropy
from qidguard_mo_obam.moves.limits import ClusterLimits
from qidguard_mo_obam.problem import ClusteringProblem, counted_in, weighed
from qidguard_mo_obam.solving import Solved, differ, improved, require_different
from qidguard_mo_obam.watch import Watch

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qidguard_mo_obam.moves.front import Point

_MOST = 40
"""Solutions that are returned beside those that some λ takes; of more the nearest to others are left out."""
_AT_RISK = 20
"""Persons of a cluster below which the risk of linkage is above τ = .05."""

FIGURES = (
    SolutionFigure(
        name="information_loss",
        title="information loss, raw units",
        direction=Direction.LOWER_IS_SAFER,
    ),
    SolutionFigure(
        name="least_entropies",
        title="sum of least entropies, bits",
        direction=Direction.HIGHER_IS_SAFER,
    ),
    SolutionFigure(
        name="at_risk_of_linkage",
        title="persons in clusters below 20 persons",
        direction=Direction.LOWER_IS_SAFER,
    ),
    SolutionFigure(
        name="homogeneous",
        title="records in clusters where a sensitive attribute has one value",
        direction=Direction.LOWER_IS_SAFER,
    ),
    SolutionFigure(name="clusters", title="clusters", direction=Direction.NEITHER),
)


def weighed_against_entropy(
    problem: ClusteringProblem,
    asked: OptimizationRequest,
    limits: ClusterLimits,
    task: AnonymizationTask,
    publish: Callable[[Solved], Anonymized],
    watch: Watch,
) -> Anonymized | Solutions:
    """Return the clusters that minimize objective (18) at λ among those of the front, or the whole front.

    (18) is (1 − MIN(IL) / IL) − λ · (12) / MAX((12)); MIN(IL) is the least loss that was found at this n_C
    and k, and MAX((12)) its proven bound, the table's entropies.
    """
    # numba takes its time to load, and only moves use it
    from qidguard_mo_obam.moves.front import front, parted_by_values

    base = improved(problem, asked, limits, task.seed, watch)
    parted, start = parted_by_values(problem, base.assignment[base.problem.combination])
    points = front(parted, start, limits, seed=task.seed, watch=watch)
    base = replace(base, is_cut=watch.is_cut)
    apart = tuple(one for one in points if differ(parted, one.assignment, asked))
    if not apart:
        require_different(parted, points[0].assignment, asked)
    points = apart
    chosen = _least(points, asked.weight, most_entropy(problem))
    if not task.wants_several:
        return publish(_solved(parted, base, points[chosen]))
    kept = _spread(points, {chosen, *supported(points, most_entropy(problem))})
    return Solutions(
        solutions=tuple(
            Solution(
                label=f"{int(points[at].assignment.max()) + 1} clusters, point {at + 1} of {len(points)}",
                anonymized=publish(_solved(parted, base, points[at])),
                figures=_figures(parted, points[at]),
            )
            for at in kept
        ),
        chosen=kept.index(chosen),
        figures=FIGURES,
    )


def _solved(parted: ClusteringProblem, base: Solved, point: "Point") -> Solved:
    return replace(base, problem=parted, assignment=point.assignment, loss=point.loss)


def _least(points: "tuple[Point, ...]", weight: float, most: float) -> int:
    """Return the position of the least objective (18), of equal ones the least loss."""
    least = points[0].loss
    objective = [
        (1.0 - least / point.loss if point.loss > 0 else 0.0) - weight * point.entropy / max(most, 1e-300)
        for point in points
    ]
    return int(np.argmin(objective))


def supported(points: "tuple[Point, ...]", most: float) -> list[int]:
    """Return the positions of the points that objective (18) takes at some λ ≥ 0, least loss first.

    They are the corners of the convex hull of both parts of (18).
    """
    least, scale = points[0].loss, max(most, 1e-300)
    part = [(1.0 - least / one.loss if one.loss > 0 else 0.0, one.entropy / scale) for one in points]
    corners: list[int] = []
    for at, (loss, entropy) in enumerate(part):
        while len(corners) > 1:
            (before, low), (last, high) = part[corners[-2]], part[corners[-1]]
            if (high - low) * (loss - last) > (entropy - high) * (last - before):
                break
            corners.pop()
        corners.append(at)
    return corners


def _spread(points: "tuple[Point, ...]", needed: set[int]) -> list[int]:
    """Return the positions of points that stand apart, at most so many beside those that are needed."""
    losses = np.array([point.loss for point in points])
    entropy = np.array([point.entropy for point in points])
    along = np.append(0.0, np.hypot(_scaled(losses), _scaled(entropy)).cumsum())
    wanted = np.linspace(0.0, along[-1], min(_MOST - 1, len(points)))
    return sorted({*needed, *np.searchsorted(along, wanted).clip(0, len(points) - 1).tolist()})


def _scaled(values: "NDArray[np.float64]") -> "NDArray[np.float64]":
    steps: NDArray[np.float64] = np.diff(values) / max(float(np.ptp(values)), 1e-300)
    return steps


def _figures(problem: ClusteringProblem, point: "Point") -> dict[str, float]:
    clusters = int(point.assignment.max()) + 1
    persons = np.bincount(point.assignment, weights=problem.persons, minlength=clusters)
    records = np.bincount(point.assignment, weights=problem.records, minlength=clusters)
    alike = np.zeros(clusters, dtype=np.bool_)
    for table in problem.sensitive:
        alike |= (counted_in(table, point.assignment, clusters) > 0).sum(axis=1) <= 1
    return {
        "information_loss": information_loss(weighed(problem, "raw"), point.assignment),
        "least_entropies": point.entropy,
        "at_risk_of_linkage": float(persons[persons < _AT_RISK].sum()),
        "homogeneous": float(records[alike].sum()),
        "clusters": float(clusters),
    }
