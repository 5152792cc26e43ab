"""What every cluster has to keep, and how far the clusters of an assignment miss it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from qidguard_mo_obam.problem import ClusteringProblem, counted_in

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True, eq=False)
class SensitiveLimit:
    """What each cluster keeps of one sensitive attribute; a limit that is not set is kept by all.

    Args:
        attribute: Its position in ``ClusteringProblem.sensitive``.
        distinct: Fewest distinct values, ≥ 1 (distinct l-diversity).
        entropy: Least entropy, bits ≥ 0 (log2 of l in entropy l-diversity).
        distance: Largest ½·Σ|p − q| from the table's shares, 0..1 (t-closeness with equal distance).
        ordered: Largest mean of |Σ p − q| along the values, 0..1 (t-closeness with ordered distance).
        largest: Largest share of one value, 0..1.
        groups: Shape (values,), the group of each value: what is near in meaning counts as one value. None
            counts each value by itself.
    """

    attribute: int
    distinct: int = 1
    entropy: float = 0.0
    distance: float = math.inf
    ordered: float = math.inf
    largest: float = math.inf
    groups: "NDArray[np.int64] | None" = field(default=None, repr=False)

    @property
    def asks(self) -> bool:
        """Whether any cluster could miss it."""
        most = (self.distance, self.ordered, self.largest)
        return self.distinct > 1 or self.entropy > 0 or any(value < 1 for value in most)

    def grouped(self, table: "NDArray[np.int64]", whole: "NDArray[np.int64]") -> "NDArray[np.int64]":
        """Return records with each value or group, of records with each value, row by row.

        Args:
            table: Shape (rows, values).
            whole: Shape (values,), the records of the whole table. Values that it does not have are left out.
        """
        stacked = np.concatenate([table, whole[None, :]])
        if self.groups is not None:
            summed = np.zeros((len(stacked), int(self.groups.max(initial=0)) + 1), dtype=np.int64)
            np.add.at(summed.T, self.groups[: table.shape[1]], stacked.T)
            stacked = summed
        occurring: NDArray[np.int64] = stacked[:-1, stacked[-1] > 0]
        return occurring


@dataclass(frozen=True, kw_only=True)
class ClusterLimits:
    """What each cluster keeps.

    Args:
        k: Fewest persons, ≥ 1.
        sensitive: Limits of sensitive attributes; several may be of one, as of its values and its groups.
    """

    k: int = 1
    sensitive: tuple[SensitiveLimit, ...] = ()

    def missed(self, problem: ClusteringProblem, assignment: "NDArray[np.int64]") -> "NDArray[np.bool_]":
        """Return for each cluster whether it misses a limit, counted anew; an empty one misses none.

        Shape (clusters,). t and shares may pass their limit by the last digit of a sum.

        Example:
            >>> from qidguard_mo_obam.example import four_persons
            >>> limits = ClusterLimits(k=2, sensitive=(SensitiveLimit(attribute=0, distinct=2),))
            >>> limits.missed(four_persons(), np.array([0, 1, 1])).tolist()
            [False, True]
        """
        clusters = int(assignment.max(initial=-1)) + 1
        persons = np.bincount(assignment, weights=problem.persons, minlength=clusters)
        tables = [counted_in(table, assignment, clusters) for table in problem.sensitive]
        used = np.bincount(assignment, minlength=clusters) > 0
        return self.missed_by(persons, tables) & used

    def missed_by(
        self,
        persons: "NDArray[np.integer | np.float64]",
        tables: "Sequence[NDArray[np.int64]]",
        wholes: "Sequence[NDArray[np.int64]] | None" = None,
    ) -> "NDArray[np.bool_]":
        """Return for each class whether it misses a limit, from its persons and its records with each value.

        Args:
            persons: Shape (classes,).
            tables: For each sensitive attribute an array of shape (classes, values).
            wholes: For each the records of the whole table, shape (values,); None sums up the classes.
        """
        missed = np.asarray(persons) < self.k
        for limit in self.sensitive:
            whole = tables[limit.attribute].sum(axis=0) if wholes is None else wholes[limit.attribute]
            table = limit.grouped(tables[limit.attribute], whole)
            every = limit.grouped(whole[None, :], whole)[0]
            shares = table / np.maximum(table.sum(axis=1), 1)[:, None]
            apart = shares - every / max(1, every.sum())
            steps = max(1, table.shape[1] - 1)
            bits = np.zeros_like(shares)
            np.log2(shares, out=bits, where=shares > 0)
            missed |= (table > 0).sum(axis=1) < limit.distinct
            missed |= -(shares * bits).sum(axis=1) < limit.entropy - _SLACK
            missed |= np.abs(apart).sum(axis=1) / 2 > limit.distance + _SLACK
            missed |= np.abs(np.cumsum(apart, axis=1)).sum(axis=1) / steps > limit.ordered + _SLACK
            missed |= shares.max(axis=1, initial=0.0) > limit.largest + _SLACK
        return missed


_SLACK = 1e-9
