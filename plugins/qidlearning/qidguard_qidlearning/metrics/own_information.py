"""How much a set of QIDs tells that fewer columns do not.

Spreads: how persons spread over the classes of a column and of two columns.

The dependence tree of some columns (Chow & Liu 1968): what each tells, what two share counted once.

Own information: what the quasi-identifiers tell, what two of them share counted once.

Example:
    >>> halves, quarters = np.array([2, 2]), np.array([1, 1, 1, 1])
    >>> Spread.of(halves).bits, Spread.of(quarters).bits, Spread.of(quarters).share_alone
    (1.0, 2.0, 1.0)
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from qidguard.sdk import (
    Arguments,
    Direction,
    Explanation,
    Grouping,
    Metric,
    NotMeasurable,
    Parameter,
    TableFunction,
    TableView,
    Unit,
    ValueType,
)
from qidguard_qidlearning.metrics.wording import EMPTY, NO_LIMIT, QID_NULL, scale


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


_KNOWN: "WeakKeyDictionary[TableView, dict[float, DependenceTrees]]" = WeakKeyDictionary()
"""For each table, and each ``most_alone`` asked for, what was measured of it."""


def own_information(view: TableView, grouping: Grouping, arguments: Arguments) -> float:
    """Return the entropy of the QIDs' dependence tree, in bits; it compares columns: no group-by."""
    known, most_alone = _KNOWN.setdefault(view, {}), arguments["most_alone"]
    if most_alone not in known:
        known[most_alone] = DependenceTrees(view, most_alone)
    return known[most_alone].bits(view, grouping.qids)


OWN_INFORMATION = Metric(
    name="own_information",
    title="own information of the QIDs",
    **scale(Unit.BITS, 0.0, math.inf, Direction.LOWER_IS_SAFER),
    method=TableFunction(measure=own_information),
    parameters=(
        Parameter(
            name="most_alone",
            type=float,
            default=0.1,
            minimum=0,
            maximum=1,
            meaning="share of persons alone in a column by itself above which it counts as a measurement "
            "that nobody outside holds, and tells 0 bits; dates excepted",
        ),
    ),
    explanation=Explanation(
        meaning="How much the QIDs tell together, what two of them both tell counted once. A column that "
        "another one determines adds nothing, and a flag that is nearly constant next to nothing. Unlike "
        "separation, distinction and the entropy of the classes it does not stop growing when the first few "
        "QIDs make most persons unique, so that it still sees a weak QID; in return it does not see what "
        "only three columns together share. A column in which many are alone by itself counts as a "
        "measurement recorded here only, except a date: others know days of birth and of stays, however many "
        "there are.",
        formula="Σ H(c) over QIDs c − Σ I(c; d) over the edges of the spanning tree with the largest sum: "
        "the entropy of the tree of dependences that fits best. Entropies with Miller's correction (classes "
        "− 1) / (2 n ln 2). 0 for c where more than most_alone of the persons are alone in c; for such a "
        "date, I(c; d) = H(d) where d is a function of it, else 0",
        source="Chow & Liu 1968, Approximating discrete probability distributions with dependence trees; "
        "Miller 1955, Note on the bias of information estimates; dates: 45 CFR 164.514(b)(2)(i)(C), a rule "
        "of 2000",
        good_value=f"{NO_LIMIT} It is a term of a search's objective.",
        missing=f"{QID_NULL} The same holds for pairs of columns.",
        empty=EMPTY,
        single_class="0 bits: a column with one value tells nothing.",
    ),
)

METRICS: tuple[Metric, ...] = (OWN_INFORMATION,)
