"""Population uniqueness against substitution, brute force and ARX's figures; its intervals and remarks."""

import json
from collections import Counter
from math import lgamma, log

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import hypergeom

import qidguard
from measured_people import open_frame
from qidguard.measuring.answers import estimated
from qidguard.sdk import Direction, Estimate, Grouping, Interval, NotMeasurable, PluginError, Unit
from qidguard_standard.metrics.population_models import (
    PopulationSample,
    fit_pitman,
    fit_snb,
    pitman_share,
    population_classes,
    snb_share,
    zayatz_share,
)
from qidguard_standard.metrics.population_uniqueness import (
    POPULATION_UNIQUENESS_METRICS,
    UNIQUE_IN_POPULATION,
)
from seen_classes import Sized
from written_figures import metric

METRICS = {
    metric.name.removeprefix("population_uniqueness_"): metric for metric in POPULATION_UNIQUENESS_METRICS
}
UNITED_STATES = 317_238_626
"""The persons that ARX takes the USA to have."""

mixed_sizes = st.lists(st.integers(1, 30), max_size=40).map(lambda sizes: [1, 1, 1, 2, 3, *sizes])
fractions = st.floats(1e-6, 0.95)


ESTIMATES = METRICS | {UNIQUE_IN_POPULATION.name: UNIQUE_IN_POPULATION}


def estimate(name, sizes, fraction=0.1, resamples=100):
    """Measure an estimate on class sizes, or on a table of them."""
    view = Sized(sizes, fraction) if isinstance(sizes, list) else sizes
    return ESTIMATES[name].method.measure(view, Grouping(qids=("age",)), {"resamples": resamples})


def measure(name, view):
    """Measure without an interval."""
    return estimate(name, view, resamples=0).value


def sample(sizes, fraction):
    """Count sizes."""
    size, count = np.unique(sizes, return_counts=True)
    return PopulationSample(size=size * 1.0, classes_of_size=count * 1.0, fraction=fraction)


def pitman_likelihood(sizes, theta, alpha):
    """Return Pitman's log-likelihood term by term, up to a constant."""
    likelihood = sum(log(theta + i * alpha) for i in range(1, len(sizes)))
    likelihood -= sum(log(theta + i) for i in range(1, sum(sizes)))
    return likelihood + sum(log(j - alpha) for size in sizes for j in range(1, size))


@pytest.mark.parametrize(
    ("name", "seen", "reason"),
    [
        *((name, Sized([1, 2, 3], None), "sampling_fraction") for name in ESTIMATES),
        # the models put a person into one class
        *((name, Sized([1, 2], 0.1, entity=[1, 1, 2]), "2 entities appear 3 times") for name in ESTIMATES),
        # uniques alone have no most likely parameters and no pairs
        ("pitman", Sized([1, 1, 1, 1], 0.1), "needs both uniques and classes"),
        ("snb", Sized([1, 1, 1, 1], 0.1), "no pairs"),
        # no parameters give 1 unique beside 5 pairs at nine tenths of the population
        ("snb", Sized([1, 2, 2, 2, 2, 2, 22, 22], 0.9), "does not fit"),
    ],
)
def test_no_figure(name, seen, reason):
    """What the models cannot be fitted to has no figure, never 0, and the policy is told why."""
    with pytest.raises(NotMeasurable, match=reason):
        measure(name, seen)


@given(sizes=mixed_sizes, times=st.integers(2, 20))
def test_zayatz_is_bayes_rule_over_hypergeometric_draws(sizes, times):
    """It equals the rule written with scipy's hypergeometric distribution."""
    persons, classes = sum(sizes), len(sizes)
    population = persons * times
    shares = {size: n / classes for size, n in Counter(sizes).items()}
    alone = {size: hypergeom.pmf(1, population, size, persons) for size in shares}
    chance = shares[1] * alone[1] / sum(shares[size] * alone[size] for size in shares)
    assert zayatz_share(sample(sizes, 1 / times)) == pytest.approx(
        sizes.count(1) * chance * times / population, rel=1e-8
    )


@given(sizes=mixed_sizes)
def test_pitman_parameters_are_the_most_likely(sizes):
    """No step from the fitted parameters makes the sample more likely."""
    theta, alpha = fit_pitman(sample(sizes, 0.1))
    best = pitman_likelihood(sizes, theta, alpha)
    for step in (1e-3, 1e-2, 0.1, 0.3):
        for other_alpha in (alpha, alpha - step, alpha + step):
            for other_theta in (theta, theta * (1 - step), theta * (1 + step), theta - step, theta + step):
                if 0 <= other_alpha < 1 and other_theta > -other_alpha and (other_theta or other_alpha):
                    assert pitman_likelihood(sizes, other_theta, other_alpha) <= best + 1e-7 * abs(best)


def test_pitman_expects_as_many_uniques_as_its_formula():
    """For a population of 90 the share is Γ(θ+1)/Γ(θ+α)·Γ(N+θ+α−1)/Γ(N+θ), by the library's lgamma."""
    nine = sample([1, 1, 1, 1, 1, 4], 0.1)
    theta, alpha = fit_pitman(nine)
    terms = lgamma(theta + 1) - lgamma(theta + alpha) + lgamma(90 + theta + alpha - 1) - lgamma(90 + theta)
    assert alpha > 0
    assert log(pitman_share(nine)) == pytest.approx(terms, rel=1e-9)


def test_pitman_without_heavy_tail_is_ewens_model():
    """Where α = 0 is most likely θ solves Σ θ/(θ+i) = classes, which is Ewens' model."""
    sizes = [1, 4, 4, 4, 5]
    theta, alpha = fit_pitman(sample(sizes, 0.1))
    assert alpha == 0
    assert sum(theta / (theta + i) for i in range(sum(sizes))) == pytest.approx(len(sizes))


@pytest.mark.parametrize(("fraction", "models"), [(0.1, ["pitman"]), (0.100001, ["snb", "zayatz"])])
def test_dankar_changes_models_above_a_tenth(fraction, models):
    """Pitman up to a sampling fraction of 0.1, above it the smaller of SNB and Zayatz."""
    view = Sized([1] * 6 + [2] * 2 + [5], fraction)
    assert measure("dankar", view) == min(measure(model, view) for model in models)
    # where Pitman's model has no estimate Zayatz' stands in: all unique stay all unique
    assert measure("dankar", Sized([1, 1, 1, 1], 0.05)) == 1


@given(sizes=mixed_sizes, fraction=fractions)
def test_snb_parameters_give_the_uniques_and_pairs(sizes, fraction):
    """Summing the model's own probabilities gives back the sample's numbers of uniques and pairs."""
    table = sample(sizes, fraction)
    try:
        alpha, beta = fit_snb(table)
    except NotMeasurable:
        return
    # P(sampled 1) and P(sampled 2) of a class of 1 + Y, Y negative binomial, Y summed in closed form
    d = 1 - (1 - fraction) * (1 - beta)
    scale = population_classes(table) * (beta / d) ** alpha
    inner = (1 - fraction) * (1 - beta) / d
    assert scale * fraction * (1 + alpha * inner) == pytest.approx(table.classes_with(1), rel=1e-5)
    pairs = scale * fraction**2 * alpha * (1 - beta) / d * (2 + (alpha + 1) * inner) / 2
    assert pairs == pytest.approx(table.classes_with(2), rel=1e-5)
    share = population_classes(table) * beta**alpha * fraction / sum(sizes)
    assert snb_share(table) == pytest.approx(share)


@given(sizes=st.lists(st.integers(1, 50), min_size=1, max_size=60), fraction=fractions)
def test_estimates_are_shares(sizes, fraction):
    """Whatever the classes, an estimate lies in 0..1 or does not exist; Dankar's always exists."""
    for name in METRICS:
        try:
            assert 0 <= measure(name, Sized(sizes, fraction)) <= 1
        except NotMeasurable:
            assert name in {"pitman", "snb"}


@pytest.mark.realdata
def test_questions_of_arx_on_adult(data):
    """ARX's Adult from a US-sized population: Pitman .0297 and Zayatz .216 as ARX prints them.

    ARX prints 0 for the slide negative binomial, its solver having found nothing. There is a solution: the
    moment equations give the 14,021 uniques and 2,026 pairs of the table at 0.1672.
    """
    lines = (data / "adult" / "adult_arx.csv").read_text().splitlines()[1:]
    sizes = list(Counter(line.rsplit(";", 1)[0] for line in lines).values())
    view = Sized(sizes, len(lines) / UNITED_STATES)
    assert (len(lines), len(sizes), sizes.count(1)) == (30_162, 18_109, 14_021)
    assert measure("pitman", view) == pytest.approx(0.0297, abs=5e-5)
    assert measure("dankar", view) == measure("pitman", view)
    assert measure("zayatz", view) == pytest.approx(0.216, abs=5e-4)
    assert measure("snb", view) == pytest.approx(0.1672, abs=5e-5)


def test_engine_gives_sizes_with_null_as_a_class():
    """Through DuckDB: classes of 1 (NULL), 1 and 2 records; entities with one class each count as persons."""
    frame = pd.DataFrame({"age": [None, 30.0, 40.0, 40.0], "patient": [1, 2, 3, 4]})
    for entity in (None, "patient"):
        table = open_frame(frame, sampling_fraction=0.1, entity=entity)
        for name in ("zayatz", "snb"):
            assert measure(name, table) == measure(name, Sized([1, 1, 2], 0.1))


SIZES = [1] * 30 + [2] * 12 + [3] * 6 + [5, 8, 13, 30]


@pytest.mark.parametrize("name", ESTIMATES)
def test_the_interval_holds_the_estimate_and_is_the_same_again(name):
    """Resamples are drawn by a fixed seed, and the estimate lies between the ends."""
    first, again = (estimate(name, SIZES, 0.2, resamples=40) for _ in range(2))
    assert first == again
    assert 0 <= first.interval.low < first.value < first.interval.high <= 1
    assert first.interval.confidence == 0.95


@pytest.mark.parametrize("name", ESTIMATES)
def test_exact_figures_have_no_interval(name):
    """Where the table is the population nothing is estimated, and no resample gives no interval."""
    assert estimate(name, [1, 1, 3], 1.0) == Estimate(value=1.0 if name == "unique_in_population" else 2 / 5)
    assert estimate(name, SIZES, resamples=0).interval is None
    assert estimate(name, [2, 3, 3]) == Estimate(value=0.0)


def test_population_uniques_among_sample_uniques_by_hand():
    """It is the expected population uniques that are in the sample, over the sample uniques."""
    name = "unique_in_population"
    found = estimate(name, SIZES, 0.2, resamples=0).value
    share = estimate("dankar", SIZES, 0.2, resamples=0).value
    assert found == pytest.approx(share * sum(SIZES) / 30)
    assert estimate(name, [1, 2], 1.0).value == 1
    assert estimate(name, [2, 2]).value == 0


def test_more_classes_make_a_narrower_interval():
    """A hundred times the classes narrow the interval of Zayatz' estimate about ten times."""
    few, many = (estimate("zayatz", SIZES * times).interval for times in (1, 100))
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
    assert remark in estimate(model, sizes, fraction, resamples=0).remark
    assert not estimate(model, SIZES, resamples=0).remark


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
