"""Criteria over the sensitive values of a class: entropy and recursive l-diversity, and t-closeness."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from qidguard_standard.anonymizers.full_domain.classes import SortedClasses
from qidguard_standard.anonymizers.full_domain.criterion import SLACK, above, at_least, below
from qidguard_standard.metrics.closeness import ordered_distances
from qidguard_standard.metrics.diversity import recursive_levels

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class EntropyOfValues:
    """An effective number exp(H) of at least l values in a class (Machanavajjhala et al. 2007, section 4).

    A class may keep it while its parts do not, but no class with fewer than l values does.

    Args:
        sensitive: The attribute.
        least: l, values.
    """

    sensitive: str
    least: float
    is_inherited: bool = False
    is_relative: bool = False

    def breaking(self, classes: SortedClasses) -> "NDArray[np.bool_]":
        """Return the classes whose effective number of values is below l."""
        cells = classes.cells(self.sensitive)
        share = (
            cells.n / np.bincount(cells.class_id, weights=cells.n, minlength=classes.count)[cells.class_id]
        )
        entropy = -np.bincount(cells.class_id, weights=share * np.log(share), minlength=classes.count)
        return below(np.exp(np.maximum(entropy, 0.0)), self.least)

    def removed(self, classes: SortedClasses, lost_share: float) -> "NDArray[np.float64]":  # noqa: ARG002 - it compares with no table
        """Return what of the most frequent value must go; a mixture of classes that keep it keeps it.

        A class of m values whose most frequent one has the share x has an entropy of at most that of x and
        m − 1 equal shares, so x must come down to where that is ln l.
        """
        if classes.has_entities:
            # entities in several classes are no mixture of them
            return np.zeros(classes.count)
        most, total, values = _frequencies(classes, self.sensitive)
        kinds, which = np.unique(values, return_inverse=True)
        share = np.array([largest_share(int(kind), self.least) for kind in kinds])[which]
        is_free = share >= 1
        allowed = share / np.where(is_free, 1.0, 1 - share) * (total - most)
        return np.where(share > 0, at_least(np.where(is_free, 0.0, most - allowed)), total)


@dataclass(frozen=True, kw_only=True)
class RecursiveValues:
    """Recursive (c,l)-diversity of each class (Machanavajjhala et al. 2007, section 4).

    Args:
        sensitive: The attribute.
        least: l, values.
        c: The factor.
    """

    sensitive: str
    least: float
    c: float
    is_inherited: bool = False
    is_relative: bool = False

    def breaking(self, classes: SortedClasses) -> "NDArray[np.bool_]":
        """Return the classes that reach a smaller l only."""
        return below(recursive_levels(classes.cells(self.sensitive), self.c), self.least)

    def removed(self, classes: SortedClasses, lost_share: float) -> "NDArray[np.float64]":  # noqa: ARG002 - it compares with no table
        """Return what of the most frequent value must go before it is below c times the rarer ones.

        Removing never adds to the rarer ones, and a union of classes that keep it keeps it.
        """
        if self.least <= 1 or classes.has_entities:
            return np.zeros(classes.count)
        cells = classes.cells(self.sensitive)
        order = np.lexsort((-cells.n, cells.class_id))
        owner, n = cells.class_id[order], cells.n[order]
        rank = np.arange(len(owner)) - np.searchsorted(owner, owner)
        tail = np.bincount(owner, weights=n * (rank >= np.ceil(self.least) - 1), minlength=classes.count)
        most = np.bincount(owner, weights=n * (rank == 0), minlength=classes.count)
        return at_least(most - self.c * tail)


def largest_share(values: int, least: float) -> float:
    """Return the largest share of one value that leaves exp(entropy) at l.

    Example:
        >>> round(largest_share(2, 2.0), 3), largest_share(2, 3.0), round(largest_share(3, 2.0), 3)
        (0.5, 0.0, 0.773)
    """
    needed = math.log(least)
    if needed <= 0:
        return 1.0
    if math.log(values) < needed - SLACK:
        return 0.0
    low, high = 1 / values, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        rest = 1 - middle
        entropy = -middle * math.log(middle) - (rest * math.log(rest / (values - 1)) if rest > 0 else 0.0)
        low, high = (middle, high) if entropy >= needed - SLACK else (low, middle)
    return high


def _frequencies(
    classes: SortedClasses, sensitive: str
) -> "tuple[NDArray[np.float64], NDArray[np.float64], NDArray[Any]]":
    """Return for each class the persons with its most frequent value, all persons, and its values."""
    cells = classes.cells(sensitive)
    most = np.zeros(classes.count)
    np.maximum.at(most, cells.class_id, cells.n)
    total = np.bincount(cells.class_id, weights=cells.n, minlength=classes.count)
    return most, total.astype(np.float64), np.bincount(cells.class_id, minlength=classes.count)


@dataclass(frozen=True, kw_only=True)
class Closeness:
    """t-closeness of each class to the published table (Li, Li & Venkatasubramanian 2007).

    Args:
        sensitive: The attribute.
        most: t, 0..1.
        is_ordered: Whether moving costs by the order of the values; else all are equally far.
    """

    sensitive: str
    most: float
    is_ordered: bool
    is_inherited: bool = False
    is_relative: bool = True

    def breaking(self, classes: SortedClasses) -> "NDArray[np.bool_]":
        """Return the classes that are further than t from all classes together."""
        cells = classes.cells(self.sensitive)
        if not classes.count:
            return np.zeros(0, dtype=np.bool_)
        if self.is_ordered:
            return above(ordered_distances(cells), self.most)
        table = cells.table_n / cells.table_n.sum()
        total = np.bincount(cells.class_id, weights=cells.n, minlength=classes.count)
        surplus = np.maximum(cells.n / total[cells.class_id] - table[cells.value], 0.0)
        return above(np.bincount(cells.class_id, weights=surplus, minlength=classes.count), self.most)

    def removed(self, classes: SortedClasses, lost_share: float) -> "NDArray[np.float64]":
        """Return what must go before the rest of a class is within t of the table; 0 for ordered distance.

        A mixture of classes that keep it keeps it, and leaving out a share s moves the table by at most s. Of
        counts c, n' can stay within t' of shares q when Σ min(c, n'·q) ≥ (1 − t')·n', which is
        n' ≤ c(A) / (q(A) − t') for each set A of values; the tightest A are those with the smallest c / q.

        An entity with records in several parts of a class counts in each of them, at most once a record: so
        c are the class's records with each value. Of what stays n' are counted at least as entities, and no
        more records than repeat an entity and value in the class are not, so that many are given away. A
        record left out takes one entity and value from the table at most.
        """
        removed = np.zeros(classes.count)
        if self.is_ordered:
            return removed
        cells = classes.cells(self.sensitive)
        counted = float(cells.table_n.sum())
        table = cells.table_n / counted
        most = self.most + lost_share * float(classes.records.sum()) / max(1.0, counted)
        share, records = table[cells.value], classes.records_of_cells(self.sensitive)
        order = np.lexsort((records / share, cells.class_id))
        owner, n, share = cells.class_id[order], records[order], share[order]
        first = np.searchsorted(owner, np.arange(classes.count))
        total = np.bincount(cells.class_id, weights=cells.n, minlength=classes.count)
        absent = 1 - np.bincount(owner, weights=share, minlength=classes.count)
        held, covered = np.cumsum(n), np.cumsum(share)
        held, covered = held - (held - n)[first][owner], covered - (covered - share)[first][owner]
        beyond = covered + absent[owner] - most
        limit = np.where(beyond > SLACK, held / np.maximum(beyond, SLACK), np.inf)
        stays = np.minimum.reduceat(limit, first) if len(first) else np.zeros(0)
        stays[absent > most + SLACK] = 0.0
        return at_least(total - stays)
