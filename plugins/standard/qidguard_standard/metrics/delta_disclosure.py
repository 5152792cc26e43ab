"""δ-disclosure privacy: how far a class shifts the log-odds of any sensitive value, up or down.

Example:
    >>> found = {"largest_log_ratio": 0.7, "most_absent_values": 1}
    >>> [DELTA_DISCLOSURE.method.compute(found, {"absent": reading}) for reading in ("infinite", "ignore")]
    [inf, 0.7]
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

_INFINITE, _IGNORE = "infinite", "ignore"

_LOG_RATIO = ClassValue(name="largest_log_ratio_of_class", sql="max(abs(ln(share / table_share)))")
_ABSENT = ClassValue(name="absent_values", sql="max(table_values) - count(n)")
_LARGEST = Statistic(name="largest_log_ratio", sql="max(largest_log_ratio_of_class)", values=(_LOG_RATIO,))
_MOST_ABSENT = Statistic(name="most_absent_values", sql="max(absent_values)", values=(_ABSENT,))


def _compute(values: StatisticValues, arguments: Arguments) -> float:
    largest = value_of(values, _LARGEST.name)
    if arguments["absent"] != _IGNORE and value_of(values, _MOST_ABSENT.name) > 0:
        return math.inf
    return largest


DELTA_DISCLOSURE = Metric(
    name="delta_disclosure",
    title="δ-disclosure privacy",
    unit=Unit.NATS,
    minimum=0.0,
    maximum=math.inf,
    direction=Direction.LOWER_IS_SAFER,
    method=GroupBy(statistics=(_LARGEST, _MOST_ABSENT), compute=_compute, distribution=_LOG_RATIO),
    parameters=(
        Parameter(
            name="absent",
            type=str,
            default=_INFINITE,
            choices=(_INFINITE, _IGNORE),
            meaning="what a value absent from a class counts: infinite (strict) or ignore",
        ),
    ),
    is_sensitive=True,
    # proven over records, for a merged class is a mixture; entities that are in two classes break it
    is_monotone=False,
    explanation=Explanation(
        meaning="By what factor a class makes a sensitive value more or less likely than in the whole table, "
        "where it is most, on a logarithmic scale: 0.69 means a factor of two either way. Ruling a "
        "value out is disclosure, too, so a class that lacks one of the table's values is infinitely "
        "bad in the strict reading.",
        formula="δ = max over classes and sensitive values of |ln(p/q)|, natural logarithm (the source "
        "leaves the base open); p a value's share in the class, q in the table. absent: "
        "infinite takes |ln 0| = ∞ for a value that a class lacks, as defined; absent: ignore "
        f"skips it, as pyCANON does. {ENTITY_SHARES}",
        source="Brickell & Shmatikov 2008, The cost of privacy: destruction of data-mining utility in "
        "anonymized data publishing, KDD",
        good_value=f"{NO_LIMIT} Lower is safer; the strict form is finite only where every class holds "
        "every value.",
        missing=SENSITIVE_NULL,
        empty=EMPTY,
        single_class="0: the class is the table.",
    ),
)
"""The largest absolute log-ratio of a sensitive value's share in a class and in the table."""
