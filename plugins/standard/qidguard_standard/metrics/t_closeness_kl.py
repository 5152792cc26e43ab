"""t-closeness by Kullback-Leibler divergence: what a class tells about the sensitive attribute, in nats.

Example:
    >>> T_CLOSENESS_KL.method.compute({"largest_divergence": 0.25}, {})
    0.25
"""

import math

from qidguard.sdk import (
    Arguments,
    ClassValue,
    Direction,
    Explanation,
    GroupBy,
    Metric,
    Statistic,
    StatisticValues,
    Unit,
    exact_sum,
    value_of,
)
from qidguard_standard.metrics.wording import EMPTY, ENTITY_SHARES, NO_LIMIT, SENSITIVE_NULL

# values absent from the class add 0·ln 0 = 0, so cells suffice
_DIVERGENCE = ClassValue(name="divergence_nats", sql=exact_sum("share * ln(share / table_share)"))
_LARGEST = Statistic(name="largest_divergence", sql="max(divergence_nats)", values=(_DIVERGENCE,))


def _compute(values: StatisticValues, _: Arguments) -> float:
    # never negative but for a last digit of the sum
    return max(0.0, value_of(values, _LARGEST.name))


T_CLOSENESS_KL = Metric(
    name="t_closeness_kl",
    title="t-closeness (Kullback-Leibler divergence)",
    unit=Unit.NATS,
    minimum=0.0,
    maximum=math.inf,
    direction=Direction.LOWER_IS_SAFER,
    method=GroupBy(statistics=(_LARGEST,), compute=_compute, distribution=_DIVERGENCE),
    is_sensitive=True,
    # proven over records, for the divergence is convex in a mixture; an entity in two classes is no mixture
    is_monotone=False,
    explanation=Explanation(
        meaning="How much information about the sensitive attribute someone's class gives beyond the whole "
        "table, where it gives most. 0 means that every class mirrors the table.",
        formula="max over classes of D_KL(P_class ‖ P_table) = Σ p·ln(p/q), natural logarithm; p a value's "
        "share in the class, q in the table. It is finite, for what occurs in a class occurs in the "
        f"table. {ENTITY_SHARES}",
        source="Kullback & Leibler 1951, On information and sufficiency; named among the distances between "
        "class and table by Li, Li & Venkatasubramanian 2007, whose own t-closeness is the metric "
        "t_closeness",
        good_value=f"{NO_LIMIT} Lower is safer; ln 2 = 0.693 nats are one bit.",
        missing=SENSITIVE_NULL,
        empty=EMPTY,
        single_class="0: the class is the table.",
    ),
)
"""The largest Kullback-Leibler divergence of a class from the table."""
