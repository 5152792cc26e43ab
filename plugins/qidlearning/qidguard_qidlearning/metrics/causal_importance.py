"""Causal importance: how many edges the QIDs have in a causal graph of all columns.

It is no group-by: the graph is learned from all columns together, once for each table.
"""

import math

from qidguard.sdk import (
    Arguments,
    Direction,
    Explanation,
    Grouping,
    Metric,
    Parameter,
    TableFunction,
    TableView,
    Unit,
)
from qidguard_qidlearning.metrics.causal_graph import GES, PC, degrees
from qidguard_qidlearning.metrics.wording import CAUSAL_GOOD, PAPER

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
    unit=Unit.SCORE,
    minimum=0.0,
    maximum=math.inf,
    direction=Direction.NEITHER,
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
"""Edges of the QIDs in a causal graph."""
