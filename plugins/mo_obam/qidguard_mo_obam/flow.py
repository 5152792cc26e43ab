"""Persons assigned to centers at least cost so that each center gets at least k: a minimum-cost flow."""

from typing import TYPE_CHECKING

import numpy as np

from qidguard_mo_obam.watch import Watch

if TYPE_CHECKING:
    from numpy.typing import NDArray


def least_flow(
    cost: "NDArray[np.float64]",
    persons: "NDArray[np.int64]",
    counts: "NDArray[np.bool_]",
    k: int,
    watch: Watch | None = None,
    *,
    is_needed: bool = True,
) -> "NDArray[np.int64]":
    """Return how many persons of each kind go to each center, at the least cost with k or more at each.

    Everybody starts at the nearest center. Then persons move along the cheapest chains of centers, from one
    that has more than k to one that lacks some: successive shortest paths, found by Bellman & Ford on the
    graph of centers, whose edges are the cheapest move of a person from one to the other. Each chain keeps
    the flow the cheapest of those with as many persons at each center, so the last is the optimum.

    Args:
        cost: Shape (kinds, centers), the loss of one person.
        persons: Shape (kinds,), persons of each kind.
        counts: Shape (kinds,), whether they count toward k; those that do not stay at the nearest center.
        k: Persons at each center; their sum is at most that of ``persons`` that count.
        watch: Hears of the work.
        is_needed: Whether it goes on when the time is up; else centers may then have fewer than k.

    Returns:
        Shape (kinds, centers).

    Example:
        >>> alike = np.array([[0.0, 1.0], [0.0, 3.0]])
        >>> least_flow(alike, np.array([2, 1]), np.array([True, True]), 1).tolist()
        [[1, 1], [1, 0]]
    """
    watch = watch or Watch()
    kinds, centers = cost.shape
    flow = np.zeros((kinds, centers), dtype=np.int64)
    flow[np.arange(kinds), cost.argmin(axis=1)] = persons
    sizes = flow[counts].sum(axis=0)
    edge, mover = np.full((centers, centers), np.inf), np.zeros((centers, centers), dtype=np.int64)
    for one in range(centers):
        edge[one], mover[one] = _moves(cost, flow, counts, one)
        watch.worked(8 * kinds)
    while (sizes < k).any():
        watch.worked(4 * centers * centers)
        if not is_needed and not watch.goes_on():
            break
        path = _shortest(edge, sizes > k, sizes < k)
        kinds_moved = mover[path[:-1], path[1:]]
        amount = min(
            int(sizes[path[0]]) - k, k - int(sizes[path[-1]]), int(flow[kinds_moved, path[:-1]].min())
        )
        for kind, here, there in zip(kinds_moved, path[:-1], path[1:], strict=True):
            flow[kind, here] -= amount
            flow[kind, there] += amount
        sizes[path[0]] -= amount
        sizes[path[-1]] += amount
        for one in path:
            edge[one], mover[one] = _moves(cost, flow, counts, one)
            watch.worked(8 * kinds)
    return flow


def _moves(
    cost: "NDArray[np.float64]", flow: "NDArray[np.int64]", counts: "NDArray[np.bool_]", here: int
) -> "tuple[NDArray[np.float64], NDArray[np.int64]]":
    """Return the cheapest move of one person from a center to each other, and whose it is."""
    there = np.flatnonzero((flow[:, here] > 0) & counts)
    if not len(there):
        return np.full(cost.shape[1], np.inf), np.zeros(cost.shape[1], dtype=np.int64)
    extra = cost[there] - cost[there, here][:, None]
    best = extra.argmin(axis=0)
    found = extra[best, np.arange(cost.shape[1])]
    found[here] = np.inf
    return found, there[best]


def _shortest(
    edge: "NDArray[np.float64]", gives: "NDArray[np.bool_]", lacks: "NDArray[np.bool_]"
) -> "NDArray[np.int64]":
    """Return the cheapest path from a center that gives to one that lacks."""
    centers = len(edge)
    length = np.where(gives, 0.0, np.inf)
    before = np.full(centers, -1)
    slack = 1e-12 * (1.0 + float(np.abs(edge[np.isfinite(edge)]).max(initial=0.0)))
    for _ in range(centers):
        through = length[:, None] + edge
        best = through.argmin(axis=0)
        new = through[best, np.arange(centers)]
        shorter = new < length - slack
        if not shorter.any():
            break
        length = np.where(shorter, new, length)
        before = np.where(shorter, best, before)
    at = int(np.where(lacks, length, np.inf).argmin())
    path = [at]
    while before[at] >= 0:
        at = int(before[at])
        path.append(at)
    return np.array(path[::-1])
