"""Metrics over several releases of a data set, by families."""

from qidguard.sdk import Metric
from qidguard_standard.over_time import (
    columns,
    persons,
)

_FAMILIES = (columns, persons)

OVER_TIME_METRICS: tuple[Metric, ...] = tuple(
    sorted((metric for family in _FAMILIES for metric in family.METRICS), key=lambda metric: metric.name)
)
"""All of them, by name."""
