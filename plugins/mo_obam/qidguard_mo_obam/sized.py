"""Clusters of at least k persons each: centers and a flow to them in turns."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from qidguard_mo_obam.flow import least_flow
from qidguard_mo_obam.grid import GridColumn, costs
from qidguard_mo_obam.watch import Watch

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qidguard_mo_obam.shares import Shares

_ROUNDS = 30
_HOPELESS = 1.1


@dataclass(frozen=True, kw_only=True, eq=False)
class Sized:
    """Clusters that keep k.

    Args:
        flow: Shape (kinds, clusters), persons of each kind in each cluster.
        centers: Shape (clusters, columns), positions on the axes, the best of their clusters.
        loss: The loss on the axes; infinite where the time was up before every cluster had k persons.
    """

    flow: "NDArray[np.int64]" = field(repr=False)
    centers: "NDArray[np.int64]" = field(repr=False)
    loss: float


def sized(
    axes: tuple[GridColumn, ...],
    shares: "Shares",
    centers: "NDArray[np.int64]",
    k: int,
    reached: float = np.inf,
    watch: Watch | None = None,
) -> Sized:
    """Return clusters of at least k persons around some centers, which move until nothing gets better.

    Given centers the flow is the cheapest there is, and given a flow so are the centers: no step loses more.
    What loses much more after two rounds than was reached before is left as it is. The first round goes on
    when the time is up unless something was reached before.
    """
    watch = watch or Watch()
    held = tuple(
        GridColumn(place=axis.place[shares.row], cost=axis.cost, shown=axis.shown, is_exact=axis.is_exact)
        for axis in axes
    )
    best: Sized | None = None
    for done in range(_ROUNDS):
        if best is not None and not watch.goes_on():
            break
        cost = costs(held, shares.each, centers)
        watch.worked(8 * cost.size * len(axes))
        is_needed = best is None and reached == np.inf
        flow = least_flow(cost, shares.persons, shares.counts, k, watch, is_needed=is_needed)
        if (flow[shares.counts].sum(axis=0) < k).any():
            return best or Sized(flow=flow, centers=centers, loss=np.inf)
        centers = _best_centers(held, shares.each[:, None] * flow, centers)
        loss = float((costs(held, shares.each, centers) * flow).sum())
        if best is not None and loss >= best.loss * (1 - 1e-12):
            break
        best = Sized(flow=flow, centers=centers, loss=loss)
        if done == 1 and loss > _HOPELESS * reached:
            break
    if best is None:
        raise ValueError("no round was made")
    return best


def _best_centers(
    axes: tuple[GridColumn, ...], records: "NDArray[np.int64]", centers: "NDArray[np.int64]"
) -> "NDArray[np.int64]":
    """Return the best center of each cluster, column by column; ``records`` has shape (kinds, clusters)."""
    new = centers.copy()
    used = records.sum(axis=0) > 0
    for at, axis in enumerate(axes):
        cells = axis.place[:, None] * len(centers) + np.arange(len(centers))
        table = np.bincount(cells.ravel(), weights=records.ravel(), minlength=len(axis.cost) * len(centers))
        best = (table.reshape(len(axis.cost), len(centers)).T @ axis.cost).argmin(axis=1)
        new[used, at] = best[used]
    return new
