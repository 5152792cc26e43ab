"""The slide negative binomial model of class sizes, fitted to the sample's uniques and pairs."""

import math

import numpy as np

from qidguard.sdk import NotMeasurable
from qidguard_standard.metrics.population_sample import PopulationSample

_LOWEST, _HIGHEST = -600.0, 40.0
"""Where w is looked for, as ln(w/(1−w)): from 10⁻²⁶⁰, below which β is no number, to 1 − 10⁻¹⁷."""


def snb_share(sample: PopulationSample) -> float:
    """Estimate the share of the population that is unique by the slide negative binomial model.

    Class sizes in the population are 1 + Y with Y negative binomial (α, β), so that K classes hold K·β^α
    uniques (Chen & Keller-McNulty 1998, "Estimation of identification disclosure risk in microdata",
    Journal of Official Statistics 14). K is Shlosser's estimate as modified by Haas & Stokes (1998), and
    α and β are those whose expected numbers of uniques and pairs are the sample's own.
    """
    alpha, beta = fit_snb(sample)
    share = population_classes(sample) * float(beta**alpha) / sample.population
    if share > 1:
        raise NotMeasurable(
            "The slide negative binomial model does not fit: it expects more uniques than persons."
        )
    return share


def population_classes(sample: PopulationSample) -> float:
    """Estimate the number of classes in the population (Haas & Stokes 1998, modified Shlosser estimator).

    K = u + s₁ · [Σ i·π²(1−π²)^(i−1)·sᵢ / Σ (1−π)^i((1+π)^i − 1)·sᵢ] · [Σ (1−π)^i·sᵢ / Σ i·π(1−π)^(i−1)·sᵢ]²
    """
    i, s, f = sample.size, sample.classes_of_size, sample.fraction
    # powers by logarithms: (1−π)^i underflows to 0 for large classes, which is what it should be
    unseen = np.exp(i * np.log1p(-f))
    first = (i * f * f * np.exp((i - 1) * np.log1p(-f * f))) @ s
    second = (np.exp(i * np.log1p(-f * f)) - unseen) @ s
    if f * float(i[-1]) < 1e-6:  # noqa: PLR2004 - the difference above would cancel; its first order is exact here
        second = (i * f) @ s
    third = unseen @ s
    fourth = (i * f * unseen / (1 - f)) @ s
    return float(sample.classes + sample.classes_with(1) * (first / second) * (third / fourth) ** 2)


def fit_snb(sample: PopulationSample) -> tuple[float, float]:
    """Fit α and β of the slide negative binomial model to the uniques s₁ and pairs s₂ of the sample.

    With w = β/(1 − (1−π)(1−β)) and x = (1−w)/π the two equations are s₁ = Kπ·w^α·(1 + α(1−π)x) and
    s₂ = ½Kπ²·w^α·αx·(2 + (α+1)(1−π)x). Their ratio is a quadratic in α with one positive root for each w;
    what is left is one equation in w between 0 and 1, solved between brackets.
    """
    from scipy.optimize import brentq

    f, z = sample.fraction, 1 - sample.fraction
    seen = population_classes(sample) * f
    uniques, pairs = sample.classes_with(1) / seen, 2 * sample.classes_with(2) / (seen * f)
    if not pairs:
        raise NotMeasurable(
            "The slide negative binomial model is fitted to uniques and pairs, and there are no pairs."
        )
    ratio = pairs / uniques

    def x_and_alpha(log_odds: float) -> tuple[float, float]:
        x = 1 / (f * (1 + math.exp(log_odds)))
        return x, _positive_root(z * x * x, x * (2 + z * x - ratio * z), -ratio)

    def excess(log_odds: float) -> float:
        x, alpha = x_and_alpha(log_odds)
        log_w = -math.log1p(math.exp(-log_odds))
        return alpha * log_w + math.log1p(alpha * z * x) - math.log(uniques)

    # the excess rises with w, from −∞ at 0, so there is at most one solution
    if not excess(_LOWEST) < 0 < excess(_HIGHEST):
        raise NotMeasurable(
            "The slide negative binomial model does not fit: no parameters give these uniques and pairs."
        )
    log_odds = float(brentq(excess, _LOWEST, _HIGHEST, xtol=1e-13))
    x, alpha = x_and_alpha(log_odds)
    return alpha, 1 / ((1 + math.exp(-log_odds)) * (1 + z * x))


def _positive_root(a: float, b: float, c: float) -> float:
    """Return the positive root of ax² + bx + c = 0 for a > 0 > c, without canceling."""
    root = math.sqrt(b * b - 4 * a * c)
    return -2 * c / (b + root) if b > 0 else (root - b) / (2 * a)
