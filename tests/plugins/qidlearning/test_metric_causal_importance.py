"""Causal importance: graphs whose edges are known, and columns that break a naive learner."""

import importlib.util
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from causallearn.search.ConstraintBased.PC import pc
from causallearn.utils.cit import FisherZ
from scipy.stats import spearmanr

from measured_people import measured_frame, open_frame
from qidguard.core.parameter import bind
from qidguard.sdk import NotMeasurable, audit
from qidguard_qidlearning.metrics import causal_importance
from qidguard_qidlearning.metrics.causal_importance import (
    CAUSAL_IMPORTANCE,
    RankCorrelation,
    RankTest,
    degrees,
    rank_correlation,
)
from typed_records import typed, typed_table

BOTH = pytest.mark.parametrize("algorithm", ["pc", "ges"])


def chain(records=1500, seed=0):
    """Return x → y → z, and an independent u."""
    rng = np.random.default_rng(seed)
    x, u = rng.normal(size=(2, records))
    y = 0.8 * x + 0.6 * rng.normal(size=records)
    z = 0.8 * y + 0.6 * rng.normal(size=records)
    return pd.DataFrame({"x": x, "y": y, "z": z, "u": u})


def learned(frame, needs=None, **given_arguments):
    """Return each column's edges."""
    return degrees(open_frame(frame, **needs or {}), bind(CAUSAL_IMPORTANCE.parameters, given_arguments))


def with_copies():
    """Return the chain with a constant, a copy of y and a reversed copy."""
    return chain().assign(c=1, copy=lambda f: f["y"], reversed=lambda f: -3 * f["y"])


def of_all_types():
    """Return a chain of a text, a date and numbers of which a third is missing."""
    frame = chain(800)
    frame["x"] = pd.cut(frame["x"], [-9, 0, 9], labels=["low", "up"]).astype("string")
    frame["y"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(frame["y"], unit="D")
    frame.loc[::3, "z"] = np.nan
    return frame


@BOTH
@pytest.mark.parametrize(
    ("frame", "edges"),
    [
        # in x — y — z the middle has two edges, the ends one, the independent column none
        (chain(), {"x": 1, "y": 2, "z": 1, "u": 0}),
        # a constant has no edge; y, its copy and its reverse: each tied to x, to z and to the two others
        (with_copies(), {"x": 3, "y": 4, "z": 3, "u": 0, "copy": 4, "reversed": 4}),
        # columns of any type are ranked; missing values bear no relation
        (of_all_types(), {"x": 1, "y": 2, "z": 1, "u": 0}),
        (chain()[["x"]], {"x": 0}),
        (chain()[["x", "y"]], {"x": 1, "y": 1}),
        # of a handful no independence can be tested, and a table of constants has a graph without an edge
        (pd.DataFrame({"a": [1, 2, 3], "b": [1, 3, 2], "c": [2, 1, 3]}), {"a": 0, "b": 0, "c": 0}),
        (pd.DataFrame({"a": [1, 1, 1], "b": ["x", "x", None]}), {}),
    ],
    ids=["chain", "copies", "types", "one", "two", "few", "constant"],
)
def test_known_graphs(frame, edges, algorithm):
    """Each column has the edges that its table was made with."""
    assert learned(frame, algorithm=algorithm, alpha=0.001) == edges


@pytest.mark.samples(1)
@BOTH
def test_importance_adds_up_the_edges(algorithm):
    """Σ|A[q,·]|: an edge between two QIDs counts for both."""
    given_arguments = {"algorithm": algorithm, "alpha": 0.001}
    sets = ("x", "y", "u", "xy", "xz", "xyzu")
    found = [measured_frame(CAUSAL_IMPORTANCE, chain(), list(qids), **given_arguments) for qids in sets]
    assert found == [1, 2, 0, 3, 2, 4]


@BOTH
def test_a_sum_of_columns_is_no_crash(algorithm):
    """Columns that add up to another one make a singular matrix, which is learned from all the same."""
    parts = np.random.default_rng(1).integers(0, 5, size=(400, 3))
    frame = pd.DataFrame(parts, columns=list("abc")).assign(total=parts.sum(axis=1))
    assert learned(frame, algorithm=algorithm)["total"] == 3


def test_equals_causal_learn_itself():
    """On ranks the library's own PC with Fisher's z finds the same skeleton."""
    rng = np.random.default_rng(4)
    mixed = rng.normal(size=(600, 6)) @ rng.normal(size=(6, 6)) + rng.normal(size=(600, 6))
    frame = pd.DataFrame(mixed, columns=list("abcdef"))
    graph = pc(frame.rank().to_numpy(), 0.05, "fisherz", show_progress=False, max_k=3).G.graph
    expected = dict(zip(frame, ((graph != 0) | (graph.T != 0)).sum(axis=0).tolist(), strict=True))
    assert learned(frame, alpha=0.05) == expected
    assert 0 < sum(expected.values()) < 30


def test_rank_test_equals_the_librarys():
    """The p-value is that of causal-learn's Fisher z on the same correlations."""
    data = chain(200).to_numpy()
    correlation = RankCorrelation(matrix=np.corrcoef(data.T), records=200, column={})
    theirs = FisherZ(data)
    mine = RankTest(view=SimpleNamespace(is_interrupted=False), correlation=correlation)
    for x, y, given in [(0, 1, ()), (0, 2, (1,)), (0, 3, (1, 2)), (2, 0, (1,))]:
        assert mine(x, y, given) == pytest.approx(theirs(x, y, given), rel=1e-6, abs=1e-12)


def test_correlations_equal_scipy():
    """They are Spearman's, ties with their mean rank, multiplicities counted."""
    rng = np.random.default_rng(2)
    rows = [(str(a), int(b), float(a + b)) for a, b in rng.integers(0, 4, size=(60, 2))]
    records = typed("aby", *rows)
    found = rank_correlation(typed_table(records), sample_records=1000, seed=0)
    columns = [[r[i] for r in rows] for i in range(3)]
    expected = spearmanr(np.array([np.unique(c, return_inverse=True)[1] for c in columns]).T).statistic
    assert found.records == 60
    assert found.matrix == pytest.approx(expected, abs=2e-6)


def test_learned_on_a_sample():
    """Above the stated number of records a sample is drawn: one seed, one sample."""
    table = open_frame(chain(3000))
    drawn = [rank_correlation(table, sample_records=200, seed=seed) for seed in (0, 0, 1)]
    whole = [rank_correlation(table, sample_records=3000, seed=seed) for seed in (0, 1)]
    pairs = [(drawn[0], drawn[1]), (drawn[0], drawn[2]), whole]
    assert [d.records for d in drawn] == [200] * 3
    assert [np.array_equal(one.matrix, other.matrix) for one, other in pairs] == [True, False, True]


def test_learned_once_for_each_table(monkeypatch):
    """The second set of QIDs costs nothing; other arguments learn anew."""
    times = []
    real = causal_importance.rank_correlation
    monkeypatch.setattr(
        causal_importance, "rank_correlation", lambda *a, **k: times.append(1) or real(*a, **k)
    )
    frame = chain(100)
    for qids, alpha in (("x", 0.05), ("yz", 0.05), ("x", 0.01)):
        measured_frame(CAUSAL_IMPORTANCE, frame, qids, alpha=alpha)
    assert len(times) == 2


@BOTH
def test_it_is_silent_and_leaves_everything_alone(algorithm, capfd):
    """No progress bar, no global seed, no change of the caller's table."""
    frame = chain(200)
    copy, state = frame.copy(deep=True), np.random.get_state()[1].tolist()  # noqa: NPY002 - what is looked at
    learned(frame, algorithm=algorithm)
    pd.testing.assert_frame_equal(copy, frame)
    assert state == np.random.get_state()[1].tolist()  # noqa: NPY002 - the same
    assert capfd.readouterr() == ("", "")


def test_order_and_entities_do_not_matter():
    """A shuffle changes nothing, sampled or not; records are what is learned from, whoever they are of."""
    frame = chain(500).round(1)
    turned = frame.sample(frac=1, random_state=3)
    for size in (100, 1000):
        assert learned(frame, sample_records=size) == learned(turned, sample_records=size)
    owned = learned(frame.assign(w=(np.arange(500) % 50).astype(str)), {"entity": "w"})
    assert {name: owned[name] for name in "xyzu"} == learned(frame)


@pytest.mark.parametrize(
    ("records", "kept", "reason"),
    [(1, None, "two records or more"), (1500, ("x", "y", "z"), "looks at every column")],
)
def test_no_figure(records, kept, reason):
    """One record is no sample, and a graph of three columns of four is another graph."""
    with pytest.raises(NotMeasurable, match=reason):
        learned(chain(records), {"columns": kept} if kept else None)


@pytest.mark.parametrize(
    "others",
    [[], [{"metric": "separation", "at_most": 0.9}], [{"metric": "distinct_l_diversity", "at_least": 2}]],
)
def test_other_thresholds_do_not_change_it(others):
    """Under a policy z has its edge to y, whichever columns the other thresholds look at."""
    importance = {"metric": "causal_importance", "at_least": 0.5, "parameters": {"alpha": 0.001}}
    policy = {
        "qidguard": 1,
        "name": "chain",
        "roles": {"quasi_identifiers": ["z"], "sensitive": ["u"]},
        "unnamed_columns": "insensitive",
        "thresholds": [{"metric": "k_anonymity", "at_least": 2}, importance, *others],
    }
    with audit(chain().round(1), policy=policy) as audited:
        assert audited.verdict.thresholds[1].measurement.value == 1


def test_interrupt():
    """A caller who asks to stop is heard in the midst of the tests."""
    table = typed_table(typed("ab", *[(a, i) for i, a in enumerate("xyxyxxyy")]))
    table.is_interrupted = True
    try:
        with pytest.raises(KeyboardInterrupt):
            degrees(table, bind(CAUSAL_IMPORTANCE.parameters, {}))
    finally:
        table.is_interrupted = False


def test_the_extra_is_named_where_it_is_missing(monkeypatch):
    """Without causal-learn there is no figure, and the remedy is said."""
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda n, *a: None if n == "causallearn" else real(n, *a)
    )
    with pytest.raises(NotMeasurable, match=r"install qidguard-qidlearning\[causal\]"):
        measured_frame(CAUSAL_IMPORTANCE, chain(10), ["x"])
