"""Clusters of at least k persons each: who can be put where, and centers and the cheapest flow in turns."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from qidguard_mo_obam.grid import GridColumn, costs
from qidguard_mo_obam.problem import ClusteringProblem
from qidguard_mo_obam.watch import UNWATCHED, Watch

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ROUNDS = 30
_HOPELESS = 1.1


@dataclass(frozen=True, kw_only=True, eq=False)
class Shares:
    """Kinds of persons: those counted at one row with the same number of records there.

    Records of persons that are counted elsewhere are kinds without persons: each of their ``persons`` is one
    record, and ``counts`` is False.

    Args:
        row: Shape (kinds,), the row.
        each: Shape (kinds,), records of each person, ≥ 1.
        persons: Shape (kinds,), how many persons, ≥ 1.
        counts: Shape (kinds,), whether they count as persons.
        kind: Shape (records,), the kind of each record.
    """

    row: "NDArray[np.int64]" = field(repr=False)
    each: "NDArray[np.int64]" = field(repr=False)
    persons: "NDArray[np.int64]" = field(repr=False)
    counts: "NDArray[np.bool_]" = field(repr=False)
    kind: "NDArray[np.int64]" = field(repr=False)


def shares_of(problem: ClusteringProblem) -> Shares:
    """Return the kinds of persons of a table, by row."""
    if problem.person is None:
        rows = np.arange(problem.rows)
        return Shares(
            row=rows,
            each=np.ones_like(rows),
            persons=problem.records,
            counts=np.ones(problem.rows, dtype=np.bool_),
            kind=problem.combination,
        )
    person = problem.person
    here = np.bincount(person[person >= 0])
    each = np.where(person >= 0, here[person], 0)
    keys, kind = np.unique(np.stack([problem.combination, each], axis=1), axis=0, return_inverse=True)
    kind = kind.reshape(-1)
    held = np.bincount(kind, minlength=len(keys))
    size = np.maximum(keys[:, 1], 1)
    return Shares(row=keys[:, 0], each=size, persons=held // size, counts=keys[:, 1] > 0, kind=kind)


def put(
    problem: ClusteringProblem, flow: "NDArray[np.int64]"
) -> "tuple[ClusteringProblem, NDArray[np.int64]]":
    """Return the table with its rows parted among clusters, and the cluster of each part.

    Of the persons of a kind those with like sensitive values are dealt out evenly, so that no part is left
    with a single value where the others have it too. Only persons alike in QIDs and sensitive values are told
    apart by their order in the table.

    Args:
        problem: The table.
        flow: Shape (kinds, clusters), how many persons of each kind go to each cluster.
    """
    kind = shares_of(problem).kind
    person = np.arange(len(kind)) if problem.person is None else problem.person
    # a record that counts for nobody stands for itself
    unit = np.where(person >= 0, person, len(kind) + np.arange(len(kind)))
    order = np.lexsort((np.arange(len(kind)), *problem.sensitive_codes[::-1], kind))
    _, first = np.unique(unit[order], return_index=True)
    heads = order[np.sort(first)]  # the first record of each person, kind after kind
    label = np.concatenate([_dealt(of_kind) for of_kind in flow])
    cluster_of = np.zeros(2 * len(kind) + int(person.max(initial=0)) + 1, dtype=np.int64)
    cluster_of[unit[heads]] = label
    cluster = cluster_of[unit]
    clusters = flow.shape[1]
    parts, row = np.unique(problem.combination * clusters + cluster, return_inverse=True)
    row = row.reshape(-1)
    if len(parts) == problem.rows:
        return problem, parts % clusters
    return problem.parted(row), parts % clusters


def _dealt(flow: "NDArray[np.int64]") -> "NDArray[np.int64]":
    """Return as many labels as there are persons, those of each cluster spread evenly."""
    labels = np.repeat(np.arange(len(flow)), flow)
    if np.count_nonzero(flow) <= 1:
        return labels
    within = np.arange(len(labels)) - np.repeat(np.cumsum(flow) - flow, flow)
    return labels[np.argsort((within + 0.5) / flow[labels], kind="stable")]


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
    shares: Shares,
    centers: "NDArray[np.int64]",
    k: int,
    reached: float = np.inf,
    watch: Watch = UNWATCHED,
) -> Sized:
    """Return clusters of at least k persons around some centers, which move until nothing gets better.

    Given centers the flow is the cheapest there is, and given a flow so are the centers: no step loses more.
    What loses much more after two rounds than was reached before is left as it is. The first round goes on
    when the time is up unless something was reached before.
    """
    held = tuple(axis.of(shares.row) for axis in axes)
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


def least_flow(
    cost: "NDArray[np.float64]",
    persons: "NDArray[np.int64]",
    counts: "NDArray[np.bool_]",
    k: int,
    watch: Watch = UNWATCHED,
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
