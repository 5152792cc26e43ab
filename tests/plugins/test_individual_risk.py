"""Risk by sampling weights against direct integration, sums by hand and populations that are known."""

import math
import re
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import nbinom

import qidguard
from qidguard.core.parameter import bind
from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.engines.duckdb import ENGINE
from qidguard.sdk import DataError, Estimate, Grouping, NotMeasurable
from qidguard_standard.metrics.benedetti_franconi import benedetti_franconi
from qidguard_standard.metrics.individual_risk import INDIVIDUAL_RISK_METRICS

METRICS = {metric.name: metric for metric in INDIVIDUAL_RISK_METRICS}


def measure(name, frame, qids=("q",), entity=None, sampling_fraction=None, **given_arguments):
    """Measure one of the metrics on a table whose column w holds the weights."""
    metric = METRICS[name]
    needs = Needs(entity=entity, weight="w", sampling_fraction=sampling_fraction)
    with ENGINE.open(frame, ReadOptions(), needs, EngineSettings()) as table:
        grouping = Grouping(qids=tuple(qids), sensitive="w")
        found = metric.method.measure(table, grouping, bind(metric.parameters, given_arguments))
    return found.value if isinstance(found, Estimate) else found


def survey(classes):
    """Return a table of classes, each a list of the weights of its records."""
    return pd.DataFrame(
        [(q, float(w)) for q, weights in enumerate(classes) for w in weights], columns=["q", "w"]
    )


def integral(f, p):
    """Integrate (p·e^−t / (1 − (1−p)·e^−t))^f over t ≥ 0, by u for what is raised to f."""
    found, _ = quad(
        lambda u: u ** (f - 1) * p / (p + (1 - p) * u), 0, 1, points=[p], limit=500, epsabs=0, epsrel=1e-11
    )
    return found


@pytest.mark.parametrize("p", [1e-4, 0.003, 0.0625, 0.49, 0.5, 0.9, 0.999])
@pytest.mark.parametrize("f", [1, 2, 3, 7, 29, 30, 100])
def test_risk_is_the_integral(f, p):
    """The closed form is the integral of Benedetti and Franconi for every size and chance."""
    assert benedetti_franconi(np.array([f * 1.0]), np.array([p]))[0] == pytest.approx(
        integral(f, p), rel=1e-9
    )


@pytest.mark.parametrize("p", [0.05, 0.4, 0.97])
@pytest.mark.parametrize("f", [1, 2, 3, 10])
def test_risk_is_the_mean_of_one_over_a_negative_binomial_size(f, p):
    """Summed term by term: there are f + j persons with the chance of j failures before f successes."""
    j = np.arange(20_000)
    expected = float((nbinom.pmf(j, f, p) / (f + j)).sum())
    assert benedetti_franconi(np.array([f * 1.0]), np.array([p]))[0] == pytest.approx(expected, rel=1e-9)


@given(p=st.floats(1e-9, 1 - 1e-6))
def test_risk_of_one_and_two_has_the_papers_closed_forms(p):
    """For f = 1 it is p/(1−p)·ln(1/p), for f = 2 p/(1−p)²·(p·ln p + 1 − p)."""
    one, two = benedetti_franconi(np.array([1.0, 2.0]), np.array([p, p])).tolist()
    assert one == pytest.approx(p / (1 - p) * math.log(1 / p), rel=1e-9)
    if p < 0.99:  # the form of two cancels near 1
        assert two == pytest.approx(p / (1 - p) ** 2 * (p * math.log(p) + 1 - p), rel=1e-9)


@given(size=st.integers(1, 10**7), p=st.floats(1e-12, 1))
def test_risk_lies_between_one_over_population_and_one_over_sample(size, p):
    """Jensen: the mean of 1/F is at least 1 over the mean of F, and nobody's F is below f."""
    risk = benedetti_franconi(np.array([float(size)]), np.array([p]))[0]
    assert p / size * (1 - 1e-9) <= risk <= 1 / size * (1 + 1e-9)


THREE = survey([[10], [5, 15], [2, 2, 2]])
"""A person alone with weight 10, a pair with weights 5 and 15, and three of weight 2."""
ALONE, PAIR, TRIPLE = integral(1, 0.1), integral(2, 0.1), integral(3, 0.5)
"""Their risks: 0.256, 0.083 and 0.193."""
TOTAL = ALONE + 2 * PAIR + 3 * TRIPLE
CENSUS, PAIRS = survey([[1], [1, 1], [1, 1, 1]]), survey([[3, 3], [9, 9]])
LACKING = pd.DataFrame({"q": [None, None, "a"], "w": [2.0, 4.0, 3.0]})
HAND = [
    ("individual_risk_max", THREE, {}, ALONE),
    ("global_risk", THREE, {}, TOTAL),
    ("global_risk_rate", THREE, {}, TOTAL / 6),
    ("unique_in_population_weighted", THREE, {}, 0.1),
    *(
        ("individual_risk_share_above", THREE, {"threshold": threshold}, share)
        for threshold, share in [(0.07, 1), (0.1, 4 / 6), (0.2, 1 / 6), (0.5, 0)]
    ),
    # weights are the numbers that they write, of any type
    ("global_risk", THREE.astype({"w": "int32"}), {}, TOTAL),
    ("global_risk", THREE.assign(w=THREE.w.map(Decimal)), {}, TOTAL),
    # weights of one say that the sample is the population
    ("individual_risk_max", CENSUS, {}, 1),
    ("global_risk", CENSUS, {}, 3),
    ("unique_in_population_weighted", CENSUS, {}, 1),
    # no sample unique puts nobody at its risk
    ("unique_in_population_weighted", PAIRS, {}, 0),
    # NULL is a class, and its weights are summed as any other's
    ("global_risk", LACKING, {}, 2 * integral(2, 2 / 6) + integral(1, 1 / 3)),
    # a weight of 0.2 after calibration leaves one person, who is unique
    ("individual_risk_max", survey([[0.2], [50, 60]]), {}, 1),
    ("unique_in_population_weighted", survey([[0.2], [50, 60]]), {}, 1),
]


@pytest.mark.parametrize(("name", "frame", "options", "figure"), HAND)
def test_small_table(name, frame, options, figure):
    """The figure is the one that is counted by hand."""
    assert measure(name, frame, **options) == (figure if isinstance(figure, int) else pytest.approx(figure))


def test_records_of_an_entity_count_once():
    """A person with two records of one weight is one person of the class."""
    frame = pd.DataFrame({"who": [1, 1, 2], "q": [0, 0, 1], "w": [4.0, 4.0, 4.0]})
    assert measure("global_risk", frame, entity="who") == pytest.approx(2 * integral(1, 0.25))
    with pytest.raises(NotMeasurable, match=r"give an entity one weight"):
        measure("global_risk", frame.assign(w=[4.0, 5.0, 4.0]), entity="who")


def test_relative_weights_need_a_fraction_and_are_scaled_by_it():
    """Weights of 0.5 and 1.5 say who stands for three times whom; with a tenth sampled these are 5 and 15."""
    relative, absolute = survey([[0.5], [1.5]]), survey([[5], [15]])
    with pytest.raises(
        DataError, match=r"they are relative, and tell no number of persons.*sampling_fraction"
    ):
        measure("global_risk", relative)
    scaled = measure("global_risk", relative, sampling_fraction=0.1)
    assert scaled == pytest.approx(measure("global_risk", absolute))


@pytest.mark.samples(1)
@pytest.mark.parametrize("scale", [1e-9, 0.01, 1, 1.004])
def test_how_relative_weights_were_scaled_changes_nothing(scale):
    """Sums that are below the sample, the sample itself or the sample up to rounding come to the same."""
    frame = survey([[0.4], [1.0, 1.6], [0.7], [1.3]])
    expected = measure("global_risk", frame, sampling_fraction=0.05)
    found = measure("global_risk", frame.assign(w=frame.w * scale), sampling_fraction=0.05)
    assert found == pytest.approx(expected)


@pytest.mark.parametrize("bad", [None, 0.0, -1.0, math.inf, -math.inf, math.nan])
def test_what_is_no_weight_is_an_error(bad):
    """Missing, zero, negative, infinite and NaN weights are counted, and the sentence says what to do."""
    frame = pd.DataFrame({"q": [1, 2, 3], "w": [2.0, 3.0, bad]})
    with pytest.raises(
        DataError, match=r"weight column 'w' must hold a positive, finite number.*1 of them do not"
    ):
        measure("global_risk", frame)


def test_weights_written_as_text_are_not_measurable():
    """A text is no number, and the reason says what to name."""
    frame = survey([[10], [5, 15]])
    with pytest.raises(NotMeasurable, match=r"'w' has no numbers: its numbers are stored as texts"):
        measure("global_risk", frame.assign(w=frame.w.astype(str)))


POLICY = {
    "qidguard": 1,
    "name": "survey",
    "roles": {"quasi_identifiers": ["q"], "weight": "w"},
    "thresholds": [
        {"metric": "individual_risk_max", "at_most": 0.3},
        {"metric": "individual_risk_share_above", "at_most": 0.5, "parameters": {"threshold": 0.2}},
        {"metric": "global_risk", "at_most": 2},
    ],
}


def test_a_policy_asks_for_them_by_the_role_of_the_weight():
    """The weight column is found by its role, and the figures stand in the report."""
    with qidguard.audit(survey([[10], [5, 15], [2, 2, 2]]), policy=POLICY) as report:
        found = [result.measurement.value for result in report.report.verdict.thresholds]
    assert found == pytest.approx(
        [integral(1, 0.1), 1 / 6, integral(1, 0.1) + 2 * integral(2, 0.1) + 3 * integral(3, 0.5)]
    )


def test_a_policy_without_a_weight_is_told_what_to_name():
    """The metrics need a weight column, and the policy's error says which role names it."""
    policy = POLICY | {"roles": {"quasi_identifiers": ["q"], "insensitive": ["w"]}}
    with pytest.raises(qidguard.UserError, match=r"needs a weight column; name one as roles.weight"):
        qidguard.audit(survey([[10], [5, 15]]), policy=policy)


@pytest.mark.samples(2)
@pytest.mark.parametrize(
    ("stated", "weights", "expected"),
    [
        (0.1, [10, 10, 10, 10], None),
        (0.105, [10, 10, 10, 10], None),
        (0.5, [10, 10, 10, 10], r"of 0.5, and by the weights in 'w' it is 0.1 \(4 records for 40"),
        (0.5, [0.5, 1.5, 1, 1], r"add up to 4 for 4 records: they are relative, and were scaled to the 8 "),
        (0.5, [1, 1, 1, 1], r"are relative, and were scaled to the 8 that a sampling_fraction of 0.5 tells"),
        (None, [0.5, 7, 7, 7], r"1 records have a weight below 1 in 'w'"),
    ],
)  # fmt: skip
def test_notes_on_weights(stated, weights, expected):
    """A contradiction with the stated fraction, and whatever is done to weights, is told with its figures."""
    policy = POLICY | ({} if stated is None else {"sampling_fraction": stated})
    with qidguard.audit(survey([[w] for w in weights]), policy=policy) as report:
        told = [note for note in report.report.notes if "weight" in note and "Benedetti" not in note]
    if expected is None:
        assert not told
    else:
        assert len(told) == 1
        assert re.search(expected, told[0])


@pytest.mark.samples(1)
@pytest.mark.parametrize(
    ("spread", "fraction", "least", "most"),
    [
        (1.5, 0.01, 0.25, 0.6),
        (1.5, 0.05, 0.7, 0.95),
        (1.5, 0.1, 0.85, 1.05),
        (1.5, 0.2, 0.9, 1.15),
        (1.5, 0.5, 0.95, 1.1),
        (1.0, 0.01, 0.05, 0.35),
        (1.0, 0.5, 0.9, 1.1),
    ],
)
def test_global_risk_against_known_populations(spread, fraction, least, most):
    """Of samples with unequal chances the truth is Σ 1/F over who was drawn; small fractions understate."""
    draw = np.random.default_rng(1)
    chances = draw.lognormal(0, spread, 20_000 if spread > 1 else 100_000)
    population = draw.choice(len(chances), 200_000, p=chances / chances.sum())
    inclusion = np.where(draw.random(len(population)) < 0.5, 0.7, 1.3) * fraction
    is_drawn = draw.random(len(population)) < inclusion
    sample = pd.DataFrame({"q": population[is_drawn], "w": 1 / inclusion[is_drawn]})
    truth = (1 / np.bincount(population)[sample.q]).sum()
    assert least < measure("global_risk", sample) / truth < most


@pytest.mark.parametrize("fraction", [0.01, 0.05, 0.1, 0.2, 0.5])
def test_global_risk_where_the_model_holds(fraction):
    """Where population sizes are drawn as the model says, the risk is the truth within 4 standard errors."""
    draw = np.random.default_rng(2)
    size = draw.geometric(0.6, 20_000).astype(np.float64)
    population = size + draw.negative_binomial(size, fraction)
    risk = benedetti_franconi(size, np.full(len(size), fraction))
    off = size * (1 / population - risk)
    assert abs(off.sum()) < 4 * off.std() * math.sqrt(len(off))


def test_a_small_share_of_the_population_is_told():
    """The note says that the risk may be understated; with half of the population there is none."""
    for weight, is_told in ((10, True), (2, False)):
        with qidguard.audit(survey([[weight] * 2, [weight]]), policy=POLICY) as report:
            told = [note for note in report.report.notes if "understates" in note]
        assert bool(told) == is_told
