"""The balance test against scipy's t test without equal variances."""

import math
from statistics import mean, stdev

import pandas as pd
import pytest
from scipy.stats import ttest_ind_from_stats

from qidguard import NotMeasurable
from qidguard_qidlearning.metrics.balance_test import BALANCE_TEST


def t_of(one, other):
    """Take Welch's |t|, 0 and inf by the rule; None with fewer than two values on a side."""
    if min(len(one), len(other)) < 2:
        return None
    if len({*one}) == len({*other}) == 1:
        return 0.0 if one[0] == other[0] else math.inf
    moments = [f(side) for side in (one, other) for f in (mean, stdev, len)]
    return abs(float(ttest_ind_from_stats(*moments, equal_var=False).statistic))


def largest_t(records, qids):
    """Take the largest |t| over the QIDs, a text counting with each of its levels."""
    sides = [[r for r in records.rows if r[4] == group] for group in (1, 0)]
    found = []
    for qid in qids:
        place = "abd".index(qid)
        one, other = ([r[place] for r in side] for side in sides)
        if qid == "a":
            found += [
                t_of([float(v == x) for v in one], [float(v == x) for v in other]) for x in {*one, *other}
            ]
        else:
            numbers = [
                [float(v) if isinstance(v, int) else float(v.toordinal()) for v in side if v is not None]
                for side in (one, other)
            ]
            found.append(t_of(*numbers))
    found = [t for t in found if t is not None]
    return max(found) if found else None


def test_by_hand(frame_figure):
    """Means 1 and 4, each variance 2 over 2 records: 3 / √(1 + 1)."""
    frame = pd.DataFrame({"b": [0, 2, 3, 5], "t": [0, 0, 1, 1]})
    assert frame_figure(BALANCE_TEST, frame, ["b"], "t") == pytest.approx(3 / math.sqrt(2))


def test_the_worst_qid_counts(frame_figure):
    """A balanced column beside it changes nothing."""
    frame = pd.DataFrame({"a": ["x", "y", "x", "y"], "b": [0, 2, 3, 5], "t": [0, 0, 1, 1]})
    assert frame_figure(BALANCE_TEST, frame, ["a", "b"], "t") == pytest.approx(3 / math.sqrt(2))


def test_constant_qid(frame_figure):
    """The means are equal and nothing varies: t is 0, also for a number without an exact mean."""
    frame = pd.DataFrame({"b": [0.1] * 6, "t": [0, 0, 0, 1, 1, 1]})
    assert frame_figure(BALANCE_TEST, frame, ["b"], "t") == 0


@pytest.mark.parametrize("values", [[1, 1, 2, 2], ["x", "x", "y", "y"]])
def test_separated_without_spread(values, frame_figure):
    """An infinite t is no figure."""
    with pytest.raises(NotMeasurable, match="t is infinite"):
        frame_figure(BALANCE_TEST, pd.DataFrame({"b": values, "t": [0, 0, 1, 1]}), ["b"], "t")


@pytest.mark.parametrize("values", [[1.0, 2.0, 3.0], ["x", "y", "x"]])
def test_too_few_records(values, frame_figure):
    """One treated record has no variance."""
    with pytest.raises(NotMeasurable, match="two records with a value"):
        frame_figure(BALANCE_TEST, pd.DataFrame({"b": values, "t": [0, 0, 1]}), ["b"], "t")


def test_missing_numbers_are_left_out(frame_figure):
    """The t of b is that of the records that have it; in text NULL is a level."""
    b = pd.array([0, 2, None, 3, 5, None], dtype="Int64")
    frame = pd.DataFrame({"b": b, "t": [0, 0, 0, 1, 1, 1]})
    assert frame_figure(BALANCE_TEST, frame, ["b"], "t") == pytest.approx(3 / math.sqrt(2))
    frame = pd.DataFrame({"b": ["x", None, "x", "x"], "t": [0, 0, 1, 1]})
    assert frame_figure(BALANCE_TEST, frame, ["b"], "t") == pytest.approx(1)


@pytest.mark.samples(1)
@pytest.mark.parametrize("qids", ["a", "b", "d", "abd"])
def test_equals_scipy(qids, on_random_records, typed_figure):
    """It is the largest of scipy's t statistics, or there is no figure where one is infinite or all lack."""
    kinds = set()

    def check(records):
        if not {0, 1} <= {r[4] for r in records.rows}:
            return
        expected = largest_t(records, qids)
        if expected is None or math.isinf(expected):
            with pytest.raises(NotMeasurable):
                typed_figure(BALANCE_TEST, records, qids, "t")
            kinds.add(expected)
        else:
            assert typed_figure(BALANCE_TEST, records, qids, "t") == pytest.approx(expected, rel=1e-9)
            kinds.add("figure")

    on_random_records(check)
    assert "figure" in kinds
    assert len(kinds) > 1
