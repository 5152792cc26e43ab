"""The headline over the classes: each statistic against Python, and sums of very small and large terms."""

import math

import pandas as pd
import pytest

from qidguard.core.parameter import bind
from qidguard.sdk import ClassValue, NotMeasurable, UserError
from qidguard_qidlearning.metrics import METRICS
from qidguard_qidlearning.metrics.class_headline import headline, headline_statistics, statistic_parameter
from qidguard_qidlearning.metrics.mean_squared_error import MEAN_SQUARED_ERROR
from qidguard_qidlearning.metrics.range_utility import RANGE_UTILITY

PER_CLASS = [m for m in METRICS if m.parameters and m.parameters[0].name == "statistic"]


def test_every_metric_of_classes_has_it():
    """The twelve metrics of the paper that have a value in every class, and its information gain."""
    assert {m.name for m in PER_CLASS} == {
        "k_anonymity_per_class",
        "l_diversity",
        "t_closeness_per_class",
        "delta_presence",
        "generalization_ratio",
        "mean_squared_error",
        "accuracy",
        "range_utility",
        "distinct_values_utility",
        "completeness_utility",
        "group_entropy",
        "information_gain",
        "gini_index",
    }


@pytest.mark.parametrize("metric", PER_CLASS, ids=lambda m: m.name)
def test_default_headline(metric):
    """The ruling's: the worst class for a privacy model, the record-weighted mean for a utility."""
    worst = {"k_anonymity_per_class": "minimum", "l_diversity": "minimum"}
    worst |= dict.fromkeys(("t_closeness_per_class", "delta_presence", "generalization_ratio"), "maximum")
    assert metric.parameters[0].default == worst.get(metric.name, "weighted_mean")


def test_an_unknown_statistic_is_refused():
    """A policy learns what it may ask for."""
    with pytest.raises(UserError, match="'minimum' or 'maximum' or 'mean' or 'weighted_mean', not 'median'"):
        bind(PER_CLASS[0].parameters, {"statistic": "median"})
    with pytest.raises(ValueError, match="'median'"):
        statistic_parameter("median")


@pytest.mark.parametrize(
    ("statistic", "expected"), [("minimum", 1), ("maximum", 3), ("mean", 2), ("weighted_mean", 2.5)]
)
def test_figures_over_two_classes(statistic, expected, people, measured):
    """Classes of 3 and of 1: their mean is 2, and that over the four records (9 + 1)/4."""
    k = next(m for m in PER_CLASS if m.name == "k_anonymity_per_class")
    assert measured(k, people("ab", "xu", "xu", "xu", "yv"), statistic=statistic) == expected


@pytest.mark.parametrize("statistic", ["mean", "weighted_mean"])
def test_no_class_with_a_value(statistic):
    """A weight of 0 is no denominator."""
    value = ClassValue(name="v", sql="count(n)")
    arguments = {"statistic": statistic}
    names = [s.name for s in headline_statistics(value, arguments)]
    with pytest.raises(NotMeasurable, match="no records with a value"):
        headline({**dict.fromkeys(names, 1.0), f"{statistic}_v_weight": 0}, value, arguments)


@pytest.mark.parametrize("statistic", ["mean", "weighted_mean"])
@pytest.mark.parametrize("scale", [1e-7, 1.0, 1e8])
def test_small_and_large_terms_add_up(statistic, scale, frame_figure):
    """Ranges of tiny and of huge numbers are added up without loss and without overflow."""
    low, high = [1.0, 2.0, 0.0, 0.5], [4.0, 9.0, 0.25, 0.75]
    frame = pd.DataFrame({"a": list("wxyz") * 2, "y": [v * scale for v in low + high]})
    expected = math.fsum(h * scale - v * scale for v, h in zip(low, high, strict=True)) / 4
    actual = frame_figure(RANGE_UTILITY, frame, ["a"], "y", statistic=statistic)
    assert actual == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("metric", [MEAN_SQUARED_ERROR, RANGE_UTILITY], ids=lambda m: m.name)
def test_numbers_beyond_the_limit_are_refused(metric, frame_figure):
    """Sums of squares of such numbers would overflow; the sentence says what to do."""
    frame = pd.DataFrame({"a": ["x", "x"], "y": [1.0, -1.1e9]})
    with pytest.raises(NotMeasurable, match="larger unit"):
        frame_figure(metric, frame, ["a"], "y")


@pytest.mark.parametrize("metric", [MEAN_SQUARED_ERROR, RANGE_UTILITY], ids=lambda m: m.name)
def test_text_has_no_numbers(metric, frame_figure):
    """A target of text has no mean and no range."""
    frame = pd.DataFrame({"a": ["x", "x"], "y": ["low", "high"]})
    with pytest.raises(NotMeasurable, match="'y' holds text"):
        frame_figure(metric, frame, ["a"], "y")
