"""Share of persons in classes below k.

Example:
    >>> SHARE_BELOW_K.method.compute({"persons": 8, "persons_below_5": 2}, {"k": 5})
    0.25
"""

from qidguard.sdk import (
    CLASS_SIZE,
    Arguments,
    Direction,
    Explanation,
    GroupBy,
    Metric,
    StatisticValues,
    Unit,
    persons_below,
    persons_of,
    value_of,
)
from qidguard_standard.metrics.persons_below_k import CLASS_MINIMUM, below_k
from qidguard_standard.metrics.wording import EMPTY, QID_NULL


def _compute(values: StatisticValues, arguments: Arguments) -> float:
    everyone = persons_of(values)
    return value_of(values, persons_below(arguments["k"]).name) / everyone


SHARE_BELOW_K = Metric(
    name="share_below_k",
    title="share of persons in classes below k",
    unit=Unit.SHARE,
    minimum=0.0,
    maximum=1.0,
    direction=Direction.LOWER_IS_SAFER,
    method=GroupBy(statistics=below_k, compute=_compute, distribution=CLASS_SIZE),
    parameters=(CLASS_MINIMUM,),
    # the number of persons does not depend on the QIDs, and those below k never become more
    is_monotone=True,
    explanation=Explanation(
        meaning="Which part of the people is in a class of fewer than k, and so would have to be "
        "suppressed or generalized to make the table k-anonymous.",
        formula="persons whose class has fewer than k persons / persons; with an entity column an "
        "entity counts once, by the smallest class that it appears in",
        source="Sweeney 2002, k-anonymity: a model for protecting privacy (the records that violate it)",
        good_value="0 means that the table is k-anonymous for this k; a few per cent may be cheap to "
        "suppress.",
        missing=QID_NULL,
        empty=EMPTY,
        single_class="0 where the table has at least k persons, else 1.",
    ),
)
"""The share of persons in classes of fewer than k."""
