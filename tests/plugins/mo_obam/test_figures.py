"""The figures of a published table against tables that are counted by hand, pandas and the host's metrics."""

import math
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import qidguard
from examples import examples
from mo_obam_tables import held
from qidguard.sdk import NotMeasurable, UserError, rehearse
from qidguard_mo_obam.evaluation.figures import figures_of, measure_published

ILL = ["flu", "flu", "flu", "asthma"]


def by_pandas(before, after, qids, sensitive, kept=None):
    """Return loss, standardized loss, clusters, risk at .05, homogeneous and (12), by pandas alone."""
    before = before if kept is None else before[kept]
    after = after if kept is None else after[kept]
    parts = []
    for name in qids:
        old, new = before[name].reset_index(drop=True), after[name].reset_index(drop=True)
        if pd.api.types.is_numeric_dtype(old):
            parts.append((((old - new) ** 2).sum(), ((old - old.mean()) ** 2).sum()))
        else:
            parts.append(((old != new).sum(), (old != old.mode()[0]).sum()))
    groups = after.groupby(list(qids))
    size = groups[qids[0]].transform("size")
    single = np.zeros(len(after), dtype=bool)
    entropy = 0.0
    for name in sensitive:
        single |= (groups[name].transform("nunique") == 1).to_numpy()
        shares = groups[name].value_counts(normalize=True)
        entropy += (-(shares * np.log2(shares))).groupby(list(qids)).sum().min()
    return (
        sum(lost for lost, _ in parts) / sum(own for _, own in parts),
        sum(lost / own for lost, own in parts) / len(parts),
        groups.ngroups,
        int((size < 20).sum()),
        int(single.sum()),
        float(entropy),
    )


def as_frame(records):
    """Return records as pandas holds them."""
    columns = {name: records.column(name) for name in records.names}
    return pd.DataFrame(
        {
            name: np.array(one.texts if one.numbers is None else one.numbers)[one.codes]
            for name, one in columns.items()
        }
    )


def told(figures):
    """Return the same of our figures."""
    return (
        figures.information_loss, figures.standardized_loss, figures.clusters, figures.at_risk[0],
        figures.homogeneous, figures.entropy,
    )  # fmt: skip


MANY = {"age": [1] * 20 + [2] * 19, "ill": ["p", "q", "r"] * 13}
FOUR = {"age": [30, 32, 40, 44], "ill": ILL}
"""Their mean is 36.5, from which they deviate by 42.25 + 20.25 + 12.25 + 56.25 = 131."""
TWO_QIDS = {"age": [0, 2, 10], "sex": ["f", "f", "m"], "ill": ["p", "q", "p"]}
"""Ages deviate by 16 + 4 + 36 = 56, sexes by 1."""
OPEN = {"age": [1, 1, 2, 2], "ill": ["p", "p", "p", "q"], "t": ["p", "q", "p", "p"]}
ALONE = {"age": [1, 2, 2, 3, 3], "who": ["a", "b", "c", "d", "d"], "ill": ["p", "p", "q", "p", "q"]}
PERSONS = {"age": [1, 1, 1, 2], "who": ["a", "a", "b", "a"], "ill": ["p", "p", "q", "p"]}


@pytest.mark.parametrize(
    ("before", "changed", "asked", "expected"),
    [
        # two pairs: 31 31 42 42 lose 1 + 1 + 4 + 4; the first has flu alone
        (FOUR, {"age": [31, 31, 42, 42]}, {},
         {"information_loss": 10 / 131, "standardized_loss": 10 / 131, "clusters": 2, "smallest": 2,
          "persons": 4, "records": 4, "at_risk": (4, 4, 4), "homogeneous": 2, "entropies": (0.0,),
          "entropy_bounds": (-(0.75 * math.log2(0.75) + 0.25 * math.log2(0.25)),)}),
        # age loses 2 of 104, sex 1 of 2: raw by their sum, standardized by their mean
        ({"age": [0, 2, 10, 12], "sex": ["f", "m", "f", "m"], "ill": ILL},
         {"age": [1, 1, 10, 12], "sex": ["f", "f", "f", "m"]}, {},
         {"information_loss": 3 / 106, "standardized_loss": (2 / 104 + 1 / 2) / 2}),
        # any attribute makes a class homogeneous: the first pair agrees in one, the second in the other
        (OPEN, {}, {"sensitive": ["ill", "t"]}, {"homogeneous": 4}),
        (OPEN, {}, {}, {"homogeneous": 2}),
        # who is alone is open, with two records too
        (ALONE, {}, {}, {"homogeneous": 1}),
        (ALONE, {}, {"entity": "who"}, {"homogeneous": 2}),
        # person a is in a class of two persons and in one of one: at risk by the smaller, and counted once
        (PERSONS, {}, {"entity": "who", "thresholds": [0.5, 1.0]},
         {"persons": 2, "records": 4, "smallest": 1, "at_risk": (1, 0), "homogeneous": 1}),
        # a threshold is strict: 1/20 is not above .05, and 19 persons are
        (MANY, {}, {"thresholds": [0.05, 0.0526]}, {"at_risk": (19, 19)}),
        (MANY, {}, {"thresholds": [0.0527]}, {"at_risk": (0,)}),
        # a suppressed record loses what the mean and the mode in its place would, a suppressed cell the same
        (TWO_QIDS, {}, {"kept": [True, True, False]}, {"information_loss": 37 / 57, "persons": 2}),
        (TWO_QIDS, {"age": [0, 2, "*"], "sex": ["f", "f", "*"]}, {}, {"information_loss": 37 / 57}),
        # a number in place of NULL, and NULL in place of a number, cost the variance; a kept NULL nothing
        ({"age": [1.0, 3.0, None, None], "ill": ILL}, {"age": [1.0, None, 2.0, None]}, {},
         {"information_loss": (1 + 1) / 2}),
        # one class at the mean and the mode has the loss 1 and the entropy of the table
        (TWO_QIDS, {"age": [4, 4, 4], "sex": ["f", "f", "f"]}, {},
         {"information_loss": 1, "standardized_loss": 1, "entropy": math.log2(3) - 2 / 3,
          "entropy_bound": math.log2(3) - 2 / 3}),
    ],
)  # fmt: skip
def test_figures_by_hand(published, before, changed, asked, expected):
    """Loss in raw units and each column by itself, clusters, persons at risk and in homogeneous classes."""
    asked = dict(asked)
    thresholds = {"thresholds": asked.pop("thresholds")} if "thresholds" in asked else {}
    qids, sensitive = [name for name in before if name in {"age", "sex"}], asked.pop("sensitive", ["ill"])
    found = figures_of(published(before, changed, qids, sensitive, **asked), **thresholds)
    assert {name: getattr(found, name) for name in expected} == {
        name: pytest.approx(value) for name, value in expected.items()
    }


def test_figures_of_some_attributes_only(published):
    """Those that are named beside the table."""
    assert figures_of(published(OPEN, {}, ["age"], ["ill", "t"]), ["ill"]).homogeneous == 2


def test_the_objective(published):
    """(18) by hand; a loss of 0 is its own least, and a constant attribute has no entropy to win."""
    found = figures_of(published(FOUR, {"age": [31, 31, 40, 40]}, ["age"], ["ill"]))
    assert found.objective(found.information_loss / 4, 0.5) == pytest.approx(0.75)
    same = figures_of(published({"age": [1, 1], "ill": ["p", "p"]}, {}, ["age"], ["ill"]))
    assert same.objective(0.0, 1.0) == 0.0
    for least, weight, said in (
        (2 * found.information_loss, 0.5, "exceeds the loss"),
        (0.0, -1.0, "negative"),
    ):
        with pytest.raises(ValueError, match=said):
            found.objective(least, weight)


def test_what_cannot_be_measured(published):
    """No column, a τ outside 0..1, nothing published and intervals in place of numbers are sentences."""
    done = published({"age": [1, 2], "ill": ["p", "q"]}, {"age": ["1-2", "1-2"]}, ["age"], ["ill"])
    for error, said, ask in (
        (NotMeasurable, "published as 1 texts that are none", lambda: figures_of(done)),
        (UserError, "lies above 0", lambda: figures_of(done, thresholds=[0.0])),
        (UserError, "at least one quasi-identifier",
         lambda: measure_published(done.before, done, done.kept, [], ["ill"])),
        (NotMeasurable, "no record is published",
         lambda: measure_published(done.before, done.before, ~done.kept, ["age"], ["ill"])),
    ):  # fmt: skip
        with pytest.raises(error, match=said):
            ask()


TABLES = st.lists(
    st.tuples(st.integers(0, 5), st.sampled_from("fmx"), st.integers(0, 5), st.sampled_from("fmx"),
              st.sampled_from("pqr"), st.sampled_from("uv")),
    min_size=2, max_size=40,
).filter(lambda rows: len({row[0] for row in rows}) > 1 and len({row[1] for row in rows}) > 1)  # fmt: skip


@given(rows=TABLES)
@settings(max_examples=examples(30))
def test_equals_pandas(rows):
    """Whatever is published in place of numbers and categories, pandas counts the same."""
    names = ["age", "sex", "age_", "sex_", "s", "t"]
    frame = pd.DataFrame(rows, columns=names)
    before = frame[["age", "sex", "s", "t"]]
    after = frame[["age_", "sex_", "s", "t"]].set_axis(before.columns, axis=1)
    kept = np.ones(len(frame), dtype=np.bool_)
    found = measure_published(held(before), held(after), kept, ["age", "sex"], ["s", "t"])
    assert told(found) == pytest.approx(by_pandas(before, after, ["age", "sex"], ["s", "t"]), abs=1e-12)


@given(rows=TABLES)
@settings(max_examples=examples(25))
def test_merging_clusters_never_lowers_entropy_bounds_nor_adds_risk(rows):
    """A coarser grouping has no more people at risk, and no entropy ever exceeds its bound."""
    frame = pd.DataFrame(rows, columns=["age", "sex", "a", "b", "s", "t"])
    records = held(frame)
    kept = np.ones(len(frame), dtype=np.bool_)
    fine = measure_published(records, records, kept, ["age", "sex"], ["s", "t"])
    coarse = measure_published(records, records, kept, ["age"], ["s", "t"])
    assert all(a <= b for a, b in zip(coarse.at_risk, fine.at_risk, strict=True))
    assert coarse.homogeneous <= fine.homogeneous
    for one in (fine, coarse):
        assert all(a <= b + 1e-12 for a, b in zip(one.entropies, one.entropy_bounds, strict=True))


@pytest.mark.slow
@pytest.mark.realdata
def test_german_as_it_is(german):
    """310 combinations; 959, 828 and 698 at risk; 279 homogeneous, where the paper prints 275."""
    found = german.case.baseline().figures
    assert (found.clusters, found.at_risk, found.homogeneous) == (310, (959, 828, 698), 279)
    qids, sensitive = german.roles
    sizes = Counter(zip(*(german.frame[name] for name in qids), strict=True))
    assert found.smallest == min(sizes.values())
    assert told(found)[2:] == pytest.approx(by_pandas(german.frame, german.frame, qids, sensitive)[2:])


@pytest.mark.realdata
def test_adult_as_it_is(adult):
    """45,222 records, 1,900 combinations; 6,506, 4,906 and 3,910 at risk; 634 homogeneous."""
    found = adult.case.baseline().figures
    assert (found.records, found.clusters) == (45_222, 1_900)
    assert (found.at_risk, found.homogeneous) == ((6506, 4906, 3910), 634)


@pytest.mark.samples(1)
@pytest.mark.realdata
@pytest.mark.parametrize("method", ["mdav[k=5]", "zheng_l_diversity[k=10, l=2]"])
def test_german_as_published_agrees_with_the_metrics_of_the_host(german, method):
    """Loss, people at risk and homogeneous ones are what the host's metrics measure of the same table."""
    qids, sensitive = german.roles
    done = rehearse(german.case.records, method, german.case.task(5))
    found = figures_of(done)
    original, published = as_frame(german.case.records), as_frame(done)
    assert told(found) == pytest.approx(by_pandas(original, published, qids, sensitive))
    loss, share, *homogeneous = (
        qidguard.measure(published, "information_loss", original=original, is_same_order=True, qids=qids),
        qidguard.measure(published, "prosecutor_share_above[threshold=0.075]", qids=qids),
        *(qidguard.measure(published, "persons_homogeneous", qids=qids, sensitive=one) for one in sensitive),
    )
    assert found.information_loss == pytest.approx(float(loss.value))
    assert found.at_risk[1] == pytest.approx(1000 * float(share.value))
    assert [figures_of(done, [one]).homogeneous for one in sensitive] == [
        int(one.value) for one in homogeneous
    ]
