"""t-closeness with equal distance: how far a class's sensitive values are from the table's.

Example:
    >>> T_CLOSENESS.method.compute({"largest_equal_distance": 0.25}, {})
    0.25
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
    exact_sum,
    value_of,
)
from qidguard_standard.metrics.wording import EMPTY, ENTITY_SHARES, NO_LIMIT, SENSITIVE_NULL

# what the class has too much of must move; values that are absent from it only receive, so cells suffice
_DISTANCE = ClassValue(name="equal_distance", sql=exact_sum("greatest(share - table_share, 0.0)"))
_LARGEST = Statistic(name="largest_equal_distance", sql="max(equal_distance)", values=(_DISTANCE,))


def _compute(values: StatisticValues, _: Arguments) -> float:
    # the sum of shares may leave a last digit outside the range
    return min(1.0, value_of(values, _LARGEST.name))


T_CLOSENESS = Metric(
    name="t_closeness",
    title="t-closeness (equal distance)",
    unit=Unit.RATIO,
    minimum=0.0,
    maximum=1.0,
    direction=Direction.LOWER_IS_SAFER,
    method=GroupBy(statistics=(_LARGEST,), compute=_compute, distribution=_DISTANCE),
    is_sensitive=True,
    # proven over records, for a merged class is a mixture; entities that are in two classes break it
    is_monotone=False,
    explanation=Explanation(
        meaning="How much more an attacker learns about the sensitive attribute from someone's class "
        "than from the whole table, where it is most. 0 means that every class mirrors the "
        "table, near 1 that a class has values which hardly anyone else has. All values are "
        "equally far from one another: use t_closeness_ordered for numbers.",
        formula="t = max over classes of Σ max(p − q, 0) = ½·Σ|p − q|, the Earth Mover's Distance with equal "
        f"distances; p a value's share in the class, q in the table. {ENTITY_SHARES}",
        source="Li, Li & Venkatasubramanian 2007, t-closeness: privacy beyond k-anonymity and l-diversity, "
        "ICDE, section 5",
        good_value=f"{NO_LIMIT} Lower is safer.",
        missing=SENSITIVE_NULL,
        empty=EMPTY,
        single_class="0: the class is the table.",
    ),
)
"""The largest Earth Mover's Distance with equal distances between a class and the table."""
