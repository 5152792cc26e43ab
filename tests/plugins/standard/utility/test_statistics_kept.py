"""Statistics kept, against scipy, scikit-learn and numpy."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.linear_model import LogisticRegression

from examples import examples
from qidguard.sdk import Changes, ColumnValues, NotMeasurable, ValueType
from qidguard_standard.utility.marginals import MARGINAL_KS, MOST_ROWS, TWO_WAY_TOTAL_VARIATION
from qidguard_standard.utility.numbers import CORRELATION_SHIFT, MEAN_SHIFT, QUANTILE_SHIFT, Weighted
from qidguard_standard.utility.propensity_score_mse import PROPENSITY_METRICS
from two_tables import Columns, View, measured, view

PMSE, RATIO = PROPENSITY_METRICS
NUMBERS = st.lists(st.integers(-9, 9), min_size=2, max_size=20).filter(lambda some: len(set(some)) > 1)
SETTINGS = settings(max_examples=examples(60), deadline=None, derandomize=True, database=None)


@SETTINGS
@given(before=NUMBERS, data=st.data())
def test_means_quantiles_and_ks_equal_numpy_and_scipy(before, data):
    """Against population moments, inverted-CDF quantiles and the two-sample statistic."""
    size = len(before)
    after = data.draw(st.lists(st.integers(-12, 12), min_size=size, max_size=size))
    seen = view({"a": before}, {"a": after})
    shift = abs(np.mean(after) - np.mean(before)) / np.std(before)
    assert shift == pytest.approx(measured(MEAN_SHIFT, seen), abs=1e-9)
    parts = data.draw(st.sampled_from([2, 4, 10]))
    shares = np.arange(1, parts) / parts
    q_before, q_after = (np.quantile(x, shares, method="inverted_cdf") for x in (before, after))
    expected = np.abs(q_after - q_before).max() / np.ptp(before)
    assert expected == pytest.approx(measured(QUANTILE_SHIFT, seen, parts=parts))
    distance = stats.ks_2samp(before, after, method="asymp").statistic
    assert distance == pytest.approx(measured(MARGINAL_KS, seen), abs=1e-12)


def test_quantiles_at_exact_shares():
    """Of 25 records the quantile 7/25 is the seventh, though 7/25 · 25 is written a little above 7."""
    numbers = Weighted(numbers=np.arange(1.0, 26), weights=np.ones(25))
    assert [numbers.quantile(part / 25) for part in range(1, 26)] == list(range(1, 26))


def test_two_ways_to_write_a_number_are_one_step():
    """1 published as 1.0 moves no distribution."""
    both = {"a": ColumnValues(name="a", value_type=ValueType.NUMBER, codes=np.array([1, 1, 2]),
                              texts=(None, "1", "1.0"), numbers=np.array([np.nan, 1, 1]))}  # fmt: skip
    moved = {"a": replace(both["a"], codes=np.array([1, 2, 2]))}
    changes = Changes(before=Columns(both, 3), after=Columns(moved, 3), kept=None)
    assert measured(MARGINAL_KS, View(changes)) == 0


@SETTINGS
@given(one=NUMBERS, data=st.data())
def test_correlations_equal_numpy(one, data):
    """Against numpy's, where both columns vary before and after."""
    size = len(one)
    columns = [data.draw(st.lists(st.integers(-5, 5), min_size=size, max_size=size)) for _ in range(3)]
    other, one_after, other_after = columns
    seen = view({"a": one, "b": other}, {"a": one_after, "b": other_after})
    if len(set(other)) == 1:
        with pytest.raises(NotMeasurable, match="No two numeric quasi-identifiers"):
            measured(CORRELATION_SHIFT, seen)
        return
    varies = len(set(one_after)) > 1 and len(set(other_after)) > 1
    after = np.corrcoef(one_after, other_after)[0, 1] if varies else 0.0
    expected = abs(after - np.corrcoef(one, other)[0, 1])
    assert expected == pytest.approx(measured(CORRELATION_SHIFT, seen), abs=1e-9)


def test_pmse_tells_all_apart_at_most_by_the_shares():
    """Where every published value differs, p is nearly 0 or 1 and pMSE nearly c(1 − c)."""
    ages = list(range(100)) * 3
    far = view({"a": ages}, {"a": [age + 1000 for age in ages]})
    assert 0.2 < measured(PMSE, far) <= 0.25
    assert 0.2 < measured(PMSE, far, model="cart") <= 0.25
    assert measured(RATIO, far) > 50
    assert measured(RATIO, far, model="cart") > 1.5  # by chance alone a tree tells fewer apart
    marked = view({"a": ages}, {"a": ["*"] * len(ages)})
    assert 0.2 < measured(PMSE, marked) <= 0.25  # they stand at the mean, and are told by their mark


def test_pmse_equals_scikit_learns_scores():
    """Against a regression written out for one number, one category and a suppressed record."""
    ages, jobs, kept = [1, 2, 3, 4, 5, 9], list("xxxyyz"), [True] * 5 + [False]
    after = {"a": ["[1, 3]"] * 3 + ["4", "9"], "c": ["x", "x", "{x, y}", "y", "*"]}
    seen = view({"a": ages, "c": jobs}, after, kept)
    numbers = (np.array([*ages, 2, 2, 2, 4, 9]) - np.mean(ages)) / np.std(ages)
    y = np.array([0, 0, 0, 1, 1, 0, 0, 0, 0.5, 1, 0])
    z = np.array([0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0])
    marked = np.array([0] * 10 + [1])
    features = np.stack([numbers, y, z, marked], axis=1)
    is_published = np.array([0] * 6 + [1] * 5)
    model = LogisticRegression(max_iter=10_000, tol=1e-10).fit(features, is_published)
    expected = ((model.predict_proba(features)[:, 1] - 5 / 11) ** 2).mean()
    assert expected == pytest.approx(measured(PMSE, seen), rel=1e-5)
    null = 4 * (6 / 11) ** 2 * (5 / 11) / 11  # four features and the intercept, less one
    assert expected / null == pytest.approx(measured(RATIO, seen), rel=1e-5)


@pytest.mark.samples(1)
@pytest.mark.parametrize("model", ["logistic", "cart"])
def test_a_fresh_sample_has_a_ratio_near_one(model):
    """Records drawn anew from one population differ as the expected value says (Snoke et al. 2018)."""
    random = np.random.default_rng(5)
    ratios = []
    for _ in range(20):
        tables = [
            {"a": random.integers(0, 40, 500).tolist(), "b": random.integers(0, 5, 500).tolist()}
            for _ in range(2)
        ]
        ratios.append(measured(RATIO, view(*tables, aligned=False), model=model))
    # the mean of 20 χ²/2 figures has the standard error 0.22; trees vary far less
    assert np.mean(ratios) == pytest.approx(1, abs=0.7 if model == "logistic" else 0.1)


def test_a_sample_is_drawn_by_the_seed_and_of_the_same_records():
    """A sample of a table that nothing happened to shows no difference, and one seed gives one figure."""
    ages = list(range(200))
    assert measured(PMSE, view({"a": ages}, {"a": ages}), sample=20) == pytest.approx(0, abs=1e-15)
    moved = {"a": [age + age % 7 for age in ages]}
    one, two = (measured(PMSE, view({"a": ages}, moved, seed=seed), sample=50) for seed in (3, 4))
    assert one == measured(PMSE, view({"a": ages}, moved, seed=3), sample=50)
    assert not math.isclose(one, two, rel_tol=1e-6)


def test_a_sample_without_a_published_record():
    """Where the draw meets nobody who was published there is nothing to compare."""
    ages = list(range(200))
    seen = view({"a": ages}, {"a": [0]}, [True] + [False] * 199)
    with pytest.raises(NotMeasurable, match="No published record is among those drawn"):
        measured(PMSE, seen, sample=2)


def test_permutations_stop_when_asked():
    """A caller's wish to stop is heard between two permutations."""
    made = view({"a": [1, 2, 3]}, {"a": [1, 3, 3]})
    with pytest.raises(KeyboardInterrupt):
        measured(RATIO, View(made.changes, is_interrupted=True), model="cart")


def test_many_values_of_text_share_an_indicator():
    """Sixty values make fifty indicators and one for the rest, less the one that is compared with."""
    from qidguard_standard.utility.changed_columns import changed_columns
    from qidguard_standard.utility.propensity_score_mse import MOST_LEVELS, features

    values = [f"v{at:02d}" for at in range(60)]
    seen = view({"c": values}, {"c": values})
    found = features(changed_columns(seen, seen.grouping), np.arange(60), np.arange(60))
    assert found.shape == (120, MOST_LEVELS)
    assert found.sum(axis=1).tolist() == ([0.0] + [1.0] * 59) * 2  # NULL does not occur and has no record


@SETTINGS
@given(
    rows=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=12), data=st.data()
)
def test_two_way_tables_of_few_values_against_pandas(rows, data):
    """Cross tables by pandas, wherever records went among known values."""
    import pandas as pd

    after = data.draw(st.permutations(rows))
    known = [(str(a), str(b)) for a, b in rows]
    others = [(known[i][0], str(b)) for i, (_, b) in enumerate(after)]
    one, other = (pd.DataFrame(some).value_counts(normalize=True) for some in (known, others))
    expected = float(one.sub(other, fill_value=0).abs().sum()) / 2
    a, b = zip(*known, strict=True)
    c, d = zip(*others, strict=True)
    seen = view({"a": list(a), "b": list(b)}, {"a": list(c), "b": list(d)})
    assert measured(TWO_WAY_TOTAL_VARIATION, seen) == pytest.approx(expected)


def test_columns_of_many_values_are_tabulated_in_bands():
    """Forty numbers in twenty bands of two: a move inside a band is none, one into the next is."""
    numbers = list(range(2 * MOST_ROWS))
    inside = [number ^ 1 for number in numbers]
    beyond = [*numbers[:1], numbers[2], numbers[1], *numbers[3:]]
    same = ["x"] * len(numbers)
    assert measured(TWO_WAY_TOTAL_VARIATION, view({"a": numbers, "b": same}, {"a": inside, "b": same})) == 0
    labels = ["x", "y"] * MOST_ROWS
    moved = view({"a": numbers, "b": labels}, {"a": beyond, "b": labels})
    assert measured(TWO_WAY_TOTAL_VARIATION, moved) == pytest.approx(2 / len(numbers))
