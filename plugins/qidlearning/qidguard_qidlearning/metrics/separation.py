"""Separation: the share of pairs of persons that the QIDs tell apart."""

from qidguard.sdk import (
    CLASS_SIZE,
    PERSONS,
    Arguments,
    Direction,
    Explanation,
    GroupBy,
    Metric,
    NotMeasurable,
    RowSource,
    Statistic,
    StatisticValues,
    Unit,
    persons_of,
    value_of,
)
from qidguard_qidlearning.metrics.wording import EMPTY, NO_LIMIT, PAPER, QID_NULL, SMALLEST_CLASS

SUMMED_SIZES = Statistic(name="summed_smallest_sizes", sql="size", source=RowSource.PERSONS)
"""Sum over persons of the size of their smallest class."""


def _compute(values: StatisticValues, _: Arguments) -> float:
    everyone = persons_of(values)
    if everyone == 1:
        raise NotMeasurable("Separation compares persons with each other, and the table has only one.")
    # everyone against the others outside their class, each pair seen from both ends
    return (everyone * everyone - value_of(values, SUMMED_SIZES.name)) / (everyone * (everyone - 1))


SEPARATION = Metric(
    name="separation",
    title="separation",
    unit=Unit.SHARE,
    minimum=0.0,
    maximum=1.0,
    direction=Direction.LOWER_IS_SAFER,
    method=GroupBy(statistics=(PERSONS, SUMMED_SIZES), compute=_compute, distribution=CLASS_SIZE),
    # one more QID splits classes, so nobody's smallest class grows
    is_monotone=True,
    explanation=Explanation(
        meaning="Of all pairs of persons, the share whose QIDs differ: the chance that two persons drawn at "
        "random can be told apart. It nears 1 long before the QIDs are a key, for a few values split most "
        "pairs already.",
        formula="pairs of records that differ in at least one QID / all n(n−1)/2 pairs = mean over persons "
        f"of (n − class size) / (n − 1). {SMALLEST_CLASS}",
        source=f"{PAPER}, section 4.1, after Motwani & Xu 2007, Efficient algorithms for masking and finding "
        "quasi-identifiers",
        good_value=f"{NO_LIMIT} Lower is safer.",
        missing=QID_NULL,
        empty=f"{EMPTY} Nor is it with one person, who makes no pair.",
        single_class="0: nobody is told apart.",
    ),
)
"""Share of the pairs of persons that differ in a QID."""
