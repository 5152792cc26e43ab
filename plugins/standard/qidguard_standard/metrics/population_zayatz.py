"""Zayatz' estimate of population uniques: Bayes' rule over the class sizes of the sample."""

from typing import TYPE_CHECKING

import numpy as np

from qidguard_standard.metrics.population_sample import PopulationSample

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
