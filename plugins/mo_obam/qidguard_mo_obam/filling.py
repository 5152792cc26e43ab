"""Pairs that a center needs to be filled to k persons."""

from typing import TYPE_CHECKING

import numpy as np

from qidguard_mo_obam.grid import GridColumn, Near, costs
from qidguard_mo_obam.watch import Watch

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ENOUGH = 3
"""Persons that are near to each candidate, for each of k."""
_CHUNK = 2**21


def filled_pairs(
    near: Near,
    axes: tuple[GridColumn, ...],
    weights: "NDArray[np.int64]",
    persons: "NDArray[np.int64]",
    k: int,
    watch: Watch | None = None,
) -> Near:
    """Return the near pairs and, of candidates that have few persons near, those of further rows.

    Each candidate gets its nearest rows until they have three times k persons. Candidates that are near to no
    row stay away: nobody would be saved by opening them. When the time is up the others stay as they are, and
    a bound on these pairs is smaller and still one.
    """
    watch = watch or Watch()
    candidates = len(near.centers)
    held = np.bincount(near.candidate, weights=persons[near.row], minlength=candidates)
    short = np.flatnonzero(held < _ENOUGH * k)
    rows: list[NDArray[np.int64]] = [near.row]
    owners: list[NDArray[np.int64]] = [near.candidate]
    step = max(1, _CHUNK // len(weights))
    for first in range(0, len(short), step):
        some = short[first : first + step]
        table = costs(axes, np.ones_like(weights), near.centers[some])
        order = np.argsort(table, axis=0, kind="stable")
        before = np.cumsum(persons[order], axis=0) - persons[order]
        at, candidate = np.nonzero(before < _ENOUGH * k)
        rows.append(order[at, candidate])
        owners.append(some[candidate])
        if not watch.goes_on(table.size * 30):
            break
    keys = np.unique(np.concatenate(owners) * len(weights) + np.concatenate(rows))
    candidate, row = keys // len(weights), keys % len(weights)
    cost = np.zeros(len(row))
    for column, axis in enumerate(axes):
        cost += axis.cost[axis.place[row], near.centers[candidate, column]]
    return Near(row=row, candidate=candidate, cost=cost * weights[row], centers=near.centers)
