"""A causal graph of a table's columns, learned once for each table by the library causal-learn.

The PC algorithm asks a test of conditional independence: Fisher's z on rank correlations.
"""

import importlib.util
from collections import Counter
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from qidguard.sdk import Arguments, NotMeasurable, TableView
from qidguard_qidlearning.metrics.rank_correlation import RankCorrelation, rank_correlation

if TYPE_CHECKING:
    from numpy.typing import NDArray
import math
from collections.abc import Sequence

FEWEST_RECORDS = 4
"""Records that the test needs, and one more for each column that is held fixed."""

_LARGEST = 1 - 1e-12
"""Largest partial correlation in absolute value, for that of 1 has no finite z."""


class RankTest:
    """Fisher's z test (Fisher 1924) that two columns are independent given others.

    z = artanh(r)·√(n − |S| − 3), r the partial correlation given the columns S, is held against the normal
    distribution. It stops when the caller asked to.
    """

    method = "fisherz"
    """What the library calls a test of this kind."""

    def __init__(self, *, view: TableView, correlation: RankCorrelation) -> None:
        self._view = view
        self._correlation = correlation
        self._known: dict[tuple[int, ...], float] = {}

    def __call__(self, x: int, y: int, given: Sequence[int]) -> float:
        """Return the two-sided p-value of independence of x and y given columns, each by its place."""
        if self._view.is_interrupted:
            raise KeyboardInterrupt
        key = (min(x, y), max(x, y), *sorted(given))
        if key not in self._known:
            inverse = np.linalg.inv(self._correlation.matrix[np.ix_(key, key)])
            partial = -inverse[0, 1] / math.sqrt(inverse[0, 0] * inverse[1, 1])
            bounded = max(-_LARGEST, min(_LARGEST, partial))
            z = math.atanh(bounded) * math.sqrt(self._correlation.records - len(given) - FEWEST_RECORDS + 1)
            self._known[key] = math.erfc(abs(z) / math.sqrt(2))
        return self._known[key]


PC = "pc"
GES = "ges"

_LEARNED: "WeakKeyDictionary[TableView, dict[tuple[Any, ...], dict[str, int]]]" = WeakKeyDictionary()
"""Table → arguments → the degrees: a graph belongs to the table and not to a set of QIDs."""


def degrees(view: TableView, arguments: Arguments) -> dict[str, int]:
    """Return for each column the number of its edges in the causal graph of all columns, in any direction.

    Columns whose records stand in the same order (or in the reverse) are one node: each has the node's edges,
    and one more to each of the others. A constant column has no edge. The graph is remembered as long as the
    table lives; without causal-learn it is not measurable.
    """
    if importlib.util.find_spec("causallearn") is None:
        raise NotMeasurable("It learns a causal graph by causal-learn; install qidguard-qidlearning[causal].")
    learned = _LEARNED.setdefault(view, {})
    key = tuple(sorted(arguments.items()))
    if key not in learned:
        correlation = rank_correlation(
            view, sample_records=arguments["sample_records"], seed=arguments["seed"]
        )
        learned[key] = _of_columns(correlation, _adjacency(view, correlation, arguments))
    return learned[key]


def _of_columns(correlation: RankCorrelation, adjacency: "NDArray[np.bool_]") -> dict[str, int]:
    columns_of = Counter(correlation.column.values())
    # a node's edge is one edge to each column that the other node stands for
    weight = np.array([columns_of[k] for k in range(len(adjacency))])
    edges = adjacency @ weight + weight - 1 if len(adjacency) else weight
    return {name: int(edges[k]) for name, k in correlation.column.items()}


def _adjacency(view: TableView, correlation: RankCorrelation, arguments: Arguments) -> "NDArray[np.bool_]":
    """Return which nodes have an edge in the completed partially directed graph."""
    nodes = len(correlation.matrix)
    widest = min(arguments["max_conditioning"], correlation.records - FEWEST_RECORDS)
    if nodes <= 1 or widest < 0:
        return np.zeros((nodes, nodes), dtype=np.bool_)
    learn = _by_ges if arguments["algorithm"] == GES else _by_pc
    graph = learn(view, correlation, arguments["alpha"], widest)
    found: NDArray[np.bool_] = (graph != 0) | (graph.T != 0)
    return found


def _by_pc(view: TableView, correlation: RankCorrelation, alpha: float, widest: int) -> "NDArray[np.int64]":
    """Return the graph of the PC algorithm with Fisher's z test (Spirtes, Glymour & Scheines 2000)."""
    from causallearn.utils.PCUtils.SkeletonDiscovery import skeleton_discovery

    data = np.zeros((correlation.records, len(correlation.matrix)))
    test = RankTest(view=view, correlation=correlation)
    skeleton = skeleton_discovery(data, alpha, test, stable=True, show_progress=False, max_k=widest)
    # directions are left out: orienting an edge neither adds nor removes one
    graph: NDArray[np.int64] = skeleton.G.graph
    return graph


def _by_ges(_: TableView, correlation: RankCorrelation, __: float, widest: int) -> "NDArray[np.int64]":
    """Return the graph of greedy equivalence search with the BIC (Chickering 2002)."""
    from causallearn.search.ScoreBased.GES import ges

    # the library adds a cause to a node of up to maxP causes
    learned = ges(cov=correlation.matrix, n=correlation.records, maxP=widest - 1)
    graph: NDArray[np.int64] = learned["G"].graph
    return graph
