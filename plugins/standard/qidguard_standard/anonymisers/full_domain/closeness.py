"""t-closeness of each class: a mixture of classes that keep it keeps it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from qidguard_standard.anonymisers.full_domain.classes import Classes
from qidguard_standard.anonymisers.full_domain.limits import SLACK, above, at_least
from qidguard_standard.metrics.t_closeness_ordered import ordered_distances

if TYPE_CHECKING:
    from numpy.typing import NDArray


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

    def breaking(self, classes: Classes) -> "NDArray[np.bool_]":
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

    def removed(self, classes: Classes, lost_share: float) -> "NDArray[np.float64]":
        """Return what must go before the rest of a class is within t of the table; 0 for ordered distance.

        A mixture of classes that keep it keeps it, and leaving out a share s moves the table by at most s. Of
        counts c, n' records can stay within t' of shares q when Σ min(c, n'·q) ≥ (1 − t')·n', which is
        n' ≤ c(A) / (q(A) − t') for each set A of values; the tightest A are those with the smallest c / q.
        """
        removed = np.zeros(classes.count)
        if self.is_ordered:
            return removed
        cells = classes.cells(self.sensitive)
        table = cells.table_n / cells.table_n.sum()
        most = self.most + lost_share
        share = table[cells.value]
        order = np.lexsort((cells.n / share, cells.class_id))
        owner, n, share = cells.class_id[order], cells.n[order], share[order]
        first = np.searchsorted(owner, np.arange(classes.count))
        total = np.bincount(owner, weights=n, minlength=classes.count)
        absent = 1 - np.bincount(owner, weights=share, minlength=classes.count)
        held, covered = np.cumsum(n), np.cumsum(share)
        held, covered = held - (held - n)[first][owner], covered - (covered - share)[first][owner]
        beyond = covered + absent[owner] - most
        limit = np.where(beyond > SLACK, held / np.maximum(beyond, SLACK), np.inf)
        stays = np.minimum.reduceat(limit, first) if len(first) else np.zeros(0)
        stays[absent > most + SLACK] = 0.0
        return at_least(total - stays)
