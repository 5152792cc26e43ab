"""Who can be put into another cluster than the other records of a combination: persons, by their records."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from qidguard_mo_obam.problem import ClusteringProblem

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
    """

    row: "NDArray[np.int64]" = field(repr=False)
    each: "NDArray[np.int64]" = field(repr=False)
    persons: "NDArray[np.int64]" = field(repr=False)
    counts: "NDArray[np.bool_]" = field(repr=False)


def shares_of(problem: ClusteringProblem) -> Shares:
    """Return the kinds of persons of a table, by row."""
    kind, _ = _kinds(problem)
    return kind


def _kinds(problem: ClusteringProblem) -> "tuple[Shares, NDArray[np.int64]]":
    """Return the kinds, and the kind of each record."""
    if problem.person is None:
        rows = np.arange(problem.rows)
        return Shares(
            row=rows,
            each=np.ones_like(rows),
            persons=problem.records,
            counts=np.ones(problem.rows, dtype=np.bool_),
        ), problem.combination
    person = problem.person
    here = np.bincount(person[person >= 0])
    each = np.where(person >= 0, here[person], 0)
    keys, kind = np.unique(np.stack([problem.combination, each], axis=1), axis=0, return_inverse=True)
    kind = kind.reshape(-1)
    held = np.bincount(kind, minlength=len(keys))
    size = np.maximum(keys[:, 1], 1)
    return Shares(row=keys[:, 0], each=size, persons=held // size, counts=keys[:, 1] > 0), kind


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
    _, kind = _kinds(problem)
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
