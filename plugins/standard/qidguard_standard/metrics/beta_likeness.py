"""β-likeness: by what factor a class raises the confidence in a sensitive value.

Example:
    >>> gains = {"largest_gain": 1.5, "largest_gain_excess": 0.8}
    >>> [BETA_LIKENESS.method.compute(gains, {"enhanced": is_enhanced}) for is_enhanced in (False, True)]
    [1.5, inf]
"""

import math

from qidguard.sdk import (
    Arguments,
    ClassValue,
    Direction,
    Explanation,
    GroupBy,
    Metric,
    Parameter,
    Statistic,
    StatisticValues,
    Unit,
    value_of,
)
from qidguard_standard.metrics.wording import EMPTY, ENTITY_SHARES, NO_LIMIT, SENSITIVE_NULL

_ROUNDING = 1e-12
"""A gain this little above −ln q equals it: both are floating-point numbers."""

_GAIN = ClassValue(name="largest_gain_of_class", sql="max((share - table_share) / table_share)")
_EXCESS = ClassValue(
    name="largest_gain_excess_of_class",
    sql="max(CASE WHEN share > table_share "
    "THEN (share - table_share) / table_share + ln(table_share) ELSE 0.0 END)",
)
_LARGEST = Statistic(name="largest_gain", sql="max(largest_gain_of_class)", values=(_GAIN,))
_LARGEST_EXCESS = Statistic(
    name="largest_gain_excess", sql="max(largest_gain_excess_of_class)", values=(_EXCESS,)
)


def _compute(values: StatisticValues, arguments: Arguments) -> float:
    gain = max(0.0, value_of(values, _LARGEST.name))
    if arguments["enhanced"] and value_of(values, _LARGEST_EXCESS.name) > _ROUNDING:
        return math.inf
    return gain


BETA_LIKENESS = Metric(
    name="beta_likeness",
    title="β-likeness",
    unit=Unit.RATIO,
    minimum=0.0,
    maximum=math.inf,
    direction=Direction.LOWER_IS_SAFER,
    method=GroupBy(statistics=(_LARGEST, _LARGEST_EXCESS), compute=_compute, distribution=_GAIN),
    parameters=(
        Parameter(
            name="enhanced",
            type=bool,
            default=False,
            meaning="whether a gain must also stay within −ln q (enhanced β-likeness)",
        ),
    ),
    is_sensitive=True,
    # proven over records, for a merged class is a mixture; entities that are in two classes break it
    is_monotone=False,
    explanation=Explanation(
        meaning="By how much a class raises the confidence that someone has a sensitive value, relative "
        "to the whole table, where it is most: 1 means that a value is twice as frequent in a "
        "class. It guards rare values, which t-closeness hardly sees. Becoming less likely is "
        "not counted.",
        formula="β = max over classes and values with p > q of (p − q)/q; p a value's share in the "
        "class, q in the table. Enhanced: every gain must also be at most −ln q; then β is the "
        f"same, and infinite where no β can hold because a gain exceeds −ln q. {ENTITY_SHARES}",
        source="Cao & Karras 2012, Publishing microdata with a robust privacy guarantee, PVLDB 5(11), basic "
        "and enhanced β-likeness",
        good_value=f"{NO_LIMIT} Lower is safer.",
        missing=SENSITIVE_NULL,
        empty=EMPTY,
        single_class="0: the class is the table.",
    ),
)
"""The largest relative gain of a sensitive value in a class over the table."""
