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

import qidguard
from measured_people import figure_of, open_frame
from qidguard.sdk import DataError, Grouping, NotMeasurable
from qidguard_standard.metrics.individual_risk import INDIVIDUAL_RISK_METRICS, benedetti_franconi

METRICS = {metric.name: metric for metric in INDIVIDUAL_RISK_METRICS}


def measure(name, frame, qids=("q",), entity=None, sampling_fraction=None, **given_arguments):
    """Measure one of the metrics on a table whose column w holds the weights."""
    table = open_frame(frame, entity=entity, weight="w", sampling_fraction=sampling_fraction)
    return figure_of(METRICS[name], table, Grouping(qids=tuple(qids), sensitive="w"), **given_arguments)


def survey(classes):
    """Return a table of classes, each a list of the weights of its records."""
    return pd.DataFrame(
        [(q, float(w)) for q, weights in enumerate(classes) for w in weights], columns=["q", "w"]
    )


def integral(f, p):
    """Integrate (p·e^−t / (1 − (1−p)·e^−t))^f over t ≥ 0, by u for what is raised to f."""
    form = lambda u: u ** (f - 1) * p / (p + (1 - p) * u)  # noqa: E731 - the form in one line
    return quad(form, 0, 1, points=[p], limit=500, epsabs=0, epsrel=1e-11)[0]


def closed(f, p):
    """Return the closed form for one class."""
    return benedetti_franconi(np.array([float(f)]), np.array([p]))[0]


@pytest.mark.parametrize("p", [1e-4, 0.003, 0.0625, 0.49, 0.5, 0.9, 0.999])
@pytest.mark.parametrize("f", [1, 2, 3, 7, 29, 30, 100])
def test_risk_is_the_integral(f, p):
    """The closed form is the integral of Benedetti and Franconi for every size and chance."""
    assert closed(f, p) == pytest.approx(integral(f, p), rel=1e-9)


@given(size=st.integers(1, 10**7), p=st.floats(1e-12, 1 - 1e-6))
def test_risk_lies_between_one_over_population_and_one_over_sample(size, p):
    """Jensen: the mean of 1/F is at least 1 over the mean of F; for f = 1 it is p/(1−p)·ln(1/p)."""
    assert p / size * (1 - 1e-9) <= closed(size, p) <= 1 / size * (1 + 1e-9)
    assert closed(1, p) == pytest.approx(p / (1 - p) * math.log(1 / p), rel=1e-9)


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


VISITS = pd.DataFrame({"who": [1, 1, 2], "q": [0, 0, 1], "w": [4.0, 4.0, 4.0]})


def test_records_of_an_entity_count_once():
    """A person with two records of one weight is one person of the class."""
    assert measure("global_risk", VISITS, entity="who") == pytest.approx(2 * integral(1, 0.25))


@pytest.mark.parametrize(
    ("frame", "options", "error", "reason"),
    [
        (VISITS.assign(w=[4.0, 5.0, 4.0]), {"entity": "who"}, NotMeasurable, "give an entity one weight"),
        # a text is no number, and the reason says what to name
        (
            THREE.astype({"w": "str"}),
            {},
            NotMeasurable,
            "'w' has no numbers: its numbers are stored as texts",
        ),
        (
            survey([[0.5], [1.5]]),
            {},
            DataError,
            "are relative, and tell no number of persons.*sampling_fraction",
        ),
        *(
            (
                survey([[2.0], [3.0], [bad]]),
                {},
                DataError,
                "must hold a positive, finite number.*1 of them do not",
            )
            for bad in [math.nan, 0.0, -1.0, math.inf, -math.inf]
        ),
    ],
)
def test_what_is_no_weight_is_refused(frame, options, error, reason):
    """Weights that differ, are texts, relative, missing, zero, negative or infinite: with a remedy."""
    with pytest.raises(error, match=reason):
        measure("global_risk", frame, **options)


@pytest.mark.samples(1)
@pytest.mark.parametrize("scale", [1e-9, 0.01, 1, 1.004])
def test_how_relative_weights_were_scaled_changes_nothing(scale):
    """Sums below the sample, the sample itself or it up to rounding; 0.5 and 1.5 are 5 and 15 of a tenth."""
    frame = survey([[0.4], [1.0, 1.6], [0.7], [1.3]])
    scaled = [frame, frame.assign(w=frame.w * scale)]
    expected, found = (measure("global_risk", one, sampling_fraction=0.05) for one in scaled)
    assert found == pytest.approx(expected)
    relative = measure("global_risk", survey([[0.5], [1.5]]), sampling_fraction=0.1)
    assert relative == pytest.approx(measure("global_risk", survey([[5], [15]])))


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


def notes_of(frame, word, policy=POLICY):
    """Return the notes of an audit that hold a word."""
    with qidguard.audit(frame, policy=policy) as report:
        return [note for note in report.report.notes if word in note]


def test_a_policy_asks_for_them_by_the_role_of_the_weight():
    """The weight column is found by its role, else the error names it; the figures are in the report."""
    with qidguard.audit(THREE, policy=POLICY) as report:
        found = [result.measurement.value for result in report.report.verdict.thresholds]
    assert found == pytest.approx([ALONE, 1 / 6, TOTAL])
    policy = POLICY | {"roles": {"quasi_identifiers": ["q"], "insensitive": ["w"]}}
    with pytest.raises(qidguard.UserError, match=r"needs a weight column; name one as roles.weight"):
        qidguard.audit(THREE, policy=policy)


@pytest.mark.samples(2)
@pytest.mark.parametrize(
    ("stated", "weights", "expected"),
    [
        (0.1, [10, 10, 10, 10], []),
        (0.105, [10, 10, 10, 10], []),
        (0.5, [10, 10, 10, 10], [r"of 0.5, and by the weights in 'w' it is 0.1 \(4 records for 40"]),
        (0.5, [0.5, 1.5, 1, 1], [r"add up to 4 for 4 records: they are relative, and were scaled to the 8 "]),
        (0.5, [1, 1, 1, 1], [r"relative, and were scaled to the 8 that a sampling_fraction of 0.5 tells"]),
        (None, [0.5, 7, 7, 7], [r"1 records have a weight below 1 in 'w'"]),
    ],
)
def test_notes_on_weights(stated, weights, expected):
    """A contradiction with the stated fraction, and whatever is done to weights, is told with its figures."""
    policy = POLICY | ({} if stated is None else {"sampling_fraction": stated})
    notes = notes_of(survey([[w] for w in weights]), "weight", policy)
    told = [note for note in notes if "Benedetti" not in note]
    assert len(told) == len(expected)
    assert all(re.search(pattern, note) for pattern, note in zip(expected, told, strict=True))


@pytest.mark.samples(1)
@pytest.mark.parametrize(
    ("spread", "fraction", "least", "most"),
    [(1.5, 0.01, 0.25, 0.6), (1.5, 0.1, 0.85, 1.05), (1.5, 0.5, 0.95, 1.1), (1.0, 0.01, 0.05, 0.35)],
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


def test_a_small_share_of_the_population_is_told():
    """The note says that the risk may be understated; with half of the population there is none."""
    told = [notes_of(survey([[weight] * 2, [weight]]), "understates") for weight in (10, 2)]
    assert list(map(bool, told)) == [True, False]
