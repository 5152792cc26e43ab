"""Domains: what a metric speaks of, as QIDLearningLib's Tables 1 and 2 order them."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType


class MetricDomain(StrEnum):
    """What a metric speaks of; ``other`` is a metric that the paper does not name."""

    CAUSALITY = "causality"
    PRIVACY = "privacy"
    UTILITY = "utility"
    QID_SPECIFIC = "QID-specific"
    OTHER = "other"


_METRICS = {
    MetricDomain.CAUSALITY: ("covariate_shift", "balance_test", "propensity_overlap", "causal_importance"),
    MetricDomain.PRIVACY: (
        "k_anonymity_per_class",
        "l_diversity",
        "t_closeness_per_class",
        "delta_presence",
        "generalization_ratio",
    ),
    MetricDomain.UTILITY: (
        "mean_squared_error",
        "accuracy",
        "range_utility",
        "distinct_values_utility",
        "completeness_utility",
        "group_entropy",
        "information_gain",
        "gini_index",
        "attribute_length_penalty",
    ),
    MetricDomain.QID_SPECIFIC: (
        "distinction",
        "separation",
        "mean_class_size",
        "own_information",
        "column_count",
    ),
}

DOMAINS: Mapping[str, MetricDomain] = MappingProxyType(
    {name: domain for domain, names in _METRICS.items() for name in names}
)
"""The metrics' domains, by name."""


def domain_of(metric: str) -> MetricDomain:
    """Return a metric's domain."""
    return DOMAINS.get(metric, MetricDomain.OTHER)
