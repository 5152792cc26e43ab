"""Distinction: the number of distinct QID combinations for each person."""

from qidguard.sdk import (
    CLASS_SIZE,
    CLASSES,
    MEMBERSHIPS,
    PERSONS,
    SUMMED_RISK,
    Arguments,
    Direction,
    Explanation,
    GroupBy,
    Metric,
    StatisticValues,
    Unit,
    persons_of,
    value_of,
)
from qidguard_qidlearning.metrics.wording import EMPTY, NO_LIMIT, PAPER, QID_NULL, SMALLEST_CLASS

NEEDS = (CLASSES, PERSONS, MEMBERSHIPS, SUMMED_RISK)
"""The statistics that a distinction comes out of."""


def distinction(values: StatisticValues) -> float:
    """Return the mean over persons of 1/size of their smallest class, above 0 and at most 1.

    Where everyone is in one class only, the sum of these is the number of classes, D = |{Q_i}| / n
    (Simões et al. 2025).
    """
    everyone = persons_of(values)
    if value_of(values, MEMBERSHIPS.name) == everyone:
        # to the last digit, which a sum of fractions would not be
        return value_of(values, CLASSES.name) / everyone
    return value_of(values, SUMMED_RISK.name) / everyone


def _compute(values: StatisticValues, _: Arguments) -> float:
    return distinction(values)


DISTINCTION = Metric(
    name="distinction",
    title="distinction",
    unit=Unit.SHARE,
    minimum=0.0,
    maximum=1.0,
    direction=Direction.LOWER_IS_SAFER,
    method=GroupBy(statistics=NEEDS, compute=_compute, distribution=CLASS_SIZE),
    # one more QID splits classes, so nobody's smallest class grows
    is_monotone=True,
    explanation=Explanation(
        meaning="How many distinct combinations of the QIDs there are for each person: 1 means that everyone "
        "has one of their own, so the QIDs identify everybody in the table.",
        formula=f"distinct QID combinations / records = mean over persons of 1/class size. {SMALLEST_CLASS}",
        source=f"{PAPER}, section 4.1, after Motwani & Xu 2007, Efficient algorithms for masking and finding "
        "quasi-identifiers",
        good_value=f"{NO_LIMIT} Lower is safer; a set of columns near 1 is nearly a key.",
        missing=QID_NULL,
        empty=EMPTY,
        single_class="1 / the number of persons.",
    ),
)
"""Distinct QID combinations for each person."""
