"""The standard privacy models and risk measures, by families."""

from qidguard.sdk import Metric
from qidguard_standard.metrics import (
    class_sizes,
    closeness,
    diversity,
    individual_risk,
    journalist,
    population_uniqueness,
    prosecutor,
    small_classes,
    suda,
)

_FAMILIES = (
    class_sizes,
    closeness,
    diversity,
    individual_risk,
    journalist,
    population_uniqueness,
    prosecutor,
    small_classes,
    suda,
)

METRICS: tuple[Metric, ...] = tuple(
    sorted((metric for family in _FAMILIES for metric in family.METRICS), key=lambda metric: metric.name)
)
"""All of them, by name."""
