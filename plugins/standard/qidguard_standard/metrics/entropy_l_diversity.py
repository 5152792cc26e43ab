"""Entropy l-diversity: the smallest effective number of sensitive values in a class.

Example:
    >>> ENTROPY_L_DIVERSITY.method.compute({"smallest_entropy": 0.0}, {})
    1.0
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

_ENTROPY = ClassValue(name="entropy_nats", sql=f"-{exact_sum('share * ln(share)')}")
_SMALLEST = Statistic(name="smallest_entropy", sql="min(entropy_nats)", values=(_ENTROPY,))


def _compute(values: StatisticValues, _: Arguments) -> float:
    return math.exp(max(0.0, value_of(values, _SMALLEST.name)))


ENTROPY_L_DIVERSITY = Metric(
    name="entropy_l_diversity",
    title="entropy l-diversity",
    unit=Unit.VALUES,
    minimum=1,
    maximum=math.inf,
    direction=Direction.HIGHER_IS_SAFER,
    method=GroupBy(statistics=(_SMALLEST,), compute=_compute, distribution=_ENTROPY),
    is_sensitive=True,
    # proven over records, for entropy is concave in a mixture; an entity in two classes is no mixture
    is_monotone=False,
    explanation=Explanation(
        meaning="In every class the sensitive values are at least as evenly spread as l equally "
        "frequent ones. It is never above distinct l-diversity and falls where one value "
        "dominates a class. It need not be a whole number.",
        formula="l = exp(min over classes of H), H = −Σ p·ln p over the sensitive values in the class, "
        f"p their shares; a class satisfies entropy l-diversity when H ≥ ln l. {ENTITY_SHARES}",
        source="Machanavajjhala, Kifer, Gehrke & Venkitasubramaniam 2007, l-diversity: privacy beyond "
        "k-anonymity, section 4",
        good_value=f"{NO_LIMIT} It cannot exceed the figure of the whole table, so where one value is common "
        "(such as healthy) even l = 2 may be out of reach.",
        missing=SENSITIVE_NULL,
        empty=EMPTY,
        single_class="exp of the entropy of the whole table.",
    ),
)
"""The smallest effective number of sensitive values in a class."""
