"""How much the QIDs stand in a causal graph that is learned from the table.

Rank correlations of a table's columns on a seeded sample of its records.

A causal graph of a table's columns, learned once for each table by the library causal-learn.

The PC algorithm asks a test of conditional independence: Fisher's z on rank correlations.

Causal importance: how many edges the QIDs have in a causal graph of all columns.

It is no group-by: the graph is learned from all columns together, once for each table.
"""

import importlib.util
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from qidguard.sdk import (
    Arguments,
    Codes,
    DataError,
    Explanation,
    Grouping,
    Metric,
    NotMeasurable,
    Parameter,
    TableFunction,
    TableView,
)
from qidguard_qidlearning.metrics.wording import CAUSAL_GOOD, PAPER, SCORE

if TYPE_CHECKING:
    from numpy.typing import NDArray

NULL = 0
"""The code of NULL in every column."""

_SAME = 1 - 1e-9
"""From here on two columns are one and the same, or one is the reverse of the other."""

_RIDGE = 1e-6
"""Share of the unit matrix that is mixed in, so that no sum of columns makes the matrix singular."""


@dataclass(frozen=True, kw_only=True)
class RankCorrelation:
    """Spearman's correlations of the columns that vary.

    Args:
        matrix: Shape (k, k), positive definite with ones on the diagonal.
        records: Number of records in the sample.
        column: Column name → its place in the matrix; columns of the same order share one, constant ones
            have none.
    """

    matrix: "NDArray[np.float64]"
    records: int
    column: dict[str, int]


def rank_correlation(view: TableView, *, sample_records: int, seed: int) -> RankCorrelation:
    """Return the rank correlations (Spearman 1904) of all columns of the table, or of a sample of records.

    A value counts with its rank in the column's natural order, equal values with their mean rank. The order
    of text is that of its letters, which is meaningless but for two values. A missing value stands at the
    mean rank, where it correlates with nothing.
    """
    names, coded = _columns(view)
    records = int(coded.records.sum())
    if records <= 1:
        raise NotMeasurable("A causal graph is learned from two records or more, and the table has fewer.")
    rows = _sample(coded, min(sample_records, records), seed)
    scores = {}
    for place, name in enumerate(names):
        is_missing = (rows[:, place] == NULL) | (rows[:, place] == coded.suppressed[place])
        found = _scores(rows[:, place], is_missing)
        if found is not None:
            scores[name] = found
    return _correlated(scores, len(rows))


def _columns(view: TableView) -> tuple[tuple[str, ...], Codes]:
    """Return the table's columns in its order, and their codes; fewer would be another graph."""
    names = tuple(facts.name for facts in view.columns)
    try:
        return names, view.codes(names)
    except DataError:
        raise NotMeasurable(
            "It looks at every column, and the table was opened with some of them only; open it with all."
        ) from None


def _sample(coded: Codes, size: int, seed: int) -> "NDArray[np.int32]":
    """Return the codes of some records, drawn without replacement; all of them in their order if wanted."""
    end = np.cumsum(coded.records)
    if size == end[-1]:
        return np.repeat(coded.codes, coded.records, axis=0)
    drawn = np.random.default_rng(seed).choice(int(end[-1]), size=size, replace=False, shuffle=False)
    sampled: NDArray[np.int32] = coded.codes[np.searchsorted(end, np.sort(drawn), side="right")]
    return sampled


def _scores(codes: "NDArray[np.int32]", is_missing: "NDArray[np.bool_]") -> "NDArray[np.float64] | None":
    """Return centered mean ranks of length 1, 0 where missing; None for a column that does not vary."""
    known = codes[~is_missing]
    values, place, counts = np.unique(known, return_inverse=True, return_counts=True)
    if len(values) <= 1:
        return None
    mean_rank = np.cumsum(counts) - (counts - 1) / 2
    ranks = mean_rank[place] - (len(known) + 1) / 2
    scores = np.zeros(len(codes))
    scores[~is_missing] = ranks / np.sqrt(ranks @ ranks)
    return scores


def _correlated(scores: "dict[str, NDArray[np.float64]]", records: int) -> RankCorrelation:
    """Return the correlations of the columns that differ in their order."""
    kept: list[NDArray[np.float64]] = []
    column = {}
    for name, found in scores.items():
        same = next((k for k, other in enumerate(kept) if abs(float(other @ found)) >= _SAME), None)
        if same is None:
            same = len(kept)
            kept.append(found)
        column[name] = same
    stacked = np.array(kept).reshape(len(kept), records)
    matrix = (1 - _RIDGE) * (stacked @ stacked.T)
    np.fill_diagonal(matrix, 1.0)
    return RankCorrelation(matrix=matrix, records=records, column=column)


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


_PARAMETERS = (
    Parameter(
        name="algorithm",
        type=str,
        default=PC,
        choices=(PC, GES),
        meaning="how the graph is learned: by independence tests (pc), or by a score (ges), which is slower",
    ),
    Parameter(
        name="alpha",
        type=float,
        default=0.05,
        minimum=1e-9,
        maximum=0.999,
        meaning="level of pc's independence tests, a probability; ges does not use it",
    ),
    Parameter(
        name="max_conditioning",
        type=int,
        default=3,
        minimum=0,
        maximum=1000,
        meaning="largest number of columns that pc holds fixed in a test, or that ges lets cause another one",
    ),
    Parameter(
        name="sample_records",
        type=int,
        default=2000,
        minimum=10,
        maximum=10_000_000,
        meaning="number of records above which the graph is learned on a sample of that many",
    ),
    Parameter(name="seed", type=int, default=0, minimum=0, meaning="seed of the sample, a whole number"),
)


def _measure(view: TableView, grouping: Grouping, arguments: Arguments) -> float:
    """Return Σ|A[q,·]| over the QIDs; the graph is learned from all columns, so it is no group-by."""
    edges = degrees(view, arguments)
    return float(sum(edges.get(name, 0) for name in grouping.qids))


CAUSAL_IMPORTANCE = Metric(
    name="causal_importance",
    title="causal importance",
    **SCORE,
    method=TableFunction(measure=_measure),
    parameters=_PARAMETERS,
    needs_every_column=True,
    explanation=Explanation(
        meaning="How closely the QIDs are tied to the other columns in a causal graph of the table. 0 means "
        "that they stand alone; each edge of a QID adds 1, and an edge between two QIDs counts for both. The "
        "graph is a guess from one sample: other records, levels or algorithms give other edges. Needs the "
        "extra qidguard-qidlearning[causal].",
        formula="Σ over the QIDs q of Σ |A[q,·]|, A the adjacency matrix of the graph, 1 for an edge "
        "whatever its direction. The graph is learned once over all columns of the table, named in the "
        "policy or not, by PC with Fisher's z or by GES with the BIC, on rank correlations. The order of "
        "text is that of its letters, which has a meaning for two values only. Columns of the same order "
        "share their edges and have one between them.",
        source="Spirtes, Glymour & Scheines 2000, Causation, prediction, and search; Chickering 2002, "
        "Optimal structure identification with greedy search; Harris & Drton 2013, PC algorithm for "
        f"nonparanormal graphical models; {PAPER}, section 4.1",
        good_value=CAUSAL_GOOD,
        missing="NULL and suppressed values stand at the column's mean rank, where they correlate with "
        "nothing; no record is dropped.",
        empty="Not measurable: a graph is learned from two records or more.",
        single_class="0: columns that are constant have no edges.",
    ),
)

METRICS: tuple[Metric, ...] = (CAUSAL_IMPORTANCE,)
