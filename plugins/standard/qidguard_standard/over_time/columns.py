"""The columns of a table beside those of the release before it.

What is kept of a release is keyed numbers, not group-bys of the table, so the metrics over columns are
functions of the table's history.

Columns appeared: how many published columns the latest earlier release lacked.

Columns disappeared: how many columns of the latest earlier release are published no more.

Columns retyped: how many columns have another type than in the latest earlier release.

Distribution drift: how far the values of a column have moved since the latest earlier release.

The distance is the total variation ½ Σ|p − q|, taken over keyed buckets of values, for the values of an
earlier release are not kept.

Example:
    >>> COLUMNS_APPEARED.unit.value, COLUMNS_APPEARED.needs_history
    ('columns', True)
    >>> COLUMNS_DISAPPEARED.unit.value, COLUMNS_DISAPPEARED.needs_history
    ('columns', True)
    >>> COLUMNS_RETYPED.unit.value, COLUMNS_RETYPED.needs_history
    ('columns', True)
    >>> DISTRIBUTION_DRIFT.unit.value, DISTRIBUTION_DRIFT.needs_history
    ('share', True)
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

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
from qidguard_standard.metrics.wording import SHARE_LOWER, MetricScale, scale
from qidguard_standard.over_time.joint import history_of

VALIDATION_SOURCE = (
    "Breck, Polyzotis, Roy, Whang & Zinkevich 2019, Data validation for machine learning (MLSys; anomalies "
    "against a schema and drift between days)"
)
"""The literature on checking each delivery of a data set against the one before."""

NEW_COLUMNS_SOURCE = (
    "Wang & Fung 2006, Anonymizing sequential releases (KDD; new attributes sharpen what earlier releases "
    "show, and are joined to it)"
)
"""The literature on releases that bring new columns."""

ANY_VALUES = "NULL plays no part: a column without a value is a column like any other."
"""What NULL means to a metric that looks at names and types, for ``missing`` of an explanation."""

NO_RECORDS = "As for any table: columns are compared, not records."
"""What an empty table gives, for ``empty`` of an explanation."""

NO_CLASSES = "As for any table: classes play no part."
"""What a single class gives, for ``single_class`` of an explanation."""


@dataclass(frozen=True, kw_only=True)
class ColumnsOverTime:
    """The columns of two releases that follow one another, by name.

    Args:
        before: Those of the latest earlier release; None before the first release.
        now: Those of the table itself.
    """

    before: Mapping[str, PublishedColumn] | None
    now: Mapping[str, PublishedColumn]

    @property
    def in_both(self) -> tuple[tuple[PublishedColumn, PublishedColumn], ...]:
        """The columns that both have, each as it was and as it is."""
        before = self.before or {}
        return tuple((before[name], column) for name, column in self.now.items() if name in before)


def columns_over_time(view: TableView) -> ColumnsOverTime:
    """Return the columns of the table and of the latest earlier release.

    Example:
        >>> from types import SimpleNamespace
        >>> import numpy as np
        >>> age = PublishedColumn(name="age", value_type="integer", buckets=np.zeros(1025, dtype=np.int64))
        >>> columns_over_time(
        ...     SimpleNamespace(history=SimpleNamespace(columns=lambda: ((age,),)))
        ... ).before is None
        True
    """
    *earlier, now = history_of(view).columns()
    return ColumnsOverTime(
        before={column.name: column for column in earlier[-1]} if earlier else None,
        now={column.name: column for column in now},
    )


def _appeared(view: TableView, _grouping: Grouping, _arguments: Arguments) -> int:
    columns = columns_over_time(view)
    return 0 if columns.before is None else len(columns.now.keys() - columns.before.keys())


class _Counted(MetricScale):
    is_whole: bool
    needs_history: bool
    is_monotone: bool


# the columns published do not depend on the QIDs
_COLUMNS: _Counted = {
    **scale(Unit.COLUMNS, 0, math.inf, Direction.LOWER_IS_SAFER),
    "is_whole": True,
    "needs_history": True,
    "is_monotone": True,
}

COLUMNS_APPEARED = Metric(
    name="columns_appeared",
    title="columns appeared",
    **_COLUMNS,
    method=TableFunction(measure=_appeared),
    explanation=Explanation(
        meaning="How many columns this table would publish that the latest earlier release did not have. A "
        "new column tells something new of people who are out there already, and nobody may have looked at "
        "it.",
        formula="number of columns to be published whose name the latest earlier release lacks; 0 before the "
        "first release. A column that was renamed has appeared under one name and disappeared under the "
        "other",
        source=f"{NEW_COLUMNS_SOURCE}; {VALIDATION_SOURCE}",
        good_value="0, where each release is to look like the last; a wanted column is let in by raising the "
        "limit for one release.",
        missing=ANY_VALUES,
        empty=NO_RECORDS,
        single_class=NO_CLASSES,
    ),
)


def _disappeared(view: TableView, _grouping: Grouping, _arguments: Arguments) -> int:
    columns = columns_over_time(view)
    return 0 if columns.before is None else len(columns.before.keys() - columns.now.keys())


COLUMNS_DISAPPEARED = Metric(
    name="columns_disappeared",
    title="columns disappeared",
    **_COLUMNS,
    method=TableFunction(measure=_disappeared),
    explanation=Explanation(
        meaning="How many columns of the latest earlier release this table would publish no more. A column "
        "that is gone exposes nobody, but a source that changed unannounced may have changed elsewhere as "
        "well.",
        formula="number of columns of the latest earlier release whose name is not among those to be "
        "published; 0 before the first release",
        source=VALIDATION_SOURCE,
        good_value="0, where each release is to look like the last.",
        missing=ANY_VALUES,
        empty=NO_RECORDS,
        single_class=NO_CLASSES,
    ),
)


def _retyped(view: TableView, _grouping: Grouping, _arguments: Arguments) -> int:
    return sum(was.value_type != is_now.value_type for was, is_now in columns_over_time(view).in_both)


COLUMNS_RETYPED = Metric(
    name="columns_retyped",
    title="columns retyped",
    **_COLUMNS,
    method=TableFunction(measure=_retyped),
    explanation=Explanation(
        meaning="How many published columns have the name but not the type of a column of the latest earlier "
        "release. A year that became a date, or a band that became a number, tells more than the policy was "
        "written for.",
        formula="number of columns of the same name in both whose type differs; 0 before the first release. "
        "A text source such as CSV has no types, so nothing is retyped there",
        source=VALIDATION_SOURCE,
        good_value="0.",
        missing="NULL plays no part, but for a column of nothing else, where the source gives it a type of "
        "its own.",
        empty=NO_RECORDS,
        single_class=NO_CLASSES,
    ),
)


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
    **SHARE_LOWER,
    method=TableFunction(measure=_largest),
    needs_history=True,
    # the values published do not depend on the QIDs
    is_monotone=True,
    explanation=Explanation(
        meaning="The column whose values moved most since the latest earlier release: the share of its "
        "records that would have to take another value to look like the column did then. It blocks a table "
        "that was filled from the wrong place, in another unit or in another spelling, which a policy about "
        "classes would not notice.",
        formula="max over columns of the same name in both of ½ Σ|p − q| over 1,024 keyed buckets of values "
        "and one for NULL, p and q being the shares of records in both releases: the total variation "
        "distance, or less where values share a bucket, never more. 0 before the first release",
        source="Levin, Peres & Wilmer 2009, Markov chains and mixing times, chapter 4 (total variation); "
        f"{VALIDATION_SOURCE}",
        good_value="No source sets a number for it: look at a few releases that were right. Chance alone "
        "moves a column of B ≤ 1,024 equally frequent values by about √(B(1/n + 1/m) / 2π) between n and m "
        "independent records: with 1,024 or more values 0.18 for 10,000 records in each, 0.06 for 100,000 "
        "and 0.02 for 1,000,000; with 10 values 0.02 for 10,000. A column of identifiers drifts by that much "
        "even where nothing is wrong.",
        missing="NULL has a bucket of its own, so a column that fills or empties drifts like any other.",
        empty="0 against a release that was empty too; 1 against one that was not.",
        single_class=NO_CLASSES,
    ),
)

METRICS: tuple[Metric, ...] = (COLUMNS_APPEARED, COLUMNS_DISAPPEARED, COLUMNS_RETYPED, DISTRIBUTION_DRIFT)
