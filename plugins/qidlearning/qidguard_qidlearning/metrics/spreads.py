"""Spreads: how persons spread over the classes of a column and of two, and what two columns share.

Example:
    >>> halves, quarters = np.array([2, 2]), np.array([1, 1, 1, 1])
    >>> Spread.of(halves).bits, Spread.of(quarters).bits, Spread.of(quarters).share_alone
    (1.0, 2.0, 1.0)
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qidguard import NotMeasurable, TableView, ValueType


@dataclass(frozen=True, kw_only=True)
class Spread:
    """How persons spread over the classes of one or two columns.

    Args:
        bits: The entropy of the classes, log₂, ≥ 0.
        classes: How many classes there are.
        persons: The persons in them; an entity in two classes counts twice.
        share_alone: Share of the persons who are alone in their class, 0..1.
    """

    bits: float
    classes: int
    persons: int
    share_alone: float

    @classmethod
    def of(cls, sizes: NDArray[np.int64]) -> "Spread":
        """Return the spread of class sizes; NotMeasurable where there is no class."""
        persons = int(sizes.sum())
        if not persons:
            raise NotMeasurable("The table has no records.")
        shares = sizes / persons
        return cls(
            # no zero below a class of all: −0.0 is no entropy
            bits=max(0.0, -math.fsum((shares * np.log2(shares)).tolist())),
            classes=int(sizes.size),
            persons=persons,
            share_alone=int((sizes == 1).sum()) / persons,
        )


class Spreads:
    """The spreads of a table's columns and pairs of columns, each measured once.

    Args:
        view: The table.
    """

    def __init__(self, view: TableView) -> None:
        self._found: dict[tuple[str, ...], Spread] = {}
        self._dates = {facts.name for facts in view.columns if facts.value_type is ValueType.DATE}

    def tree_bits(self, view: TableView, qids: Sequence[str], most_alone: float) -> float:
        """Return the entropy of the QIDs' dependence tree, without the measurements among them."""
        known = [
            name for name in qids if name in self._dates or self._spread(view, name).share_alone <= most_alone
        ]
        gains = [self._entropy(view, name) for name in known]
        # Prim 1957: each column joins the tree by the edge over which it shares most
        best = dict.fromkeys(known[1:], 0.0)
        newest = known[0] if known else ""
        while best:
            for name in best:
                best[name] = max(best[name], self._shared(view, name, newest, most_alone))
            newest = max(best, key=best.__getitem__)
            gains.append(-best.pop(newest))
        return max(0.0, math.fsum(gains))

    def _entropy(self, view: TableView, name: str) -> float:
        spread = self._spread(view, name)
        return spread.bits + _correction(spread, spread.classes - 1)

    def _shared(self, view: TableView, one: str, other: str, most_alone: float) -> float:
        """Return the mutual information of two columns; 0 of a column with itself is never asked."""
        first, second = self._spread(view, one), self._spread(view, other)
        both = self._spread(view, *sorted((one, other)))
        if max(first.share_alone, second.share_alone) > most_alone:
            # classes of one tell every other column by chance; only whether they split them is a fact
            fine, coarse = (one, other) if first.classes >= second.classes else (other, one)
            is_function = both.classes == self._spread(view, fine).classes < both.persons
            return self._entropy(view, coarse) if is_function else 0.0
        surplus = first.classes + second.classes - both.classes - 1
        return max(0.0, first.bits + second.bits - both.bits + _correction(both, surplus))

    def _spread(self, view: TableView, *qids: str) -> Spread:
        if qids not in self._found:
            self._found[qids] = Spread.of(view.class_sizes(qids))
        return self._found[qids]


def _correction(spread: Spread, classes: int) -> float:
    """Return Miller's correction: entropies of few persons a class come out too low by it, in bits."""
    return classes / (2 * spread.persons * math.log(2))
