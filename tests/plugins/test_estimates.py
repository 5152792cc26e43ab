"""Intervals of estimated population uniqueness, what is said at a model's edge, and how both are shown."""

import json

import numpy as np
import pandas as pd
import pytest

import qidguard
from qidguard.core.parameter import bind
from qidguard.measuring.answers import estimated
from qidguard.sdk import Direction, Estimate, Grouping, Interval, PluginError, Unit
from qidguard_standard.metrics.population_uniqueness import (
    POPULATION_UNIQUENESS_METRICS,
    UNIQUE_IN_POPULATION,
)
from seen_classes import Sized
from written_figures import metric

METRICS = {metric.name: metric for metric in (*POPULATION_UNIQUENESS_METRICS, UNIQUE_IN_POPULATION)}


def estimate(name, sizes, fraction=0.1, resamples=100):
    """Measure an estimate on class sizes."""
    found = METRICS[name]
    arguments = bind(found.parameters, {"resamples": resamples})
    return found.method.measure(Sized(sizes, fraction), Grouping(qids=("age",)), arguments)


SIZES = [1] * 30 + [2] * 12 + [3] * 6 + [5, 8, 13, 30]


@pytest.mark.parametrize("name", METRICS)
def test_the_interval_holds_the_estimate_and_is_the_same_again(name):
    """Resamples are drawn by a fixed seed, and the estimate lies between the ends."""
    first, again = (estimate(name, SIZES, 0.2, resamples=40) for _ in range(2))
    assert first == again
    assert 0 <= first.interval.low < first.value < first.interval.high <= 1
    assert first.interval.confidence == 0.95


@pytest.mark.parametrize("name", METRICS)
def test_exact_figures_have_no_interval(name):
    """Where the table is the population nothing is estimated, and no resample gives no interval."""
    assert estimate(name, SIZES, 1.0).interval is None
    assert estimate(name, SIZES, resamples=0).interval is None
    assert estimate(name, [2, 3, 3]) == Estimate(value=0.0)


def test_population_uniques_among_sample_uniques_by_hand():
    """It is the expected population uniques that are in the sample, over the sample uniques."""
    name = "unique_in_population"
    found = estimate(name, SIZES, 0.2, resamples=0).value
    share = estimate("population_uniqueness_dankar", SIZES, 0.2, resamples=0).value
    assert found == pytest.approx(share * sum(SIZES) / 30)
    assert estimate(name, [1, 2], 1.0).value == 1
    assert estimate(name, [2, 2]).value == 0


def test_more_classes_make_a_narrower_interval():
    """A hundred times the classes narrow the interval of Zayatz' estimate about ten times."""
    few, many = (estimate("population_uniqueness_zayatz", SIZES * times).interval for times in (1, 100))
    assert 5 < (few.high - few.low) / (many.high - many.low) < 20


STANDS_IN = "Zayatz' estimate stands in for Pitman's: Pitman's model has no most likely"


@pytest.mark.parametrize(
    ("model", "sizes", "fraction", "remark"),
    [
        # sizes with few singles fit α = 0, nearly all singles an α near 1, and neither is silent
        ("pitman", [1, 5, 5, 5, 5], 0.1, "α = 0"),
        ("pitman", [1] * 4000 + [300], 0.01, "near the edge of its range, α = 0.99"),
        # all singles fit no model of Pitman's, so that Dankar's rule takes Zayatz' estimate and says so
        ("dankar", [1] * 9, 0.1, STANDS_IN),
    ],
)
def test_a_model_at_its_edge_is_told(model, sizes, fraction, remark):
    """What the estimate leans on is said beside it, and nothing where it fits."""
    assert remark in estimate(f"population_uniqueness_{model}", sizes, fraction, resamples=0).remark
    assert not estimate(f"population_uniqueness_{model}", SIZES, resamples=0).remark


def test_reports_and_documents_show_interval_and_remark():
    """The sentence, the JSON document and the notes have them; the verdict is by the value alone."""
    frame = pd.DataFrame({"q": np.repeat(range(len(SIZES)), SIZES)})
    policy = {
        "qidguard": 1,
        "name": "survey",
        "sampling_fraction": 0.1,
        "roles": {"quasi_identifiers": ["q"]},
        "thresholds": [{"metric": "population_uniqueness_zayatz", "at_most": 0.9}],
    }
    with qidguard.audit(frame, policy=policy) as report:
        interval = report.report.verdict.thresholds[0].measurement.interval
        threshold = json.loads(report.to_json())["thresholds"][0]
    assert threshold["interval"] == {"low": interval.low, "high": interval.high, "confidence": 0.95}
    assert ("(95% interval " in threshold["sentence"], threshold["remark"]) == (True, "")


MINE = metric("mine", unit=Unit.SHARE, minimum=0.0, maximum=1.0, direction=Direction.LOWER_IS_SAFER)
"""A metric that is a share."""


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (Estimate(value=2.0), "mend the plugin"),
        (Estimate(value=float("nan")), "mend the plugin"),
        (Estimate(value="high"), "mend the plugin"),
        (Estimate(value=0.1, interval=(0.1, 0.2)), "interval or remark is none"),
        (Estimate(value=0.1, remark=None), "interval or remark is none"),
    ],
)
def test_an_estimate_that_is_none_is_a_fault_of_the_plugin(bad, reason):
    """A figure is in its metric's range, and interval and remark are what they say they are."""
    with pytest.raises(PluginError, match=reason):
        estimated(MINE, bad)


def test_an_interval_is_cut_to_the_metrics_range():
    """No interval of a share ends below 0 or above 1."""
    found = estimated(MINE, Estimate(value=0.1, interval=Interval(low=-0.1, high=1.2, confidence=0.9)))
    assert found.interval == Interval(low=0.0, high=1.0, confidence=0.9)


@pytest.mark.parametrize(
    ("low", "high", "confidence"), [(0.2, 0.1, 0.95), (float("nan"), 1, 0.95), (0, 1, 1.0)]
)
def test_an_interval_goes_from_low_to_high(low, high, confidence):
    """Ends the wrong way round, NaN and a confidence of 1 are no interval."""
    with pytest.raises(ValueError, match=r"goes from low to high|between 0 and 1"):
        Interval(low=low, high=high, confidence=confidence)
