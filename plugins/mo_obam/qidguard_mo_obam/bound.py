"""A proven lower bound of the loss of at most n_C clusters, whatever else they have to keep."""

from typing import TYPE_CHECKING

import numpy as np

from qidguard_mo_obam.grid import GridColumn, near_pairs
from qidguard_mo_obam.lagrangian import Relaxed, relaxed
from qidguard_mo_obam.median import Medians, lloyd, seeded, substituted
from qidguard_mo_obam.watch import Watch

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_PAIRS = 2**20
"""Pairs of a row and a candidate that are weighed, some 50 MB."""
_SHARES = (1.0, 0.6)
"""How far pairs reach, of how far they should."""
_SAFE = 1.0 - 1e-9
"""Sums of floating-point numbers differ in their last digits."""


def radius_of(weights: "NDArray[np.int64]", found: Medians) -> "NDArray[np.float64]":
    """Return how far pairs reach, the loss of one record: to the second nearest center, or farther."""
    each = found.nearest[1] / weights
    radius: NDArray[np.float64] = 1.05 * np.maximum(each, each.mean()) + 1e-12
    return radius


def relaxed_on(
    axes: tuple[GridColumn, ...], weights: "NDArray[np.int64]", count: int, found: Medians, watch: Watch
) -> tuple[Relaxed, "NDArray[np.int64]"] | None:
    """Return the bound on all columns together and the centers it opens; None where pairs are too many.

    Where they are at first, less far pairs are taken: the bound gets smaller and stays one.
    """
    for share in _SHARES:
        radius = share * radius_of(weights, found)
        near = near_pairs(axes, weights, radius, MOST_PAIRS, watch)
        if near is not None and len(near.row):
            bound = relaxed(near, radius * weights, count, found.loss, found.nearest, watch=watch)
            return bound, near.centers[bound.opened]
    return None


def bound_by_parts(
    axes: tuple[GridColumn, ...],
    weights: "NDArray[np.int64]",
    count: int,
    generator: np.random.Generator,
    watch: Watch | None = None,
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
    watch = watch or Watch()
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
    return None if done is None else safe(done[0].bound)


_MOST_WORK = 2**24


def safe(bound: float) -> float:
    """Return a bound lowered by what rounding may have added."""
    return max(0.0, bound * _SAFE)


def _collapsed(
    axes: tuple[GridColumn, ...], weights: "NDArray[np.int64]"
) -> "tuple[tuple[GridColumn, ...], NDArray[np.int64]]":
    """Return the same table with the rows that are equal in these columns taken together."""
    places = np.stack([axis.place for axis in axes], axis=1)
    first, row = np.unique(places, axis=0, return_index=True, return_inverse=True)[1:]
    held = np.bincount(row.reshape(-1), weights=weights).astype(np.int64)
    return tuple(
        GridColumn(place=axis.place[first], cost=axis.cost, shown=axis.shown, is_exact=axis.is_exact)
        for axis in axes
    ), held


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
