"""Covariate shift against scipy's Kolmogorov-Smirnov statistic and against counting."""

from collections import Counter

import pandas as pd
import pytest
from scipy.stats import ks_2samp

from qidguard import NotMeasurable
from qidguard_qidlearning.metrics.covariate_shift import COVARIATE_SHIFT

ORDERED = {"a": False, "b": True, "d": True}


def shares(values):
    """Return each value's share."""
    return {value: n / len(values) for value, n in Counter(values).items()}


def shift(records, qids):
    """Add the largest KS (or total variation) and the difference of the distributions of combinations."""
    treated, control = ([r for r in records.rows if r[4] == group] for group in (1, 0))
    largest = 0
    for place, qid in enumerate("abd"):
        one, other = ([r[place] for r in side] for side in (treated, control))
        if qid not in qids:
            continue
        if ORDERED[qid]:
            known = [[v for v in side if v is not None] for side in (one, other)]
            if all(known):
                numbers = [[v if isinstance(v, int) else v.toordinal() for v in side] for side in known]
                largest = max(largest, ks_2samp(*numbers, method="exact").statistic)
        else:
            p, q = shares(one), shares(other)
            largest = max(largest, sum(abs(p.get(v, 0) - q.get(v, 0)) for v in {*p, *q}) / 2)
    places = ["abd".index(qid) for qid in qids]
    p = shares([tuple(r[i] for i in places) for r in treated])
    both = shares([tuple(r[i] for i in places) for r in treated + control])
    return largest + sum(abs(p.get(x, 0) - share) for x, share in both.items())


def test_apart_in_numbers(frame_figure):
    """All treated above all control: KS 1; half of P is not in P_treated and the other half doubles: D 1."""
    frame = pd.DataFrame({"b": [1, 2, 3, 4], "t": [0, 0, 1, 1]})
    assert frame_figure(COVARIATE_SHIFT, frame, ["b"], "t") == pytest.approx(2)


def test_text_has_no_order(frame_figure):
    """x, y, z against y only: total variation 2/3, whereas a KS over letters would be 1/3."""
    frame = pd.DataFrame({"a": ["x", "y", "z", "y"], "t": [0, 0, 0, 1]})
    d = 1 / 4 + 1 / 2 + 1 / 4
    assert frame_figure(COVARIATE_SHIFT, frame, ["a"], "t") == pytest.approx(2 / 3 + d)


def test_numbers_that_look_different_are_equal(tmp_path, frame_figure):
    """01 and 1 are two values of a QID but one number: no KS between them, only D."""
    table = tmp_path / "table.csv"
    table.write_text("b,t\n01,0\n01,0\n1,0\n1,1\n1,1\n01,1\n", encoding="utf-8")
    assert frame_figure(COVARIATE_SHIFT, table, ["b"], "t") == pytest.approx(1 / 3)


def test_missing_numbers_count_as_a_value_of_the_qid(frame_figure):
    """The treated lack b: no KS, but D sees that they are the group of NULL."""
    frame = pd.DataFrame({"b": pd.array([1, 1, None, None], dtype="Int64"), "t": [0, 0, 1, 1]})
    assert frame_figure(COVARIATE_SHIFT, frame, ["b"], "t") == pytest.approx(1)


@pytest.mark.slow
@pytest.mark.parametrize("qids", ["a", "b", "d", "ab", "abd"])
def test_equals_scipy(qids, on_random_records, typed_figure):
    """It is KS + D over random records, and over the records of random entities."""
    measured = []

    def check(records):
        if {0, 1} <= {r[4] for r in records.rows}:
            actual = typed_figure(COVARIATE_SHIFT, records, qids, "t")
            assert actual == pytest.approx(shift(records, qids), abs=1e-12)
            assert 0 <= actual <= COVARIATE_SHIFT.maximum
            measured.append(actual)
        else:
            with pytest.raises(NotMeasurable):
                typed_figure(COVARIATE_SHIFT, records, qids, "t")

    on_random_records(check)
    assert len(set(measured)) > 5
