"""What a cluster is published as, what that loses, and the entropy of its sensitive values."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from qidguard_mo_obam.problem import ClusteringProblem

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True, eq=False)
class Centers:
    """What each cluster is published as.

    Args:
        numbers: Shape (clusters, numeric QIDs), NaN where NULL is published.
        codes: Shape (clusters, categorical QIDs), codes of ``ColumnValues``.
        losses: Shape (clusters,), the weighted loss of each cluster, a part of (10); 0 of an empty one.
    """

    numbers: "NDArray[np.float64]"
    codes: "NDArray[np.int64]"
    losses: "NDArray[np.float64]" = field(repr=False)


def centers_of(
    problem: ClusteringProblem, assignment: "NDArray[np.int64]", count: int | None = None
) -> Centers:
    """Return the best center of each cluster and what it loses.

    A numeric QID shows the mean over records, rounded half to even where the column is integral, and loses
    weight · Σ (x − center)². Where a cluster has NULL, NULL is published, for nothing is put in the place of
    a missing value: each number then counts its squared distance from the column's mean, as the metric
    ``information_loss`` counts it. The center of a categorical QID is the most frequent value, NULL among
    them, of equally frequent ones that with the smallest code, and loses weight · (records − its own).

    Args:
        problem: The table.
        assignment: Shape (rows,), the cluster of each row, 0..count − 1.
        count: Number of clusters; None takes the largest of ``assignment`` and one.

    Returns:
        Centers and losses.

    Units:
        Of ``problem.numbers``; losses under the problem's weights.

    NULL is described above; of no rows there are no clusters; a single cluster shows the table's mean and
    mode and loses ``problem.deviation`` or, by rounding and NULL, a little more.

    Example:
        >>> from qidguard_mo_obam.example import four_persons
        >>> centers_of(four_persons(), np.array([0, 1, 1])).numbers.tolist()
        [[30.0], [45.0]]
    """
    clusters = int(assignment.max(initial=-1)) + 1 if count is None else count
    numbers = np.zeros((clusters, problem.numbers.shape[1]))
    codes = np.zeros((clusters, problem.codes.shape[1]), dtype=np.int64)
    losses = np.zeros(clusters)
    for at, weight in enumerate(problem.number_weight):
        numbers[:, at], lost = _mean(problem, at, assignment, clusters)
        losses += weight * lost
    for at, weight in enumerate(problem.code_weight):
        codes[:, at], lost = _mode(problem, at, assignment, clusters)
        losses += weight * lost
    return Centers(numbers=numbers, codes=codes, losses=losses)


def _mean(
    problem: ClusteringProblem, at: int, assignment: "NDArray[np.int64]", clusters: int
) -> "tuple[NDArray[np.float64], NDArray[np.float64]]":
    def total(of_rows: "NDArray[np.float64] | NDArray[np.int64]") -> "NDArray[np.float64]":
        return np.bincount(assignment, weights=of_rows, minlength=clusters).astype(np.float64)

    records, is_known = problem.records, problem.known[:, at]
    # from the mean on, for large numbers lose their last digits in sums
    apart = np.where(is_known, problem.numbers[:, at] - problem.means[at], 0.0)
    there = total(np.where(is_known, records, 0))
    center = problem.means[at] + total(apart * records) / np.maximum(there, 1)
    if problem.is_integral[at]:
        center = np.rint(center)
    away = np.where(is_known, problem.numbers[:, at] - center[assignment], 0.0)
    lost = total(away**2 * records)
    if is_known.all():
        return center, lost
    takes_null = (total(np.where(is_known, 0, records)) > 0) | (there == 0)
    as_null = total(problem.own[:, at] * records)
    return np.where(takes_null, np.nan, center), np.where(takes_null, as_null, lost)


def _mode(
    problem: ClusteringProblem, at: int, assignment: "NDArray[np.int64]", clusters: int
) -> "tuple[NDArray[np.int64], NDArray[np.float64]]":
    span = problem.values[at]
    keys = assignment * span + problem.codes[:, at]
    sizes = np.bincount(assignment, weights=problem.records, minlength=clusters)
    if clusters * span <= 4 * len(keys) + 2**16:
        table = np.bincount(keys, weights=problem.records, minlength=clusters * span).reshape(clusters, span)
        mode = table.argmax(axis=1).astype(np.int64)
        return mode, sizes - table[np.arange(clusters), mode]
    cells, place = np.unique(keys, return_inverse=True)
    counted = np.bincount(place.reshape(-1), weights=problem.records)
    best = np.lexsort((cells, -counted, cells // span))
    owner = cells[best] // span
    first = best[np.append(True, owner[1:] != owner[:-1])]
    mode, most = np.zeros(clusters, dtype=np.int64), np.zeros(clusters)
    mode[cells[first] // span] = cells[first] % span
    most[cells[first] // span] = counted[first]
    return mode, sizes - most


def information_loss(problem: ClusteringProblem, assignment: "NDArray[np.int64]") -> float:
    """Return IL = (10) / (11) of what an assignment publishes, under the problem's weights.

    In raw units it is the metric ``information_loss`` of the published table, except that this one counts
    less or more where NULL stands beside categories, whose cluster shows the suppression mark.

    Args:
        problem: The table.
        assignment: Shape (rows,), the cluster of each row, ≥ 0.

    Returns:
        0 where nothing changes, about 1 for a single cluster; 0 where the table has one combination.

    Units:
        A ratio, no unit.

    NULL counts as ``centers_of`` says. Of no rows it is 0.

    Example:
        >>> from qidguard_mo_obam.example import four_persons
        >>> round(information_loss(four_persons(), np.array([0, 1, 1])), 4)  # (25 + 25 + 1) / 276
        0.1848
    """
    lost = float(centers_of(problem, assignment).losses.sum())
    return lost / problem.deviation if problem.deviation > 0 else 0.0


def entropies(
    problem: ClusteringProblem, assignment: "NDArray[np.int64]", count: int | None = None
) -> "NDArray[np.float64]":
    """Return the entropy of each sensitive attribute in each cluster, equation (13).

    Args:
        problem: The table.
        assignment: Shape (rows,), the cluster of each row.
        count: Number of clusters; None takes the largest of ``assignment`` and one.

    Returns:
        Shape (sensitive attributes, clusters); 0 for a single value, 0 for an empty cluster.

    Units:
        Bits, over records.

    NULL is a value of its own.

    Example:
        >>> from qidguard_mo_obam.example import four_persons
        >>> entropies(four_persons(), np.array([0, 1, 1])).tolist()
        [[1.0, 0.0]]
    """
    clusters = int(assignment.max(initial=-1)) + 1 if count is None else count
    found = np.zeros((len(problem.sensitive), clusters))
    order = np.argsort(assignment, kind="stable")
    used, starts = np.unique(assignment[order], return_index=True)
    for at, table in enumerate(problem.sensitive):
        counted = np.zeros((clusters, table.shape[1]))
        if len(used):
            counted[used] = np.add.reduceat(table[order], starts)
        shares = counted / np.maximum(counted.sum(axis=1, keepdims=True), 1)
        terms = np.zeros_like(shares)
        np.log2(shares, out=terms, where=shares > 0)
        found[at] = -(shares * terms).sum(axis=1) + 0.0
    return found


def least_entropy(problem: ClusteringProblem, assignment: "NDArray[np.int64]") -> float:
    """Return (12): the sum over sensitive attributes of the smallest entropy of any cluster that has records.

    Bits, from 0 to ``most_entropy``; 0 without sensitive attributes.
    """
    used = np.unique(assignment)
    found = entropies(problem, assignment)[:, used]
    return float(found.min(axis=1).sum()) if found.size else 0.0


def most_entropy(problem: ClusteringProblem) -> float:
    """Return an upper bound of (12), bits: the sum over sensitive attributes of the whole table's entropy.

    Entropy is concave, so the mean over clusters of their entropies, weighed by records, is at most that of
    their union, and the smallest is at most the mean. One cluster of all records reaches it.
    """
    together = np.zeros(problem.rows, dtype=np.int64)
    return float(entropies(problem, together).sum()) if problem.rows else 0.0
