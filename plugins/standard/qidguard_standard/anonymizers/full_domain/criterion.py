"""What every class must reach: criteria over its size and its sensitive values."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from qidguard.sdk import Limit
from qidguard_standard.anonymizers.full_domain.classes import SortedClasses
from qidguard_standard.metrics.closeness import ordered_distances
from qidguard_standard.metrics.diversity import recursive_levels

if TYPE_CHECKING:
    from numpy.typing import NDArray


TOLERANCE = 1e-12
"""As close as this to a limit, relative to it, equals it: so a verdict has it."""
SLACK = 1e-9
"""What bounds give away, so that rounding and the tolerance above can never make them wrong."""


def below(values: "NDArray[Any]", least: float) -> "NDArray[np.bool_]":
    """Return which figures are below a limit.

    Example:
        >>> below(np.array([1.9, 2.0 - 1e-15, 2.1]), 2).tolist()
        [True, False, False]
    """
    is_below: NDArray[np.bool_] = (values < least) & ~_close(values, least)
    return is_below


def above(values: "NDArray[Any]", most: float) -> "NDArray[np.bool_]":
    """Return which figures are above a limit.

    Example:
        >>> above(np.array([0.19, 0.2 + 1e-15, 0.21]), 0.2).tolist()
        [False, False, True]
    """
    is_above: NDArray[np.bool_] = (values > most) & ~_close(values, most)
    return is_above


def _close(values: "NDArray[Any]", limit: float) -> "NDArray[np.bool_]":
    is_close: NDArray[np.bool_] = np.abs(values - limit) <= TOLERANCE * np.maximum(np.abs(values), abs(limit))
    return is_close


def at_least(records: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """Return whole records that are surely as many: rounding errors never make them more.

    Example:
        >>> at_least(np.array([2.0 + 1e-12, 1.5, -3.0])).tolist()
        [2.0, 2.0, 0.0]
    """
    persons: NDArray[np.float64] = np.ceil(np.maximum(records, 0.0) * (1 - SLACK) - SLACK)
    return np.maximum(persons, 0.0)


@dataclass(frozen=True, kw_only=True)
class Criterion:
    """What every class has to keep.

    Where ``is_inherited``, every part of a class that breaks it breaks it too, whatever else is in the table.
    Then suppression is monotone: what a level suppresses, each finer level suppresses as well. Where
    ``is_relative``, it compares with the whole table, so that suppressing one class may break another.
    """

    is_inherited: ClassVar[bool] = False
    is_relative: ClassVar[bool] = False

    def breaking(self, classes: SortedClasses) -> "NDArray[np.bool_]":
        """Return which classes break it."""
        raise NotImplementedError

    def removed(self, classes: SortedClasses, lost_share: float) -> "NDArray[np.float64]":
        """Return how many records of each class must go before any partition of the rest can keep it.

        All classes of the table are given; ``lost_share`` of its records may be left out, which changes the
        table that classes are compared with. Where it is inherited all records of the classes that break it
        must go: their parts break it, too.
        """
        del lost_share
        return np.where(self.breaking(classes), classes.records, 0.0)


@dataclass(frozen=True, kw_only=True)
class SmallestClass(Criterion):
    """At least k persons a class (Samarati 2001; Sweeney 2002).

    Args:
        k: Persons, ≥ 1.
    """

    is_inherited: ClassVar[bool] = True
    k: int

    def breaking(self, classes: SortedClasses) -> "NDArray[np.bool_]":
        """Return the classes of fewer than k persons."""
        is_small: NDArray[np.bool_] = classes.size < self.k
        return is_small


@dataclass(frozen=True, kw_only=True)
class DistinctValues(Criterion):
    """At least l different values of the sensitive attribute in a class (Machanavajjhala et al. 2007).

    Args:
        sensitive: The attribute.
        least: l, values.
    """

    is_inherited: ClassVar[bool] = True
    sensitive: str
    least: float

    def breaking(self, classes: SortedClasses) -> "NDArray[np.bool_]":
        """Return the classes of fewer than l values."""
        values = np.bincount(classes.cells(self.sensitive).class_id, minlength=classes.count)
        return below(values, self.least)


def persons_for_risk(risk: Limit) -> int:
    """Return the smallest class size whose risk 1/size a limit from above allows.

    Example:
        >>> from qidguard.sdk import Bound
        >>> persons_for_risk(Limit(bound=Bound.AT_MOST, value=0.09))
        12
    """
    size = int(1 / Fraction(risk.value))
    while size < 1 or not risk.is_met_by(1 / size):
        size += 1
    return size


@dataclass(frozen=True, kw_only=True)
class EntropyOfValues(Criterion):
    """An effective number exp(H) of at least l values in a class (Machanavajjhala et al. 2007, section 4).

    A class may keep it while its parts do not, but no class with fewer than l values does.

    Args:
        sensitive: The attribute.
        least: l, values.
    """

    sensitive: str
    least: float

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
class RecursiveValues(Criterion):
    """Recursive (c,l)-diversity of each class (Machanavajjhala et al. 2007, section 4).

    Args:
        sensitive: The attribute.
        least: l, values.
        c: The factor.
    """

    sensitive: str
    least: float
    c: float

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
class Closeness(Criterion):
    """t-closeness of each class to the published table (Li, Li & Venkatasubramanian 2007).

    Args:
        sensitive: The attribute.
        most: t, 0..1.
        is_ordered: Whether moving costs by the order of the values; else all are equally far.
    """

    is_relative: ClassVar[bool] = True
    sensitive: str
    most: float
    is_ordered: bool

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
