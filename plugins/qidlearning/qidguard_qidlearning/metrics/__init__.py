"""The metrics of QIDLearningLib's Table 1, by families."""

from qidguard.sdk import Metric
from qidguard_qidlearning.metrics import (
    balance,
    causal_importance,
    own_information,
    privacy,
    propensity_overlap,
    target,
    telling_apart,
)

_FAMILIES = (balance, causal_importance, own_information, privacy, propensity_overlap, target, telling_apart)

METRICS: tuple[Metric, ...] = tuple(
    sorted((metric for family in _FAMILIES for metric in family.METRICS), key=lambda metric: metric.name)
)
"""All of them, by name."""
