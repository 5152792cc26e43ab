"""Dankar's rule: which population model to believe at which sampling fraction."""

from qidguard.sdk import NotMeasurable
from qidguard_standard.metrics.population_pitman import pitman_share
from qidguard_standard.metrics.population_sample import PopulationSample
from qidguard_standard.metrics.population_snb import snb_share
from qidguard_standard.metrics.population_zayatz import zayatz_share

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
