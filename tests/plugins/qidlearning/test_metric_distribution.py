"""Distributions over classes: statistics against scipy over repeated values, and where they come from."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from examples import examples
from measured_people import measured_frame
from qidguard import NotMeasurable, UserError, audit
from qidguard_qidlearning.distribution import Distribution, Moments, distribution_of
from qidguard_qidlearning.metrics import METRICS
from qidguard_qidlearning.metrics.causal_importance import CAUSAL_IMPORTANCE
from qidguard_qidlearning.metrics.privacy import DELTA_PRESENCE, K_ANONYMITY_PER_CLASS
from qidguard_qidlearning.metrics.target import COMPLETENESS_UTILITY, RANGE_UTILITY

PER_CLASS = [m for m in METRICS if m.parameters and m.parameters[0].name == "statistic"]


def values_of(found):
    """Return the values of a distribution as a list."""
    return found.values.tolist()  # noqa: PD011 - a distribution is no pandas object


def of_numpy(values):
    """Return the moments by numpy and scipy."""
    is_constant = len({*values}) == 1
    about = pytest.approx
    return Moments(
        mean=about(np.mean(values), rel=1e-9, abs=1e-12),
        median=about(np.median(values), rel=1e-12),
        standard_deviation=about(0 if is_constant else np.std(values), rel=1e-9),
        skewness=None if is_constant else about(stats.skew(values), rel=1e-6, abs=1e-6),
        excess_kurtosis=None if is_constant else about(stats.kurtosis(values), rel=1e-6, abs=1e-6),
    )


@settings(max_examples=examples(150), deadline=None, derandomize=True, database=None)
@given(st.lists(st.tuples(st.integers(-50, 50), st.integers(1, 9)), min_size=1, max_size=12))
def test_statistics_equal_scipy_over_repeated_values(pairs):
    """A class of n persons counts like its value n times."""
    values, sizes = np.array(pairs).T
    found = Distribution(values=values / 4, sizes=sizes).statistics()
    assert found.unweighted == of_numpy(values / 4)
    assert found.weighted == of_numpy(np.repeat(values / 4, sizes))
    assert (found.minimum, found.maximum) == (min(values) / 4, max(values) / 4)
    assert (found.classes, found.persons, found.classes_without_value) == (len(pairs), sizes.sum(), 0)


@pytest.mark.parametrize(
    ("values", "sizes", "counts", "means", "medians"),
    [
        # NaN is no value; its persons count nowhere
        ([math.nan, 2.0, 4.0], [9, 1, 3], (2, 4, 1), (3, 3.5), (3, 4)),
    ],
)
def test_by_hand(values, sizes, counts, means, medians):
    """Classes, persons and classes without a value; means and medians over classes and over persons."""
    found = Distribution(values=values, sizes=sizes).statistics()
    assert (found.classes, found.persons, found.classes_without_value) == counts
    assert (found.unweighted.mean, found.weighted.mean) == means
    assert (found.unweighted.median, found.weighted.median) == medians


@pytest.mark.parametrize("values", [[0.1], [0.1, 0.1, 0.1]])
def test_single_class_and_constant(values):
    """The deviation is exactly 0, and there is neither skewness nor kurtosis."""
    found = Distribution(values=values, sizes=[3] * len(values)).statistics()
    flat = Moments(mean=0.1, median=0.1, standard_deviation=0.0, skewness=None, excess_kurtosis=None)
    assert (found.weighted, found.unweighted) == (flat, flat)


@pytest.mark.parametrize("values", [[], [math.nan]])
def test_no_value_has_no_statistics(values):
    """Over no class with a value there is no distribution."""
    with pytest.raises(NotMeasurable, match="No class has a value"):
        Distribution(values=values, sizes=[1] * len(values)).statistics()


@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_tiny_and_huge_values_keep_their_shape(scale):
    """Fourth powers neither vanish nor overflow."""
    found = Distribution(values=np.array([1.0, 2.0, 6.0]) * scale, sizes=[1, 1, 1]).statistics()
    assert found.unweighted.skewness == pytest.approx(stats.skew([1, 2, 6]))
    assert found.unweighted.standard_deviation == pytest.approx(np.std([1, 2, 6]) * scale)


@pytest.mark.parametrize(
    ("values", "sizes", "reason"),
    [
        ([1.0], [1, 1], "one size a value"),
        ([[1.0]], [[1]], "one size a value"),
        ([1.0], [0], "whole number of persons, at least 1"),
        ([1.0], [1.5], "whole number of persons, at least 1"),
        ([math.inf], [1], "must be finite"),
    ],
)
def test_what_is_no_distribution(values, sizes, reason):
    """It is checked when it is made."""
    with pytest.raises(ValueError, match=reason):
        Distribution(values=values, sizes=sizes)


def test_it_is_a_value():
    """Neither it nor the arrays it was made from change afterward."""
    values = np.array([1.0, 2.0])
    found = Distribution(values=values, sizes=[1, 1])
    values[0] = 7
    assert values_of(found) == [1, 2]
    for array in (found.values, found.sizes):  # noqa: PD011 - no frame
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7


FRAME = pd.DataFrame(
    {"a": [*"xxxyy", None], "s": ["p", "q", None, "p", "p", "r"], "n": [1.0, 4.0, None, 2.0, 2.0, None]}
)


@pytest.mark.parametrize(
    ("metric", "attribute", "values", "sizes"),
    [
        (COMPLETENESS_UTILITY, "s", [pytest.approx(2 / 3), 1, 1], [3, 1, 2]),
        # the class of NULL has no number, so no range
        (RANGE_UTILITY, "n", [0, 3, pytest.approx(math.nan, nan_ok=True)], [2, 3, 1]),
        # δ-presence has its values from a function: each class's largest difference
        (DELTA_PRESENCE, "s", [pytest.approx(v) for v in (1 / 6, 1 / 2, 5 / 6)], [3, 2, 1]),
        # a metric is known by its name
        ("l_diversity", "s", [1, 1, 3], [1, 2, 3]),
    ],
)
def test_of_an_audit_and_of_its_table(metric, attribute, values, sizes):
    """Classes x (3), y (2) and NULL (1); sorted by value, then by size."""
    with audit(FRAME) as audited:
        for source in (audited, audited.table):
            found = distribution_of(source, metric, ["a"], attribute)
            assert values_of(found) == values
            assert found.sizes.tolist() == sizes


@pytest.mark.slow
@pytest.mark.parametrize("metric", PER_CLASS, ids=lambda m: m.name)
def test_the_headline_is_a_figure_of_the_distribution(metric):
    """Minimum, maximum and both means of the metric are those of its distribution."""
    of_numbers = metric.name in {"mean_squared_error", "range_utility"}
    attribute = None if metric.attribute is None else "n" if of_numbers else "s"
    with audit(FRAME) as audited:
        found = distribution_of(audited, metric, ["a"], attribute).statistics()
    names = ("minimum", "maximum", "mean", "weighted_mean")
    actual = [measured_frame(metric, FRAME, ["a"], attribute, statistic=name) for name in names]
    expected = [found.minimum, found.maximum, found.unweighted.mean, found.weighted.mean]
    assert actual == pytest.approx(expected)


@pytest.mark.parametrize(
    ("metric", "attribute", "reason"),
    [
        (CAUSAL_IMPORTANCE, None, "'causal_importance' has no value per class"),
        (COMPLETENESS_UTILITY, None, "measured beside a target column; name one"),
        (K_ANONYMITY_PER_CLASS, "s", "on the QIDs alone; leave 's' out"),
        ("l_diversty", "s", "did you mean 'l_diversity'"),
    ],
)
def test_what_has_no_distribution(metric, attribute, reason):
    """A figure of the whole table, a lacking attribute, one too many and no metric: each with a remedy."""
    with audit(FRAME) as audited, pytest.raises(UserError, match=reason):
        distribution_of(audited, metric, ["a"], attribute)
