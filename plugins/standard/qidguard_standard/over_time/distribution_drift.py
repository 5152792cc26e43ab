"""Distribution drift: how far the values of a column have moved since the latest earlier release.

The distance is the total variation ½ Σ|p − q|, taken over keyed buckets of values, for the values of an
earlier release are not kept.

Example:
    >>> DISTRIBUTION_DRIFT.unit.value, DISTRIBUTION_DRIFT.needs_history
    ('share', True)
"""

from qidguard.sdk import (
    Arguments,
    Direction,
    Explanation,
    Grouping,
    Metric,
    PublishedColumn,
    TableFunction,
    TableView,
    Unit,
)
from qidguard_standard.over_time.published import NO_CLASSES, VALIDATION_SOURCE, columns_over_time


def _largest(view: TableView, _grouping: Grouping, _arguments: Arguments) -> float:
    return max((_distance(was, is_now) for was, is_now in columns_over_time(view).in_both), default=0.0)


def _distance(was: PublishedColumn, is_now: PublishedColumn) -> float:
    """Return the total variation distance between the buckets of a column in two releases."""
    before, now = int(was.buckets.sum()), int(is_now.buckets.sum())
    if not before or not now:
        # two releases without a record do not differ; one with and one without share nothing
        return float(before != now)
    # in whole numbers (Python's, of any size), so that equal shares of unequal tables are at distance 0
    counts = zip(was.buckets.tolist(), is_now.buckets.tolist(), strict=True)
    gap: int = sum(abs(then * now - at_present * before) for then, at_present in counts)
    return gap / (2 * before * now)


DISTRIBUTION_DRIFT = Metric(
    name="distribution_drift",
    title="distribution drift",
    unit=Unit.SHARE,
    minimum=0.0,
    maximum=1.0,
    direction=Direction.LOWER_IS_SAFER,
    method=TableFunction(measure=_largest),
    needs_history=True,
    # the values published do not depend on the QIDs
    is_monotone=True,
    explanation=Explanation(
        meaning="The column whose values moved most since the latest earlier release: the share of its "
        "records that would have to take another value to look like the column did then. It blocks a table "
        "that was filled from the wrong place, in another unit or in another spelling, which a policy "
        "about classes would not notice.",
        formula="max over columns of the same name in both of ½ Σ|p − q| over 1,024 keyed buckets of "
        "values and one for NULL, p and q being the shares of records in both releases: the total "
        "variation distance, or less where values share a bucket, never more. 0 before the first release",
        source=f"Levin, Peres & Wilmer 2009, Markov chains and mixing times, chapter 4 (total variation); "
        f"{VALIDATION_SOURCE}",
        good_value="No source sets a number for it: look at a few releases that were right. Chance alone "
        "moves a column of B ≤ 1,024 equally frequent values by about √(B(1/n + 1/m) / 2π) between n and m "
        "independent records: with 1,024 or more values 0.18 for 10,000 records in each, 0.06 for 100,000 "
        "and 0.02 for 1,000,000; with 10 values 0.02 for 10,000. A column of identifiers drifts by that "
        "much even where nothing is wrong.",
        missing="NULL has a bucket of its own, so a column that fills or empties drifts like any other.",
        empty="0 against a release that was empty too; 1 against one that was not.",
        single_class=NO_CLASSES,
    ),
)
"""The largest total variation distance of a column from the latest earlier release."""
