"""The centers that lose least together: a seeded start, Lloyd's rounds and vertex substitution."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from qidguard_mo_obam.grid import GridColumn, Near, costs, own_centers
from qidguard_mo_obam.watch import UNWATCHED, Watch

if TYPE_CHECKING:
    from numpy.typing import NDArray

_TRIED = 4
_ROUNDS = 50
_LEAST_GAIN = 1e-9
_MOST_PROFITS = 2**23
"""Cells of the table of all swaps; above it nothing is substituted."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Medians:
    """Some centers and how far each row is from them.

    Args:
        centers: Shape (centers, columns), positions on the axes.
        to: Shape (rows,), the nearest center.
        nearest: The loss of each row under the nearest and under the second nearest center.
    """

    centers: "NDArray[np.int64]" = field(repr=False)
    to: "NDArray[np.int64]" = field(repr=False)
    nearest: "tuple[NDArray[np.float64], NDArray[np.float64]]" = field(repr=False)

    @property
    def loss(self) -> float:
        """What all rows lose."""
        return float(self.nearest[0].sum())


def medians_at(
    axes: tuple[GridColumn, ...],
    weights: "NDArray[np.int64]",
    centers: "NDArray[np.int64]",
    watch: Watch = UNWATCHED,
) -> Medians:
    """Return the nearest of some centers for each row, and the second nearest."""
    to = np.zeros(len(weights), dtype=np.int64)
    first, second = np.zeros(len(weights)), np.zeros(len(weights))
    step = max(1, 2**22 // len(centers))
    for start in range(0, len(weights), step):
        part = slice(start, start + step)
        table = costs(axes, weights, centers, part)
        to[part], first[part], second[part] = _two(table)
        watch.worked(table.size * (len(axes) + 2))
    return Medians(centers=centers, to=to, nearest=(first, second))


def _two(
    table: "NDArray[np.float64]",
) -> "tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]":
    """Return the place of the smallest value of each row, this value, and the second smallest."""
    rows = np.arange(len(table))
    place = table.argmin(axis=1)
    first = table[rows, place]
    if table.shape[1] == 1:
        return place, first, first
    table[rows, place] = np.inf
    second = table.min(axis=1)
    table[rows, place] = first
    return place, first, second


def seeded(
    axes: tuple[GridColumn, ...],
    weights: "NDArray[np.int64]",
    count: int,
    generator: np.random.Generator,
    watch: Watch = UNWATCHED,
) -> "NDArray[np.int64]":
    """Return up to ``count`` first centers: rows drawn by what they still lose, the best of a few each time.

    Fewer where nothing is lost any more. What is missing when the time is up is drawn at once.
    """
    own = own_centers(axes)
    chosen = [int(generator.choice(len(weights), p=weights / weights.sum()))]
    least = costs(axes, weights, own[chosen])[:, 0]
    for _ in range(count - 1):
        total = least.sum()
        if total <= 0:
            break
        if not watch.goes_on(2 * _TRIED * len(weights) * len(axes)):
            missing = min(count - len(chosen), int(np.count_nonzero(least)))
            chosen += generator.choice(len(weights), size=missing, replace=False, p=least / total).tolist()
            break
        tried = generator.choice(len(weights), size=_TRIED, p=least / total)
        left = np.minimum(least[:, None], costs(axes, weights, own[tried]))
        best = int(left.sum(axis=0).argmin())
        chosen.append(int(tried[best]))
        least = left[:, best]
    return own[chosen]


def recentered(
    axes: tuple[GridColumn, ...],
    weights: "NDArray[np.int64]",
    centers: "NDArray[np.int64]",
    to: "NDArray[np.int64]",
) -> "NDArray[np.int64]":
    """Return the best center of each cluster, column by column; that of an empty one stays."""
    new = centers.copy()
    used = np.bincount(to, minlength=len(centers)) > 0
    for at, axis in enumerate(axes):
        values = len(axis.cost)
        table = np.bincount(to * values + axis.place, weights=weights, minlength=len(centers) * values)
        best = (table.reshape(len(centers), values) @ axis.cost).argmin(axis=1)
        new[used, at] = best[used]
    return new


def lloyd(
    axes: tuple[GridColumn, ...],
    weights: "NDArray[np.int64]",
    centers: "NDArray[np.int64]",
    watch: Watch = UNWATCHED,
) -> Medians:
    """Return centers that are the best of the rows that are nearest to them, or those of a time limit."""
    found = medians_at(axes, weights, centers, watch)
    recentering = sum(len(weights) + axis.cost.size * len(centers) for axis in axes)
    for _ in range(_ROUNDS):
        new = recentered(axes, weights, found.centers, found.to)
        if np.array_equal(new, found.centers):
            break
        if not watch.goes_on(recentering):
            break
        found = medians_at(axes, weights, new, watch)
    return found


def substituted(
    axes: tuple[GridColumn, ...],
    weights: "NDArray[np.int64]",
    near: Near,
    start: Medians,
    watch: Watch = UNWATCHED,
) -> Medians:
    """Return centers of which none can be swapped for a near candidate with less loss.

    All swaps are weighed at once (Resende & Werneck 2007, from Whitaker 1983). Candidate f in, center r out:

        profit = Σ max(0, d₁ − d_f) − Σ_{φ₁ = r} (d₂ − d₁) + Σ_{φ₁ = r, d_f < d₂} (d₂ − max(d_f, d₁))

    where d₁ and d₂ are a row's losses under its nearest center φ₁ and the second nearest. A pair that is not
    near adds nothing, so a profit is never overstated. The best swap is made until none pays or the time is
    up. A single center is returned as it is, for Lloyd's is the best; so are centers whose swaps would fill
    the memory.
    """
    count, candidates = len(start.centers), len(near.centers)
    if count == 1 or count * candidates > _MOST_PROFITS or count * len(weights) > _MOST_PROFITS:
        return start
    centers = start.centers.copy()
    table = costs(axes, weights, centers)
    a_round = 2 * table.size + 3 * count * candidates + 4 * len(near.row)
    while True:
        to, first, second = _two(table)
        loss = np.bincount(to, weights=second - first, minlength=count)
        pairs = np.flatnonzero(near.cost < second[near.row])
        row, candidate, cost = near.row[pairs], near.candidate[pairs], near.cost[pairs]
        gain = np.bincount(candidate, weights=np.maximum(first[row] - cost, 0), minlength=candidates)
        profit = np.bincount(
            candidate * count + to[row],
            weights=second[row] - np.maximum(cost, first[row]),
            minlength=candidates * count,
        ).reshape(candidates, count)
        profit += gain[:, None]
        profit -= loss
        best = int(profit.argmax())
        if not profit.flat[best] > _LEAST_GAIN * first.sum():
            break
        if not watch.goes_on(a_round):
            break
        candidate_in, out = divmod(best, count)
        centers[out] = near.centers[candidate_in]
        table[:, out] = costs(axes, weights, centers[[out]])[:, 0]
    return Medians(centers=centers, to=to, nearest=(first, second))
