"""The weights of the objectives, as the paper prints them."""

import pytest

from qidguard.host import load_host
from qidguard_qidlearning.objectives import OBJECTIVES

NAMED = {objective.name: objective for objective in OBJECTIVES}


def weights(terms):
    """Return metric → weight."""
    return {term.metric: term.weight for term in terms}


def test_linear_is_the_listing():
    """Listing 1: D, S, k (the mean class size), ΔD, ΔS and the attribute length penalty."""
    assert weights(NAMED["linear"].terms) == {
        "distinction": 5,
        "separation": 0.5,
        "mean_class_size": -0.4,
        "delta_distinction": 0.2,
        "delta_separation": 0.2,
        "attribute_length_penalty": -1,
    }
    assert NAMED["linear"].divisors == ()


def test_ratio_divides_by_the_penalty():
    """Section 5.2 with the listing's numbers: β₁D + β₂S − β₃K + β₄ΔD + β₅ΔS by α·A, α = 5."""
    linear = weights(NAMED["linear"].terms)
    del linear["attribute_length_penalty"]
    assert weights(NAMED["ratio"].terms) == linear
    assert weights(NAMED["ratio"].divisors) == {"attribute_length_penalty": 5}


def test_medical_is_the_formula_of_section_5_1():
    """0.25 k + 0.25 S + 0.25 D + 0.15 (1 − Acc) + 0.10 CS, up to the constant 0.15."""
    terms = NAMED["medical"].terms
    order = ["mean_class_size", "separation", "distinction", "accuracy", "covariate_shift"]
    assert [term.metric for term in terms] == order
    k, s, d, accuracy, shift = 1.25, 14 / 15, 0.8, 0.4, 0.6
    expected = 0.25 * k + 0.25 * s + 0.25 * d + 0.15 * (1 - accuracy) + 0.1 * shift - 0.15
    assert expected == pytest.approx(NAMED["medical"].fitness([k, s, d, accuracy, shift]))


@pytest.mark.parametrize("name", NAMED)
def test_every_metric_of_an_objective_is_there(name):
    """An objective that names a metric nobody offers could never be searched."""
    host = load_host()
    for term in NAMED[name].every_term:
        metric = host.metric(term.metric)
        assert metric.change_of == "" or host.metric(metric.change_of)
    assert host.objectives[name] is NAMED[name]
