"""k-anonymity: the size of the smallest equivalence class.

Example:
    >>> K_ANONYMITY.method.compute({"smallest_class": 3}, {})
    3
"""

import math

from qidguard.sdk import (
    CLASS_SIZE,
    SMALLEST_CLASS,
    Arguments,
    Direction,
    Explanation,
    GroupBy,
    Metric,
    StatisticValues,
    Unit,
    value_of,
)
from qidguard_standard.metrics.wording import EMPTY, QID_NULL


def _compute(values: StatisticValues, _: Arguments) -> int | float:
    return value_of(values, SMALLEST_CLASS.name)


K_ANONYMITY = Metric(
    name="k_anonymity",
    title="k-anonymity",
    unit=Unit.PERSONS,
    minimum=1,
    maximum=math.inf,
    direction=Direction.HIGHER_IS_SAFER,
    is_whole=True,
    method=GroupBy(statistics=(SMALLEST_CLASS,), compute=_compute, distribution=CLASS_SIZE),
    # merging classes unites their persons: no class gets smaller than one it is made of
    is_monotone=True,
    explanation=Explanation(
        meaning="Everyone in the table looks like at least k−1 others on the QIDs. k = 1 means that somebody "
        "is alone, and whoever knows their QIDs finds their record. It says nothing about what the others "
        "have in common: look at l-diversity and t-closeness for that.",
        formula="k = min over equivalence classes of the persons in the class; with an entity column persons "
        "are distinct entities, however many records each has",
        source="Samarati 2001, Protecting respondents' identities in microdata release; Sweeney 2002, "
        "k-anonymity: a model for protecting privacy",
        good_value="3 or 5 is the usual minimum for shared microdata (PDPC 2024); 11 for public clinical "
        "reports (EMA 2016, risk 0.09 in its nominal reading); 20 for a risk of 0.05.",
        missing=QID_NULL,
        empty=EMPTY,
        single_class="The number of persons in the table.",
    ),
)
"""The size of the smallest equivalence class."""
