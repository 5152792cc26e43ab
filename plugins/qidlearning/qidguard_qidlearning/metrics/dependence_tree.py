"""The dependence tree of some columns (Chow & Liu 1968): what each tells, what two share counted once."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from qidguard.sdk import TableView, ValueType
from qidguard_qidlearning.metrics.spreads import Spread, Spreads


class DependenceTrees:
    """The dependence trees of one table's sets of columns; what two columns share is measured once.

    A column in which more than ``most_alone`` of the persons are alone by itself is a measurement.
    """

    def __init__(self, view: TableView, most_alone: float) -> None:
        self._most_alone = most_alone
        self._places = {facts.name: i for i, facts in enumerate(view.columns)}
        self._dates = {facts.name for facts in view.columns if facts.value_type is ValueType.DATE}
        self._spreads = Spreads()
        self._shared = np.full((len(self._places),) * 2, np.nan)

    def bits(self, view: TableView, qids: Sequence[str]) -> float:
        """Return the entropy of the tree, measurements left out; in bits, ≥ 0."""
        known = [name for name in qids if name in self._dates or not self._is_measurement(view, name)]
        told = math.fsum(_entropy(self._spreads.one(view, name)) for name in known)
        shared = self._between(view, known)
        return max(0.0, told - math.fsum(_spanning(shared)))

    def _is_measurement(self, view: TableView, name: str) -> bool:
        return self._spreads.one(view, name).share_alone > self._most_alone

    def _between(self, view: TableView, names: Sequence[str]) -> NDArray[np.float64]:
        """Return what each two columns share."""
        places = np.array([self._places[name] for name in names], np.int64)
        found = self._shared[np.ix_(places, places)]
        for i, j in np.argwhere(np.triu(np.isnan(found), 1)):
            found[i, j] = found[j, i] = self._pair(view, names[i], names[j])
        self._shared[np.ix_(places, places)] = found
        return found

    def _pair(self, view: TableView, one: str, other: str) -> float:
        """Return the mutual information of two columns, in bits."""
        first, second = self._spreads.one(view, one), self._spreads.one(view, other)
        both = self._spreads.two(view, one, other)
        if self._is_measurement(view, one) or self._is_measurement(view, other):
            # classes of one tell every other column by chance; only whether they split them is a fact
            fine, coarse = (first, second) if first.classes >= second.classes else (second, first)
            is_function = both.classes == fine.classes < both.persons
            return _entropy(coarse) if is_function else 0.0
        surplus = first.classes + second.classes - both.classes - 1
        return max(0.0, first.bits + second.bits - both.bits + _correction(both, surplus))


def _spanning(shared: NDArray[np.float64]) -> list[float]:
    """Return the edges of the spanning tree with the largest sum (Prim 1957)."""
    edges = []
    nearest = np.zeros(len(shared))
    is_outside = np.ones(len(shared), bool)
    newest = 0
    for _ in range(len(shared) - 1):
        is_outside[newest] = False
        nearest = np.where(is_outside, np.maximum(nearest, shared[newest]), -1.0)
        newest = int(nearest.argmax())
        edges.append(float(nearest[newest]))
    return edges


def _entropy(spread: Spread) -> float:
    return spread.bits + _correction(spread, spread.classes - 1)


def _correction(spread: Spread, classes: int) -> float:
    """Return Miller's correction: entropies of few persons a class come out too low by it, in bits."""
    return classes / (2 * spread.persons * math.log(2))
