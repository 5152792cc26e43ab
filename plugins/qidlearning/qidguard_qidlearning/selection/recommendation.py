"""Recommendation: one metric for each group that says the same, and one at least of each domain."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qidguard_qidlearning.selection.domain import MetricDomain, domain_of


@dataclass(frozen=True, kw_only=True)
class Recommendation:
    """Which metrics to take.

    Args:
        chosen: Their names.
        reasons: Metric → why it is taken or not, one sentence, for each metric that says something.
    """

    chosen: tuple[str, ...]
    reasons: Mapping[str, str]


def recommend(
    names: Sequence[str],
    groups: Sequence[Sequence[int]],
    correlations: NDArray[np.float64],
    is_cheap: Mapping[str, bool],
) -> Recommendation:
    """Return a set of metrics in which none repeats another, and in which each domain speaks.

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
    return Recommendation(
        chosen=tuple(names[i] for i in sorted(chosen)), reasons={n: reasons[n] for n in names}
    )


def _why(names: Sequence[str], best: int, group: Sequence[int]) -> str:
    domain = domain_of(names[best])
    if len(group) == 1:
        return f"says what no other metric says ({domain})."
    return f"stands for {', '.join(sorted(names[i] for i in group if i != best))} too ({domain})."


def _signed(r: float) -> str:
    return f"{r:.2f}".replace("-", "−")
