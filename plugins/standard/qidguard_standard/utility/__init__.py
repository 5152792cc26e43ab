"""Utility: what a published table lost against its original, as ordinary metrics."""

from qidguard.sdk import Metric
from qidguard_standard.utility import (
    cells,
    cells_kept,
    information,
    marginals,
    numbers,
    propensity_score_mse,
)

_FAMILIES = (cells, cells_kept, information, marginals, numbers, propensity_score_mse)

UTILITY_METRICS: tuple[Metric, ...] = tuple(
    sorted((metric for family in _FAMILIES for metric in family.METRICS), key=lambda metric: metric.name)
)
"""All of them, by name."""
