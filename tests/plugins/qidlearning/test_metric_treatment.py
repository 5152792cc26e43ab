"""Treated and control: which records are in which group."""

import pandas as pd
import pytest

from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.engines.duckdb import ENGINE
from qidguard.sdk import Grouping, NotMeasurable
from qidguard_qidlearning.metrics.balance_test import BALANCE_TEST
from qidguard_qidlearning.metrics.covariate_shift import COVARIATE_SHIFT
from qidguard_qidlearning.metrics.propensity_overlap import PROPENSITY_OVERLAP
from qidguard_qidlearning.metrics.treatment import treatment_groups

EVERY = (BALANCE_TEST, COVARIATE_SHIFT, PROPENSITY_OVERLAP)


@pytest.mark.parametrize(
    ("values", "treated"),
    [([0, 1, 1], 2), ([False, True, False], 1), (["b", "a", "b"], 2), ([10, 9, 9], 1), ([0.5, -1.0, 0.5], 2)],
)
def test_the_later_value_is_treated(values, treated):
    """1 after 0, true after false, b after a, and 10 after 9."""
    frame = pd.DataFrame({"a": ["x", "x", "y"], "t": values})
    groups = _groups(frame)
    assert (int(groups.treated.sum()), int(groups.control.sum())) == (treated, 3 - treated)


def _groups(frame, qids=("a",), mark=None):
    needs = Needs(suppression_mark=mark)
    with ENGINE.open(frame, ReadOptions(), needs, EngineSettings(threads=1)) as table:
        return treatment_groups(table, Grouping(qids=qids, sensitive="t"))


def test_records_without_a_treatment_are_in_no_group():
    """NULL and the suppression mark are left out, and only they."""
    frame = pd.DataFrame({"a": ["x", None, "x", "x"], "t": ["a", "b", None, "*"]})
    groups = _groups(frame, mark="*")
    assert (int(groups.treated.sum()), int(groups.control.sum())) == (1, 1)


def test_equal_records_are_counted():
    """One row a combination of QIDs, NULL being a value, with its treated and control records."""
    frame = pd.DataFrame({"a": ["x", "x", "x", None], "t": [1, 1, 0, 0]})
    groups = _groups(frame)
    found = sorted(zip(groups.qids[0].codes.tolist(), groups.treated.tolist(), groups.control.tolist()))  # noqa: B905 - three arrays of one table
    assert found == [(0, 0, 1), (1, 2, 1)]


def test_records_are_counted_and_not_entities(typed, typed_table):
    """Entity 1 is treated at one visit and in control at two: three records."""
    records = typed("atw", ("x", 1, "1"), ("x", 0, "1"), ("y", 0, "1"), entity=True)
    groups = treatment_groups(typed_table(records), Grouping(qids=("a",), sensitive="t"))
    assert (int(groups.treated.sum()), int(groups.control.sum())) == (1, 2)


@pytest.mark.samples(5)
@pytest.mark.parametrize("values", [[1, 1, 1], [0, 1, 2], [None, None, 1]])
@pytest.mark.parametrize("metric", EVERY, ids=lambda m: m.name)
def test_two_values_are_needed(values, metric, frame_figure):
    """One or three values make no treated and control, and the sentence tells how many there are."""
    frame = pd.DataFrame({"a": ["x", "x", "y"], "t": pd.array(values, dtype="Int64")})
    count = len({v for v in values if v is not None})
    with pytest.raises(NotMeasurable, match=f"has {count} values beside NULL"):
        frame_figure(metric, frame, ["a"], "t")


@pytest.mark.samples(1)
@pytest.mark.parametrize("metric", EVERY, ids=lambda m: m.name)
def test_order_does_not_matter(metric, on_random_records, typed, typed_figure):
    """A shuffle of the records changes nothing."""

    def check(records):
        turned = typed(records.columns, *records.rows[::-1], entity=records.entity)
        figures = []
        for table in (records, turned):
            try:
                figures.append(typed_figure(metric, table, "abd", "t"))
            except NotMeasurable as reason:
                figures.append(str(reason))
        assert figures[0] == figures[1]

    on_random_records(check, entities=(False,))


@pytest.mark.parametrize("metric", EVERY, ids=lambda m: m.name)
def test_the_callers_table_is_unchanged(metric, frame_figure):
    """A metric only reads."""
    frame = pd.DataFrame({"a": ["x", None, "y", "y"], "b": [1.0, 2.0, None, 4.0], "t": [0, 1, 1, 0]})
    before = frame.copy(deep=True)
    frame_figure(metric, frame, ["a"], "t")
    pd.testing.assert_frame_equal(before, frame)


@pytest.mark.parametrize("metric", EVERY, ids=lambda m: m.name)
def test_equal_groups(metric, frame_figure):
    """Two groups of the same records differ in nothing, whatever the columns hold."""
    half = pd.DataFrame({"a": ["x", None, "y"], "b": pd.array([1, 1, None], dtype="Int64"), "c": [7, 7, 7]})
    frame = pd.concat([half.assign(t=0), half.assign(t=1)], ignore_index=True)
    assert frame_figure(metric, frame, ["a", "b", "c"], "t") == pytest.approx(0, abs=1e-6)
