"""Models of how many of a population are alone, fitted to the class sizes of a sample.

What the population models are fitted to: how many classes of each size a sample has.

Pitman's sampling model of class sizes, fitted by maximum likelihood.

The slide negative binomial model of class sizes, fitted to the sample's uniques and pairs.

Zayatz' estimate of population uniques: Bayes' rule over the class sizes of the sample.

Dankar's rule: which population model to believe at which sampling fraction.
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import NotMeasurable, TableView

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class PopulationSample:
    """Frequencies of class sizes in a sample, and the share of the population that was sampled.

    Args:
        size: The class sizes that occur, in persons, ascending, ≥ 1; shape (distinct sizes,).
        classes_of_size: How many classes have each of them, ≥ 1; the same shape.
        fraction: Share of the population that is in the sample, 0 < fraction ≤ 1.
    """

    size: "NDArray[np.float64]"
    classes_of_size: "NDArray[np.float64]"
    fraction: float

    @property
    def persons(self) -> float:
        """Persons in the sample (n)."""
        return float(self.size @ self.classes_of_size)

    @property
    def classes(self) -> float:
        """Equivalence classes of the sample (u)."""
        return float(self.classes_of_size.sum())

    @property
    def population(self) -> float:
        """Persons in the population, n / fraction (N)."""
        return self.persons / self.fraction

    def classes_with(self, persons: int) -> float:
        """Return how many classes hold exactly ``persons`` persons, ≥ 0."""
        return float(self.classes_of_size[self.size == persons].sum())

    def resampled(self, draw: np.random.Generator) -> "PopulationSample":
        """Return as many classes drawn from its own with replacement, of the same sampling fraction."""
        classes = int(self.classes)
        drawn = draw.multinomial(classes, self.classes_of_size / self.classes)
        is_drawn = drawn > 0
        return PopulationSample(
            size=self.size[is_drawn],
            classes_of_size=drawn[is_drawn].astype(np.float64),
            fraction=self.fraction,
        )


def population_sample(view: TableView, qids: tuple[str, ...]) -> PopulationSample:
    """Count the class sizes of a table as a sample of a population.

    Example:
        >>> import numpy as np
        >>> class Four:
        ...     sampling_fraction, has_entities, is_interrupted = 0.5, False, False
        ...
        ...     def class_sizes(self, qids):
        ...         return np.array([1, 2, 1])
        >>> sample = population_sample(Four(), ("age",))
        >>> sample.persons, sample.population, sample.classes_with(1)
        (4.0, 8.0, 2.0)
    """
    fraction = view.sampling_fraction
    if fraction is None:
        raise NotMeasurable(
            "Population uniqueness is estimated from the share of the population that is in the table, "
            "and none is known; the policy must give sampling_fraction."
        )
    sizes = view.class_sizes(qids)
    if not len(sizes):
        raise NotMeasurable("The table has no records, so it says nothing about a population.")
    if view.has_entities:
        entity = view.codes(qids).entity
        entities = 0 if entity is None else len(np.unique(entity))
        if int(sizes.sum()) != entities:
            raise NotMeasurable(
                f"Population models put every entity into one class, but {entities} entities appear "
                f"{int(sizes.sum())} times in classes; keep one record an entity to estimate uniqueness."
            )
    size, classes_of_size = np.unique(sizes, return_counts=True)
    return PopulationSample(
        size=size.astype(np.float64), classes_of_size=classes_of_size.astype(np.float64), fraction=fraction
    )


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


def zayatz_share(sample: PopulationSample) -> float:
    """Estimate the share of the population that is unique by Zayatz' equivalence class model.

    P(F=1 | f=1) = p₁·P(f=1 | F=1) / Σⱼ pⱼ·P(f=1 | F=j), where pⱼ is the share of the sample's classes that
    have size j and P(f=1 | F=j) is hypergeometric: one of the j persons among n drawn from N. Population
    uniques are S₁ = s₁·P(F=1 | f=1)·N/n (Zayatz 1991, "Estimation of the number of unique population
    elements using a sample", ASA Survey Research Methods).
    """
    uniques = sample.classes_with(1)
    # P(f=1 | F=1) is the sampling fraction n/N; both sides are divided by it
    still_unique = uniques / float(sample.classes_of_size @ _seen_alone(sample))
    return uniques * still_unique / sample.persons


def _seen_alone(sample: PopulationSample) -> "NDArray[np.float64]":
    """Return P(f=1 | F=j)·N/n for each size j of the sample: j·C(N−j, n−1)/C(N−1, n−1)."""
    from scipy.special import betaln

    size, population = sample.size, sample.population
    unseen = population - sample.persons
    others = size - 1
    # the other j−1 persons all have to be among the unseen; x·(x−1)⋯(x−k+1) = Γ(k)/B(x−k+1, k)
    possible = (others > 0) & (others < unseen + 1)
    k = np.where(possible, others, 1.0)
    of_all = betaln(np.where(possible, population - k, 1.0), k)
    of_unseen = betaln(np.where(possible, unseen - k + 1, 1.0), k)
    chance = np.where(possible, np.exp(of_all - of_unseen), 0.0)
    result: NDArray[np.float64] = size * np.where(others == 0, 1.0, chance)
    return result


SMALL_FRACTION = 0.1
"""Up to this sampling fraction Pitman's model is believed."""


def dankar_share(sample: PopulationSample) -> float:
    """Estimate the share of the population that is unique by the model that suits the sampling fraction.

    Pitman's model for π ≤ 0.1, above it the smaller of the slide negative binomial and Zayatz' estimate
    (Dankar, El Emam, Neisa & Roffey 2012, "Estimating the re-identification risk of clinical data sets", BMC
    Medical Informatics and Decision Making 12:66). Where the model that the rule wants has no estimate,
    Zayatz' stands in for it, which always exists and is the more careful one at small fractions.

    Example:
        >>> import numpy as np
        >>> sizes, classes = np.array([1.0, 2.0, 5.0]), np.array([6.0, 2.0, 1.0])
        >>> sample = PopulationSample(size=sizes, classes_of_size=classes, fraction=0.01)
        >>> dankar_share(sample) == pitman_share(sample)
        True
    """
    zayatz = zayatz_share(sample)
    try:
        if sample.fraction <= SMALL_FRACTION:
            return pitman_share(sample)
        return min(snb_share(sample), zayatz)
    except NotMeasurable:
        return zayatz
