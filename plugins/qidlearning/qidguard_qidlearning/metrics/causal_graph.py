"""A causal graph of a table's columns, learned once for each table by the library causal-learn."""

import importlib.util
from collections import Counter
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from qidguard import Arguments, NotMeasurable, TableView
from qidguard_qidlearning.metrics.rank_correlation import RankCorrelation, rank_correlation
from qidguard_qidlearning.metrics.rank_test import FEWEST_RECORDS, RankTest

if TYPE_CHECKING:
    from numpy.typing import NDArray

PC = "pc"
GES = "ges"

_LEARNED: "WeakKeyDictionary[TableView, dict[tuple[Any, ...], dict[str, int]]]" = WeakKeyDictionary()
"""Table → arguments → the degrees: a graph belongs to the table and not to a set of QIDs."""


def degrees(view: TableView, arguments: Arguments) -> dict[str, int]:
    """Return for each column the number of its edges in the causal graph of all columns.

    Columns whose records stand in the same order (or in the reverse) are one node: each has the node's edges,
    and one more to each of the others. A constant column has no edge.

    Args:
        view: The table; it is only read, and its graph is remembered as long as it lives.
        arguments: algorithm, alpha, max_conditioning, sample_records and seed.

    Returns:
        Column name → its edges, ≥ 0, whatever their direction; a column that is not there has none.

    Units:
        Edges.

    Raises:
        NotMeasurable: When causal-learn is not installed, or there are too few records.

    Example:
        >>> import pandas as pd, qidguard
        >>> frame = pd.DataFrame({"a": [1, 2, 3, 4] * 5, "b": [4, 3, 2, 1] * 5, "c": [1, 1, 2, 2, 3] * 4})
        >>> given = {"algorithm": "pc", "alpha": 0.05, "max_conditioning": 2, "sample_records": 9, "seed": 0}
        >>> with qidguard.audit(frame) as audit:
        ...     degrees(audit.table, given)
        {'a': 1, 'b': 1, 'c': 0}
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
