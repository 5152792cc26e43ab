"""Pitman's sampling model of class sizes, fitted by maximum likelihood."""

from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import NotMeasurable
from qidguard_standard.metrics.population_sample import PopulationSample

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SMALLEST_ALPHA = 1e-6
"""Below it Pitman's model is Ewens' model (α = 0) to six digits, and the score in α is all rounding."""


def pitman_share(sample: PopulationSample) -> float:
    """Estimate the share of the population that is unique by Pitman's model.

    The sizes of the classes follow Pitman's two-parameter partition with 0 ≤ α < 1, θ > −α. Both are fitted
    by maximum likelihood (Hoshino 2001, "Applying Pitman's sampling formula to microdata disclosure risk
    assessment", Journal of Official Statistics 17): for each α the equation in θ has one root, and what is
    left is one equation in α, so brackets exist and no start value is needed. With N persons
    E[S₁]/N = Γ(θ+1)/Γ(θ+α) · Γ(N+θ+α−1)/Γ(N+θ), which for large N is Γ(θ+1)/Γ(θ+α) · N^(α−1).
    """
    theta, alpha = fit_pitman(sample)
    # rounding may leave it a last digit above 1
    return min(1.0, float(np.exp(_log_expected_share(theta, alpha, sample.population))))


def fit_pitman(sample: PopulationSample) -> tuple[float, float]:
    """Fit Pitman's model by maximum likelihood (Hoshino 2001); α is 0 at the edge, as in Ewens' model."""
    from scipy.optimize import brentq

    if sample.classes in (1.0, sample.persons):
        raise NotMeasurable(
            f"Pitman's model has no most likely parameters for {sample.classes:.0f} classes of "
            f"{sample.persons:.0f} persons; it needs both uniques and classes of several persons."
        )

    def score(alpha: float) -> float:
        return _score_alpha(sample, _theta(sample, alpha), alpha)

    if score(_SMALLEST_ALPHA) <= 0:
        return _theta(sample, 0.0), 0.0
    largest = 1 - 1e-9
    if score(largest) >= 0:
        raise NotMeasurable("Pitman's model has no most likely parameters below α = 1 for this table.")
    alpha = float(brentq(score, _SMALLEST_ALPHA, largest, xtol=1e-14))
    return _theta(sample, alpha), alpha


def _theta(sample: PopulationSample, alpha: float) -> float:
    """Return the most likely θ for one α: Σ 1/(θ+iα) over classes equals Σ 1/(θ+i) over persons."""
    from scipy.optimize import brentq

    def score(log_distance: float) -> float:
        theta = np.exp(log_distance) - alpha
        return _theta_sum(theta, alpha, sample.classes) - _harmonic(theta + 1, sample.persons - 1)

    low = high = 0.0
    while score(low) <= 0:
        low -= 5
    while score(high) >= 0:
        high += 5
    return float(np.exp(brentq(score, low, high, xtol=1e-13)) - alpha)


def _theta_sum(theta: float, alpha: float, classes: float) -> float:
    """Sum 1/(θ+iα) over i = 1..classes−1."""
    if alpha == 0:
        return (classes - 1) / theta
    return _harmonic(theta / alpha + 1, classes - 1) / alpha


def _score_alpha(sample: PopulationSample, theta: float, alpha: float) -> float:
    """Return the derivative of the log-likelihood in α, for α > 0."""
    over_classes = (sample.classes - 1 - theta * _theta_sum(theta, alpha, sample.classes)) / alpha
    larger = sample.size > 1
    size, count = sample.size[larger], sample.classes_of_size[larger]
    return float(over_classes - count @ _harmonic_from(1 - alpha, size - 1))


def _harmonic(first: float, terms: float) -> float:
    """Sum 1/(first+i) over i = 0..terms−1, without canceling where ``first`` is large."""
    from scipy.special import digamma

    if first < 1e3:  # noqa: PLR2004 - from here on the expansion below is exact to the last digit
        return float(digamma(first + terms) - digamma(first))
    last = first + terms
    gap = (1 / first - 1 / last) / 2 + (1 / first**2 - 1 / last**2) / 12
    return float(np.log1p(terms / first) + gap)


def _harmonic_from(first: float, terms: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """Sum 1/(first+i) over i = 0..t−1 for each t of ``terms``, with ``first`` of at most 1."""
    from scipy.special import digamma

    sums: NDArray[np.float64] = digamma(first + terms) - digamma(first)
    return sums


def _log_expected_share(theta: float, alpha: float, population: float) -> float:
    """Return ln(E[S₁]/N) of Pitman's model in a population of N persons."""
    from scipy.special import gammaln

    of_model = gammaln(theta + 1) - gammaln(theta + alpha)
    total = population + theta
    if total < 1e4:  # noqa: PLR2004 - from here on the expansion below is exact to ten digits
        return float(of_model + gammaln(total + alpha - 1) - gammaln(total))
    # two huge logarithms would cancel, the expansion of their difference does not
    return float(of_model + (alpha - 1) * np.log(total) + (alpha - 1) * (alpha - 2) / (2 * total))
