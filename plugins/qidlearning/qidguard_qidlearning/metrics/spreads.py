"""Spreads: how persons spread over the classes of a column and of two columns.

Example:
    >>> halves, quarters = np.array([2, 2]), np.array([1, 1, 1, 1])
    >>> Spread.of(halves).bits, Spread.of(quarters).bits, Spread.of(quarters).share_alone
    (1.0, 2.0, 1.0)
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qidguard.sdk import NotMeasurable, TableView


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


PAIRS_BY_ENGINE = 50
"""Pairs of columns that the engine counts before it is asked for their codes instead."""

MOST_CELLS = 10_000_000
"""Codes that are held at most, records times columns: 80 MB; of larger tables the engine counts all pairs."""


class Spreads:
    """The spreads of a table's columns and pairs of columns, each measured once.

    A table of hundreds of columns has ten thousands of pairs: after the first ones they are counted here,
    from the codes of all columns that were asked for until then, much quicker than by a statement each.
    """

    def __init__(self) -> None:
        self._found: dict[tuple[str, ...], Spread] = {}
        self._singles: list[str] = []
        self._codes: dict[str, NDArray[np.int64]] = {}
        self._marks: dict[str, int] = {}
        self._records: NDArray[np.int64] = np.zeros(0, np.int64)
        self._by_engine = 0

    def one(self, view: TableView, name: str) -> Spread:
        """Return the spread of a column."""
        if (name,) not in self._found:
            self._found[name,] = Spread.of(view.class_sizes((name,)))
            self._singles.append(name)
        return self._found[name,]

    def two(self, view: TableView, one: str, other: str) -> Spread:
        """Return the spread of two columns."""
        pair = (min(one, other), max(one, other))
        if pair not in self._found:
            self._found[pair] = Spread.of(self._sizes(view, pair))
        return self._found[pair]

    def _sizes(self, view: TableView, pair: tuple[str, str]) -> NDArray[np.int64]:
        self._by_engine += not self._codes.keys() >= set(pair)
        if self._by_engine > PAIRS_BY_ENGINE:
            self._fetch(view)
        if not self._codes.keys() >= set(pair):
            return view.class_sizes(pair)
        first, second = self._codes[pair[0]], self._codes[pair[1]]
        _, group = np.unique(first * (second.max(initial=0) + 1) + second, return_inverse=True)
        is_in = (first != self._marks[pair[0]]) | (second != self._marks[pair[1]])
        is_in |= not is_in.any()
        # sums of whole numbers below 2⁵³ are exact
        sizes = np.bincount(group, self._records * is_in).astype(np.int64)
        return sizes[sizes > 0]

    def _fetch(self, view: TableView) -> None:
        self._by_engine = 0
        persons = max(spread.persons for spread in self._found.values())
        # an entity may have many records, and only the engine counts it once
        if not view.has_entities and persons * len(self._singles) <= MOST_CELLS:
            coded = view.codes((), tuple(self._singles))
            self._marks = dict(zip(self._singles, coded.suppressed, strict=True))
            columns = coded.codes.T.astype(np.int64)
            self._codes = dict(zip(self._singles, columns, strict=True))
            self._records = coded.records
