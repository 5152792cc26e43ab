"""Recommendation: one metric for each group that says the same, and one at least of each domain.

Domains are what a metric speaks of, as QIDLearningLib's Tables 1 and 2 order them.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray


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


def recommend(
    names: Sequence[str],
    groups: Sequence[Sequence[int]],
    correlations: NDArray[np.float64],
    is_cheap: Mapping[str, bool],
) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return metrics of which none repeats another and in which each domain speaks, and why each or why not.

    Simões et al. 2025, section 4.4: metrics of different domains, and in one domain those of low correlation.
    Of a group that says the same, a metric of a domain that no other group speaks for comes first, then one
    that is measured by a group-by, then the medoid: the highest mean |r| with its group; then the first by
    name. A domain that is left without a metric gets the one of its metrics that repeats the chosen ones
    least, and its reason says what it repeats.
    """
    strength = np.nan_to_num(np.abs(correlations), nan=0.0)
    chosen: dict[int, str] = {}
    reasons: dict[str, str] = {}
    covered: set[MetricDomain] = set()
    # groups that leave no choice of domain speak first, so that the others can fill what is missing
    order = sorted(
        groups, key=lambda group: (len({domain_of(names[i]) for i in group}), min(names[i] for i in group))
    )
    for group in order:
        best = min(
            group,
            key=lambda i: (
                domain_of(names[i]) in covered,
                not is_cheap[names[i]],
                -round(float(strength[i, list(group)].mean()), 9),
                names[i],
            ),
        )
        covered.add(domain_of(names[best]))
        chosen[best] = _why(names, best, group)
        for i in group:
            if i != best:
                reasons[names[i]] = f"says the same as {names[best]} (r = {_signed(correlations[i, best])})."
    for domain in MetricDomain:
        mine = [i for i in range(len(names)) if domain_of(names[i]) is domain]
        if domain is MetricDomain.OTHER or domain in covered or not mine:
            continue
        best = min(
            mine,
            key=lambda i: (
                round(float(strength[i, list(chosen)].max()), 9),
                not is_cheap[names[i]],
                names[i],
            ),
        )
        like = max(chosen, key=lambda i: (strength[best, i], names[i]))
        chosen[best] = (
            f"speaks for {domain}, which had no metric, though it repeats {names[like]} "
            f"(r = {_signed(correlations[best, like])})."
        )
    reasons |= {names[i]: why for i, why in chosen.items()}
    return tuple(names[i] for i in sorted(chosen)), {name: reasons[name] for name in names}


def _why(names: Sequence[str], best: int, group: Sequence[int]) -> str:
    domain = domain_of(names[best])
    if len(group) == 1:
        return f"says what no other metric says ({domain})."
    return f"stands for {', '.join(sorted(names[i] for i in group if i != best))} too ({domain})."


def _signed(r: float) -> str:
    return f"{r:.2f}".replace("-", "−")
