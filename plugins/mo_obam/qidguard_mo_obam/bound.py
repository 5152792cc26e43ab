"""A proven lower bound of the loss of at most n_C clusters, by the Lagrangian relaxation of the p-median."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import class_numbers
from qidguard_mo_obam.grid import GridColumn, Near, near_pairs
from qidguard_mo_obam.median import Medians, lloyd, seeded, substituted
from qidguard_mo_obam.watch import UNWATCHED, Watch

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_PAIRS = 2**20
"""Pairs of a row and a candidate that are weighed, some 50 MB."""
_SHARES = (1.0, 0.6)
"""How far pairs reach, of how far they should."""
_SAFE = 1.0 - 1e-9
"""Sums of floating-point numbers differ in their last digits."""
_MOST_WORK = 2**24
"""Rows times centers of a part that is bounded."""
_STEPS = 600
_PATIENCE = 20
"""Steps without a better bound after which they get half as long."""
_SHORTEST = 0.005
_MET = 64
"""Sets of open candidates that are kept."""
_FILLED = 8
"""Candidates that are filled to k persons at each step, for each that is opened."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Relaxed:
    """What subgradient steps came to.

    Args:
        bound: The largest lower bound, ≥ 0.
        opened: Shape (centers, columns), those that were open where the bound is largest.
        others: Those that were open at some steps before, the last first.
    """

    bound: float
    opened: "NDArray[np.int64]" = field(repr=False)
    others: "tuple[NDArray[np.int64], ...]" = field(default=(), repr=False)


def relaxed(
    near: Near,
    complete: "NDArray[np.float64]",
    count: int,
    reached: float,
    nearest: "tuple[NDArray[np.float64], NDArray[np.float64]]",
    *,
    fill: "tuple[int, NDArray[np.int64]] | None" = None,
    watch: Watch = UNWATCHED,
) -> Relaxed:
    """Return a lower bound of the loss of any ``count`` centers, by Held & Karp's subgradient steps.

    Let each row i be served by exactly one center, and relax that with a multiplier v_i. What is left falls
    apart by candidates: opening j saves ρ_j = Σ_i min(0, d_ij − v_i), and the best is to open the ``count``
    ones that save most. So for every v, Σ v_i + Σ of the smallest ρ_j is at most the loss of every choice of
    at most ``count`` centers and every assignment to them, whatever else these have to keep, and also where
    the records of a row are served by several centers: the relaxation is linear in them. Pairs that are not
    in ``near`` cost at least ``complete``; v_i stays at or below it, so they would save nothing.

    Where every center has to serve k persons, an open candidate takes those that cost least beside the ones
    that save, until there are k (the last in part, persons beyond the near ones for nothing), which is the
    cheapest there is: so ρ_j is larger and the bound too. It is taken for the candidates that save most; of
    the others the plain ρ_j is a lower bound of it.

    Steps are Polyak's, (reached − bound) / ‖g‖² · g in a metric where a row counts by the distance between
    its two nearest centers: multipliers of rows with many records have to go further.

    Args:
        near: The near pairs.
        complete: Shape (rows,), up to which cost the pairs of each row are complete.
        count: Number of centers, ≥ 1.
        reached: A loss that some centers reach.
        nearest: The loss of each row under the nearest and under the second nearest of these.
        fill: k, and the persons of each row, shape (rows,): all its records have to be persons.
        watch: Hears of steps; when the time is up, the best bound so far is returned.
    """
    first, second = nearest
    v = np.minimum((first + second) / 2, complete)
    metric = second - first + 0.1 * first.mean() + 1e-12
    starts = np.flatnonzero(np.append(True, near.candidate[1:] != near.candidate[:-1]))
    sizes = np.diff(starts, append=len(near.candidate))
    count = min(count, len(starts))
    best, best_v, opened = -np.inf, v, np.arange(count)
    met: list[NDArray[np.int64]] = []
    pace, waited = 1.5, 0
    for _ in range(_STEPS):
        saved = np.minimum(near.cost - v[near.row], 0.0)
        rho = np.add.reduceat(saved, starts)
        taken = None
        if fill is not None:
            few = np.argpartition(rho, min(_FILLED * count, len(rho)) - 1)[: _FILLED * count]
            pairs = _pairs(starts, sizes, few)
            rho[few], part = _filled(near, v, pairs, sizes[few], fill)
            taken = np.zeros(len(saved))
            taken[pairs] = part
            rho = np.minimum(rho, 0.0)
        chosen = np.argpartition(rho, count - 1)[:count]
        bound = float(v.sum() + rho[chosen].sum())
        waited = 0 if bound > best + 1e-5 * reached else waited + 1
        if bound > best:
            met.append(opened)
            best, best_v, opened = bound, v, chosen[rho[chosen] < 0]
        if not watch.goes_on(len(saved) * (4 if fill is None else 12)):
            break
        if waited >= _PATIENCE:
            pace, waited, v = pace / 2, 0, best_v
            if pace < _SHORTEST:
                break
            continue
        pairs = _pairs(starts, sizes, chosen[rho[chosen] < 0])
        weight = (saved[pairs] < 0).astype(np.float64) if taken is None else taken[pairs]
        served = np.bincount(near.row[pairs], weights=weight, minlength=len(v))
        slope = 1.0 - served
        step = metric * slope
        steep = float(slope @ step)
        if steep == 0 or bound >= reached:
            break
        v = np.clip(v + pace * (reached - bound) / steep * step, 0.0, complete)
    return Relaxed(
        bound=max(best, 0.0),
        opened=near.centers[near.candidate[starts[opened]]],
        others=tuple(near.centers[near.candidate[starts[one]]] for one in met[: -_MET - 1 : -1]),
    )


def _pairs(
    starts: "NDArray[np.int64]", sizes: "NDArray[np.int64]", candidates: "NDArray[np.int64]"
) -> "NDArray[np.int64]":
    """Return the positions of all pairs of some candidates, one after the other."""
    held = sizes[candidates]
    within = np.arange(held.sum()) - np.repeat(np.cumsum(held) - held, held)
    pairs: NDArray[np.int64] = np.repeat(starts[candidates], held) + within
    return pairs


def _filled(
    near: Near,
    v: "NDArray[np.float64]",
    pairs: "NDArray[np.int64]",
    sizes: "NDArray[np.int64]",
    fill: "tuple[int, NDArray[np.int64]]",
) -> "tuple[NDArray[np.float64], NDArray[np.float64]]":
    """Return what each candidate saves when it serves k persons or more, and the share it takes of a pair."""
    k, persons = fill
    owner = np.repeat(np.arange(len(sizes)), sizes)
    row = near.row[pairs]
    whole = near.cost[pairs] - v[row]
    held = persons[row]
    order = np.lexsort((whole / held, owner))
    cumulated = np.cumsum(held[order])
    ends = np.cumsum(sizes)
    before = np.concatenate([[0], cumulated])[np.repeat(ends - sizes, sizes)]
    missing = k - (cumulated - held[order] - before)
    share = np.where(whole[order] < 0, 1.0, np.clip(missing / held[order], 0.0, 1.0))
    rho = np.bincount(owner, weights=whole[order] * share, minlength=len(sizes)).astype(np.float64)
    taken = np.empty(len(pairs))
    taken[order] = share
    return rho, taken


def radius_of(weights: "NDArray[np.int64]", found: Medians) -> "NDArray[np.float64]":
    """Return how far pairs reach, the loss of one record: to the second nearest center, or farther."""
    each = found.nearest[1] / weights
    radius: NDArray[np.float64] = 1.05 * np.maximum(each, each.mean()) + 1e-12
    return radius


def relaxed_on(
    axes: tuple[GridColumn, ...], weights: "NDArray[np.int64]", count: int, found: Medians, watch: Watch
) -> Relaxed | None:
    """Return the bound on all columns together; None where pairs are too many.

    Where they are at first, less far pairs are taken: the bound gets smaller and stays one.
    """
    for share in _SHARES:
        radius = share * radius_of(weights, found)
        near = near_pairs(axes, weights, radius, MOST_PAIRS, watch)
        if near is not None and len(near.row):
            return relaxed(near, radius * weights, count, found.loss, found.nearest, watch=watch)
    return None


def bound_by_parts(
    axes: tuple[GridColumn, ...],
    weights: "NDArray[np.int64]",
    count: int,
    generator: np.random.Generator,
    watch: Watch = UNWATCHED,
) -> float:
    """Return a lower bound on a table whose columns are too many to be bounded together.

    The loss is a sum over columns, and at most ``count`` clusters of all columns are at most as many of each
    part of them. So bounds of parts add up to a bound of the whole. Columns are halved until the pairs of a
    part can be held. Beside this each column has a bound by counting, exact for a categorical one.

    Args:
        axes: The columns, none of whose candidates costs more than what is published (``below``).
        weights: Shape (rows,), records of each row.
        count: Number of clusters.
        generator: Draws the first centers of parts, which the bound is valid without.
        watch: Hears of the work; when the time is up, only what is counted is added.
    """
    axes, weights = _collapsed(axes, weights)
    if len(weights) <= count:
        return 0.0
    alone = sum(_one_column(axis, weights, count) for axis in axes)
    if not watch.goes_on(16 * len(weights) * len(axes)):
        return alone
    together = _together(axes, weights, count, generator, watch)
    if together is not None or len(axes) == 1:
        return max(alone, together or 0.0)
    half = len(axes) // 2
    parts = (axes[:half], axes[half:])
    return max(alone, sum(bound_by_parts(part, weights, count, generator, watch) for part in parts))


def _together(
    axes: tuple[GridColumn, ...],
    weights: "NDArray[np.int64]",
    count: int,
    generator: np.random.Generator,
    watch: Watch,
) -> float | None:
    if len(weights) * count > _MOST_WORK:
        return None
    found = lloyd(axes, weights, seeded(axes, weights, count, generator, watch), watch)
    near = near_pairs(axes, weights, radius_of(weights, found), MOST_PAIRS, watch)
    if near is None or len(found.centers) < count:
        return None
    found = substituted(axes, weights, near, found, watch)
    done = relaxed_on(axes, weights, count, found, watch)
    return None if done is None else safe(done.bound)


def safe(bound: float) -> float:
    """Return a bound lowered by what rounding may have added."""
    return max(0.0, bound * _SAFE)


def _collapsed(
    axes: tuple[GridColumn, ...], weights: "NDArray[np.int64]"
) -> "tuple[tuple[GridColumn, ...], NDArray[np.int64]]":
    """Return the same table with the rows that are equal in these columns taken together."""
    row = class_numbers(np.stack([axis.place for axis in axes], axis=1))
    first = np.unique(row, return_index=True)[1]
    held = np.bincount(row, weights=weights).astype(np.int64)
    return tuple(axis.of(first) for axis in axes), held


def _one_column(axis: GridColumn, weights: "NDArray[np.int64]", count: int) -> float:
    """Return a lower bound of what one column loses in ``count`` clusters.

    A candidate serves some records for nothing; those beyond what ``count`` candidates can serve so lose the
    column's smallest positive cost at least. Of categories this is the loss itself.
    """
    held = np.bincount(axis.place, weights=weights, minlength=len(axis.cost))
    free = np.sort((axis.cost <= 0).T.astype(np.float64) @ held)[::-1]
    served = float(free[:count].sum())
    positive = axis.cost[held > 0]
    least = float(np.where(positive > 0, positive, np.inf).min(initial=np.inf))
    return safe(max(0.0, float(held.sum()) - served) * least) if np.isfinite(least) else 0.0
