"""(α,k)-anonymity, the part α: the largest share of one sensitive value in a class.

Example:
    >>> ALPHA_K_ANONYMITY.method.compute({"largest_share": 0.75}, {})
    0.75
"""

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
    value_of,
)
from qidguard_standard.metrics.wording import EMPTY, ENTITY_SHARES, NO_LIMIT, SENSITIVE_NULL

_SHARE = ClassValue(name="largest_share_of_class", sql="max(share)")
_LARGEST = Statistic(name="largest_share", sql="max(largest_share_of_class)", values=(_SHARE,))


def _compute(values: StatisticValues, _: Arguments) -> float:
    return value_of(values, _LARGEST.name)


ALPHA_K_ANONYMITY = Metric(
    name="alpha_k_anonymity",
    title="(α,k)-anonymity: α",
    unit=Unit.SHARE,
    minimum=0.0,
    maximum=1.0,
    direction=Direction.LOWER_IS_SAFER,
    method=GroupBy(statistics=(_LARGEST,), compute=_compute, distribution=_SHARE),
    is_sensitive=True,
    # proven over records, for a merged class is a mixture; entities that are in two classes break it
    is_monotone=False,
    explanation=Explanation(
        meaning="How sure an attacker can be of someone's sensitive value after finding their class, "
        "where it is worst. 1 means that in some class everyone has the same value.",
        formula="α = max over classes and sensitive values of the value's share in the class, over "
        "every value and not only those declared sensitive, which is the strict form. k is the "
        f"other half: set it as a threshold on k_anonymity. {ENTITY_SHARES}",
        source="Wong, Li, Fu & Wang 2006, (α,k)-anonymity: an enhanced k-anonymity model for privacy "
        "preserving data publishing, KDD, general model",
        good_value=f"{NO_LIMIT} It cannot fall below the largest share in the whole table.",
        missing=SENSITIVE_NULL,
        empty=EMPTY,
        single_class="The largest share of a sensitive value in the table.",
    ),
)
"""The largest share of one sensitive value in a class."""
