"""The metrics of a treatment against scipy and scikit-learn, and which records are treated."""

import math
from collections import Counter
from dataclasses import replace
from statistics import mean, stdev

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ks_2samp, ttest_ind_from_stats
from sklearn.linear_model import LogisticRegression

from measured_people import measured_frame, open_frame
from qidguard.sdk import Grouping, NotMeasurable
from qidguard_qidlearning.metrics import propensity_overlap
from qidguard_qidlearning.metrics.balance import BALANCE_TEST, COVARIATE_SHIFT, treatment_groups
from qidguard_qidlearning.metrics.propensity_overlap import PROPENSITY_OVERLAP
from typed_records import on_random_records, typed, typed_figure, typed_table

EVERY = pytest.mark.parametrize(
    "metric", [BALANCE_TEST, COVARIATE_SHIFT, PROPENSITY_OVERLAP], ids=lambda m: m.name
)


def _groups(frame, qids=("a",), mark=None):
    return treatment_groups(open_frame(frame, suppression_mark=mark), Grouping(qids=qids, sensitive="t"))


@pytest.mark.parametrize(
    ("values", "persons"),
    [
        # 1 after 0, true after false, b after a, and 10 after 9
        ([0, 1, 1], (2, 1)),
        ([False, True, False], (1, 2)),
        (["b", "a", "b"], (2, 1)),
        ([10, 9, 9], (1, 2)),
        ([0.5, -1.0, 0.5], (2, 1)),
        # NULL and the suppression mark are left out, and only they
        (["a", "b", None, "*"], (1, 1)),
    ],
)
def test_the_later_value_is_treated(values, persons):
    """Treated and control records are counted; who has no treatment is in no group."""
    frame = pd.DataFrame({"a": ["x", None, "y", "x"][: len(values)], "t": values})
    groups = _groups(frame, mark="*")
    assert (int(groups.treated.sum()), int(groups.control.sum())) == persons


def test_equal_records_are_counted():
    """One row a combination of QIDs, NULL being a value, with its treated and control records."""
    groups = _groups(pd.DataFrame({"a": ["x", "x", "x", None], "t": [1, 1, 0, 0]}))
    counts = np.column_stack([groups.qids[0].codes, groups.treated, groups.control])
    assert sorted(counts.tolist()) == [[0, 0, 1], [1, 2, 1]]


def test_records_are_counted_and_not_entities():
    """Entity 1 is treated at one visit and in control at two: three records."""
    records = typed("atW", ("x", 1, "1"), ("x", 0, "1"), ("y", 0, "1"))
    groups = treatment_groups(typed_table(records), Grouping(qids=("a",), sensitive="t"))
    assert (int(groups.treated.sum()), int(groups.control.sum())) == (1, 2)


@pytest.mark.samples(5)
@pytest.mark.parametrize("values", [[1, 1, 1], [0, 1, 2], [None, None, 1]])
@EVERY
def test_two_values_are_needed(values, metric):
    """One or three values make no treated and control, and the sentence tells how many there are."""
    frame = pd.DataFrame({"a": ["x", "x", "y"], "t": pd.array(values, dtype="Int64")})
    count = len({v for v in values if v is not None})
    with pytest.raises(NotMeasurable, match=f"has {count} values beside NULL"):
        measured_frame(metric, frame, ["a"], "t")


@pytest.mark.samples(1)
@EVERY
def test_order_does_not_matter(metric):
    """A shuffle of the records changes nothing."""

    def figure(table):
        try:
            return typed_figure(metric, table, "abd", "t")
        except NotMeasurable as reason:
            return str(reason)

    def check(records):
        turned = replace(records, rows=records.rows[::-1])
        assert figure(records) == figure(turned)

    on_random_records(check, entities=(False,))


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
        one, other = ([r["abd".index(qid)] for r in side] for side in sides)
        if qid == "a":
            levels = [[[float(v == x) for v in side] for side in (one, other)] for x in {*one, *other}]
            found += [t_of(*level) for level in levels]
        else:
            found.append(t_of(*([float(number(v)) for v in side if v is not None] for side in (one, other))))
    return max((t for t in found if t is not None), default=None)


def number(value):
    """Return a whole number, or the day's number of a date."""
    return value if isinstance(value, int) else value.toordinal()


def shares(values):
    """Return each value's share."""
    return {value: n / len(values) for value, n in Counter(values).items()}


def shift(records, qids):
    """Add the largest KS (or total variation) and the difference of the distributions of combinations."""
    treated, control = ([r for r in records.rows if r[4] == group] for group in (1, 0))
    places = ["abd".index(qid) for qid in qids]
    largest = 0
    for place in places:
        one, other = ([r[place] for r in side] for side in (treated, control))
        if place:
            known = [[number(v) for v in side if v is not None] for side in (one, other)]
            if all(known):
                largest = max(largest, ks_2samp(*known, method="exact").statistic)
        else:
            p, q = shares(one), shares(other)
            largest = max(largest, sum(abs(p.get(v, 0) - q.get(v, 0)) for v in {*p, *q}) / 2)
    p, both = (shares([tuple(r[i] for i in places) for r in some]) for some in (treated, treated + control))
    return largest + sum(abs(p.get(x, 0) - share) for x, share in both.items())


def overlap(records, qids):
    """Fit one row a record, with the columns made by pandas."""
    frame = records.frame().dropna(subset="t")
    parts = []
    for qid in qids:
        column = frame[qid]
        if pd.api.types.is_numeric_dtype(column):
            numbers = column.astype("Float64").to_numpy(dtype=float, na_value=np.nan)
            missing = np.isnan(numbers)
            if missing.any() and not missing.all():
                parts.append(missing.astype(float)[:, None])
            spread = np.nanstd(numbers) if not missing.all() else 0
            if spread:
                parts.append(np.nan_to_num((numbers - np.nanmean(numbers)) / spread)[:, None])
        else:
            levels = pd.get_dummies(column.fillna("(missing)")).to_numpy(dtype=float)
            parts += [levels] if levels.shape[1] > 1 else []
    if not parts:
        return 0.0
    features = np.hstack(parts)
    treated = frame["t"].to_numpy(dtype=int) == 1
    model = LogisticRegression(max_iter=100_000, tol=1e-10).fit(features, treated)
    scores = model.predict_proba(features)[:, 1]
    return float(np.abs(scores[treated] - scores[~treated].mean()).mean())


ORACLES = [
    (metric, oracle, qids, precision, fewest)
    for metric, oracle, every, precision, fewest in [
        (BALANCE_TEST, largest_t, ["a", "b", "d", "abd"], {"rel": 1e-9}, 1),
        (COVARIATE_SHIFT, shift, ["a", "b", "d", "ab", "abd"], {"abs": 1e-12}, 6),
        (PROPENSITY_OVERLAP, overlap, ["a", "b", "ab"], {"abs": 1e-5}, 4),
    ]
    for qids in every
]
"""Metric, oracle, QIDs, how near they are, and how many different figures there must be to compare."""


@pytest.mark.samples(1)
@pytest.mark.parametrize(("metric", "oracle", "qids", "precision", "fewest"), ORACLES)
def test_equals_the_oracle(metric, oracle, qids, precision, fewest):
    """Over random records, of entities too, it is the oracle's figure; an infinite one is none."""
    figures, infinite = set(), set()

    def check(records):
        has_groups = {0, 1} <= {r[4] for r in records.rows}
        expected = oracle(records, qids) if has_groups else None
        if expected is None or math.isinf(expected):
            with pytest.raises(NotMeasurable):
                typed_figure(metric, records, qids, "t")
            infinite.update([expected] * has_groups)
            return
        actual = typed_figure(metric, records, qids, "t")
        assert actual == pytest.approx(expected, **precision)
        assert metric.minimum <= actual <= metric.maximum
        figures.add(round(actual, 6))

    on_random_records(check)
    assert len(figures) >= fewest
    assert infinite or metric is not BALANCE_TEST


def drawn(records):
    """Return random records with a text, a number and a treatment."""
    rng = np.random.default_rng(5)
    a, b = rng.choice(list("xyz"), records), rng.normal(size=records)
    return pd.DataFrame({"a": a, "b": b, "t": rng.integers(0, 2, records)})


def test_same_figure_twice():
    """No seed is drawn: two runs agree to the last digit; global generator and table are left alone."""
    frame = drawn(300)
    copy = frame.copy(deep=True)
    before = np.random.get_state()[1].tolist()  # noqa: NPY002 - the global state is what is looked at
    one, other = (measured_frame(PROPENSITY_OVERLAP, some, ["a", "b"], "t") for some in (frame, copy))
    assert one == other
    assert before == np.random.get_state()[1].tolist()  # noqa: NPY002 - the same
    pd.testing.assert_frame_equal(copy, frame)


def test_no_convergence_is_said(monkeypatch):
    """A regression that was cut short gives no figure, and no warning."""
    monkeypatch.setattr(propensity_overlap, "_ROUNDS", 1)
    with pytest.raises(NotMeasurable, match="did not converge in 1 rounds"):
        measured_frame(PROPENSITY_OVERLAP, drawn(50), ["a", "b"], "t")
