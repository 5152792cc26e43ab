"""Population uniqueness against substitution, brute force and ARX's figures."""

from collections import Counter
from math import lgamma, log

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import hypergeom

from measured_people import open_frame
from qidguard.sdk import Grouping, NotMeasurable
from qidguard_standard.metrics.population_models import (
    PopulationSample,
    fit_pitman,
    fit_snb,
    pitman_share,
    population_classes,
    snb_share,
    zayatz_share,
)
from qidguard_standard.metrics.population_uniqueness import POPULATION_UNIQUENESS_METRICS
from seen_classes import Sized

METRICS = {
    metric.name.removeprefix("population_uniqueness_"): metric for metric in POPULATION_UNIQUENESS_METRICS
}
UNITED_STATES = 317_238_626
"""The persons that ARX takes the USA to have."""

mixed_sizes = st.lists(st.integers(1, 30), max_size=40).map(lambda sizes: [1, 1, 1, 2, 3, *sizes])
fractions = st.floats(1e-6, 0.95)


def measure(name, view):
    """Measure one of the five, without an interval."""
    return METRICS[name].method.measure(view, Grouping(qids=("age",)), {"resamples": 0}).value


def sample(sizes, fraction):
    """Count sizes."""
    size, count = np.unique(sizes, return_counts=True)
    return PopulationSample(size=size * 1.0, classes_of_size=count * 1.0, fraction=fraction)


def pitman_likelihood(sizes, theta, alpha):
    """Return Pitman's log-likelihood term by term, up to a constant."""
    likelihood = sum(log(theta + i * alpha) for i in range(1, len(sizes)))
    likelihood -= sum(log(theta + i) for i in range(1, sum(sizes)))
    return likelihood + sum(log(j - alpha) for size in sizes for j in range(1, size))


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize(
    ("seen", "reason"),
    [
        (Sized([1, 2, 3], None), "sampling_fraction"),
        # the models put a person into one class
        (Sized([1, 2], 0.1, entity=[1, 1, 2]), "2 entities appear 3 times"),
    ],
    ids=["no fraction", "entities in several classes"],
)
def test_no_figure(name, seen, reason):
    """What the models cannot be fitted to has no figure, and the policy is told why."""
    with pytest.raises(NotMeasurable, match=reason):
        measure(name, seen)


@pytest.mark.parametrize("name", METRICS)
def test_whole_population_is_exact(name):
    """With a sampling fraction of 1 it is the share of sample uniques: 2 of 5."""
    assert measure(name, Sized([1, 1, 3], 1.0)) == 2 / 5


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


@pytest.mark.parametrize(
    ("name", "sizes", "fraction", "reason"),
    [
        # uniques alone have no most likely parameters and no pairs
        ("pitman", [1, 1, 1, 1], 0.1, "needs both uniques and classes"),
        ("snb", [1, 1, 1, 1], 0.1, "no pairs"),
        ("snb", [1, 1, 3], 0.1, "no pairs"),
        # no parameters give 1 unique beside 5 pairs at nine tenths of the population
        ("snb", [1, 2, 2, 2, 2, 2, 22, 22], 0.9, "does not fit"),
    ],
)
def test_a_model_that_does_not_fit_has_no_figure(name, sizes, fraction, reason):
    """What cannot be estimated is refused, never 0."""
    with pytest.raises(NotMeasurable, match=reason):
        measure(name, Sized(sizes, fraction))


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
