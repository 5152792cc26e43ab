"""What holds for every measure of utility."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard import load_policy
from qidguard.anonymizing.records import SnapshotRecords
from qidguard.auditing.demands import demands
from qidguard.core.parameter import bind
from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.engines.duckdb.engine import ENGINE
from qidguard.host import load_host
from qidguard.measuring.evaluator import measure
from qidguard.measuring.question import Question
from qidguard.sdk import (
    Bound,
    Changes,
    Grouping,
    NotMeasurable,
    Recoded,
    interval_text,
)
from qidguard_standard.utility import UTILITY_METRICS
from qidguard_standard.utility.cells import NCP
from two_tables import View, measured, view

KEPT_IS_ONE = {"granularity", "kept_share", "non_uniform_entropy_kept", "originality"}
"""The metrics that say what is kept; all others say what is lost."""
NEED_NO_ORDER = {
    "correlation_shift",
    "discernibility_with_suppression",
    "gcp",
    "hierarchy_ncp",
    "kept_share",
    "marginal_ks",
    "marginal_total_variation",
    "mean_shift",
    "ncp",
    "propensity_score_mse",
    "propensity_score_mse_ratio",
    "quantile_shift",
    "two_way_total_variation",
}
"""The metrics that can be measured where nobody knows which record became which."""

RECORDS = st.lists(
    st.tuples(
        st.one_of(st.none(), st.integers(0, 9)), st.integers(-3, 3), st.sampled_from(["x", "y", "z", None])
    ),
    min_size=2,
    max_size=12,
)
SETTINGS = settings(max_examples=examples(20), deadline=None, derandomize=True, database=None)


def columns_of(records):
    """Return records as columns a, b and c."""
    return {name: [record[at] for record in records] for at, name in enumerate("abc")}


def by_name(metric):
    """Name a case after its metric."""
    return metric.name


def figure_or_reason(metric, seen):
    """Return a figure, or the sentence that says why there is none."""
    try:
        return measured(metric, seen)
    except NotMeasurable as reason:
        return str(reason)


@pytest.mark.samples(10)
@pytest.mark.parametrize("metric", UTILITY_METRICS, ids=by_name)
@SETTINGS
@given(records=RECORDS)
def test_nothing_changed_lost_nothing(metric, records):
    """A table published as it is loses nothing, with or without a known order."""
    columns = columns_of(records)
    expected = 1.0 if metric.name in KEPT_IS_ONE else 0.0
    if metric.name == "discernibility_with_suppression":
        expected = sum(records.count(record) for record in records)
    for aligned in (True, False) if metric.name in NEED_NO_ORDER else (True,):
        found = figure_or_reason(metric, view(columns, columns, aligned=aligned))
        if isinstance(found, str):  # NULL only, or no two columns that vary
            assert metric.name in {"mean_shift", "quantile_shift", "correlation_shift"}
        else:
            assert expected == pytest.approx(found, abs=1e-12)


@pytest.mark.samples(6)
@pytest.mark.parametrize("metric", UTILITY_METRICS, ids=by_name)
@SETTINGS
@given(records=RECORDS, data=st.data())
def test_figures_stay_in_range_and_ignore_the_order(metric, records, data):
    """Whatever is generalized, suppressed or wrong, the figure lies in its range, in any order of records."""
    published, kept = data.draw(_published(records))
    before, after = columns_of(records), columns_of(published)
    found = figure_or_reason(metric, view(before, after, kept))
    if not isinstance(found, str):
        assert metric.minimum <= found <= metric.maximum
    order = data.draw(st.permutations(range(len(records))))
    place = np.cumsum(kept) - 1
    moved = [published[place[at]] for at in order if kept[at]]
    again = figure_or_reason(
        metric,
        view(columns_of([records[at] for at in order]), columns_of(moved), [kept[at] for at in order]),
    )
    assert found == (again if isinstance(found, str) else pytest.approx(again, abs=1e-9))


@st.composite
def _published(draw, records):
    """Return published records of some table, and which are kept: intervals, sets, marks, wrong values."""
    kept = draw(st.lists(st.booleans(), min_size=len(records), max_size=len(records)).filter(any))
    texts = (
        st.sampled_from([None, "*", "[0, 9]", "[2, 5]", "3", "3.5", "{1, 2}"]),
        st.sampled_from([None, "*", "[-3, 0]", "-1", "<= 1", "12"]),
        st.sampled_from([None, "*", "**"]),
    )
    own = [[None if value is None else str(value) for value in record] for record in records]
    return [
        tuple(draw(st.one_of(st.just(value), texts[at])) for at, value in enumerate(record))
        for record, is_kept in zip(own, kept, strict=True)
        if is_kept
    ], kept


@pytest.mark.parametrize("metric", UTILITY_METRICS, ids=by_name)
def test_a_known_order_is_asked_for(metric):
    """Where nobody knows which record became which there is no figure that would need it."""
    seen = view({"a": [1, 2, 3], "b": [5, 7, 6]}, {"a": [1, 2, 3], "b": [5, 7, 6]}, aligned=False)
    if metric.name in NEED_NO_ORDER:
        assert measured(metric, seen) >= 0
    else:
        with pytest.raises(NotMeasurable, match="nobody knows which record became which"):
            measured(metric, seen)


@pytest.mark.parametrize("metric", UTILITY_METRICS, ids=by_name)
def test_what_cannot_be_read_is_counted_and_not_shown(metric):
    """A published text that says nothing leaves no figure; the sentence has the count and the column."""
    seen = view({"a": [1, 2, 3], "b": [5, 7, 6]}, {"a": ["old", "odd", "3"], "b": [5, 7, 6]})
    if metric.name == "kept_share":  # it looks at no cell
        assert measured(metric, seen) == 1.0
        return
    with pytest.raises(NotMeasurable, match="2 published values of column 'a'") as raised:
        measured(metric, seen)
    assert "old" not in str(raised.value)


@pytest.mark.parametrize("metric", UTILITY_METRICS, ids=by_name)
@pytest.mark.parametrize(
    ("seen", "sentence"),
    [
        (View(None), "which nobody gave"),
        (view({"a": []}, {"a": []}), "has no records"),
        (view({"a": [1]}, {"a": [1, 2]}, aligned=False), "2 records and its original 1"),
    ],
    ids=["none", "empty", "more"],
)
def test_no_original(metric, seen, sentence):
    """Without an original, with an empty one, or with too small a one, there is no figure."""
    with pytest.raises(NotMeasurable, match=sentence):
        measured(metric, seen)


@pytest.mark.parametrize("metric", [m for m in UTILITY_METRICS if m.name != "kept_share"], ids=by_name)
def test_a_column_that_is_lacking(metric):
    """A quasi-identifier that one of the tables lacks leaves no figure."""
    seen = view({"a": [1], "b": [2]}, {"a": [1]})
    with pytest.raises(NotMeasurable, match="'b' is not in the published table"):
        measured(metric, seen)


def test_measured_on_what_an_engine_published():
    """The figures of a snapshot and its recoding are those of the same tables written by hand."""
    ages, jobs = [20, 30, 40, 50, 60], ["x", "x", "y", "y", "z"]
    frame = pd.DataFrame({"a": ages, "b": [5, 5, 6, 8, 9], "c": jobs})
    kept = np.array([True, True, True, True, False])
    interval = interval_text("20", "30")
    recoded = {"a": Recoded(codes=np.array([0, 0, 1, 2, 2]), values=(interval, "40", "*"))}
    by_hand = view(
        {"a": ages, "b": [5, 5, 6, 8, 9], "c": jobs},
        {"a": [interval, interval, "40", "*"], "b": [5, 5, 6, 8], "c": jobs[:4]},
        kept,
    )
    with (
        ENGINE.snapshot(frame, ReadOptions(), EngineSettings()) as before,
        before.recode(recoded, kept) as after,
    ):
        changes = Changes(before=SnapshotRecords(before), after=SnapshotRecords(after), kept=kept)
        seen = View(changes, grouping=Grouping(qids=("a", "b", "c")))
        expected = {metric.name: measured(metric, by_hand) for metric in UTILITY_METRICS}
        assert expected == pytest.approx({metric.name: measured(metric, seen) for metric in UTILITY_METRICS})
        with ENGINE.open(after, ReadOptions(), Needs(changes=changes), EngineSettings()) as opened:
            questions = [
                Question(
                    metric=metric,
                    arguments=bind(metric.parameters, {}),
                    qids=("a", "b", "c"),
                    attribute=None,
                    bound=Bound.AT_MOST,
                    owner="standard",
                )
                for metric in UTILITY_METRICS
            ]
            answers = {answer.metric: answer.value for answer in measure(opened, questions)}
    assert expected == pytest.approx(answers)


@pytest.mark.samples(1)
@pytest.mark.parametrize("knows_any", [2, 5])
def test_any_few_of_the_quasi_identifiers(knows_any):
    """Asked of any m of nine columns, the answer is the largest loss of any m of them."""
    random = np.random.default_rng(1)
    frame = pd.DataFrame({f"c{at}": random.integers(0, 9, 40) for at in range(9)})
    recoded = {f"c{at}": Recoded(codes=np.arange(40) % 2, values=("*", f"[0, {at}]")) for at in range(1, 9)}
    kept = np.ones(40, dtype=np.bool_)
    with (
        ENGINE.snapshot(frame, ReadOptions(), EngineSettings()) as before,
        before.recode(recoded, kept) as after,
    ):
        changes = Changes(before=SnapshotRecords(before), after=SnapshotRecords(after), kept=kept)
        with ENGINE.open(after, ReadOptions(), Needs(changes=changes), EngineSettings()) as opened:
            qids = tuple(frame.columns)
            ask = Question(
                metric=NCP,
                arguments={},
                qids=qids,
                attribute=None,
                bound=Bound.AT_MOST,
                owner="standard",
                knows_any=knows_any,
            )
            [answer] = measure(opened, [ask])
        worst = max(
            measured(NCP, View(changes, grouping=Grouping(qids=some)))
            for some in combinations(qids, knows_any)
        )
    assert answer.reason == ""
    assert worst == pytest.approx(answer.value)


def test_a_policy_may_limit_a_loss_from_either_side():
    """``ncp: at_most`` and ``originality: at_least`` are limits; one outside the range is none."""
    limits = {"ncp": ("at_most", 0.3), "originality": ("at_least", 0.2), "information_loss": ("at_most", 2)}
    policy = load_policy(
        {
            "qidguard": 1,
            "name": "p",
            "roles": {"quasi_identifiers": ["a"]},
            "thresholds": [{"metric": name, side: at} for name, (side, at) in limits.items()],
        }
    )
    found = demands(policy, ("a",), load_host())
    assert limits == {one.question.metric.name: (one.limit.bound.value, one.limit.value) for one in found}


def test_columns_are_read_once_and_forgotten():
    """All metrics share what was read, and nothing of it outlives the changes."""
    from qidguard_standard.utility import changed_columns

    seen = view({"a": [1, 2]}, {"a": [1, 2]})
    key = id(seen.changes)
    [one] = changed_columns.changed_columns(seen, seen.grouping)
    [two] = changed_columns.changed_columns(seen, seen.grouping)
    assert one is two
    del seen
    assert key not in changed_columns._FOUND
