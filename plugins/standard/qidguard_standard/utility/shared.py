"""What several metrics of utility share: their sentences, and three records for their examples.

Three records of one quasi-identifier stand for a table, and what is published of them.
"""

import math
from dataclasses import dataclass, field

import numpy as np

from qidguard.sdk import Changes, ColumnValues, DataError, Unit, ValueType
from qidguard_standard.metrics.wording import MetricEdges, MetricScale, scale

NO_NUMBER = "It is a measure of utility, so neither way is safer; a policy may limit it from either side."

MISSING = (
    "NULL is one of a column's values where it occurs. A NULL that was kept is no change; one that stands in "
    "place of a value is a suppressed cell."
)

NUMBERS_MISSING = (
    "NULL and suppressed cells have no number and are left out, in the original and in the published table."
)

EMPTY = "Not measurable: the original table has no records."

CELLS = (
    "What a published cell covers is read from its text (qidguard.sdk.read_coverage); where a text cannot be "
    "read, the figure is not measurable."
)

MIDDLE = (
    "A generalized cell enters with the middle of its interval, or of the lowest and highest number covered."
)

EVENLY = "A generalized cell counts evenly for each value that it covers."

ALIGNED = "It needs to be known which record became which."


@dataclass(frozen=True)
class OneColumn:
    """A table of one column."""

    only: ColumnValues = field(repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The name of the column."""
        return (self.only.name,)

    @property
    def records(self) -> int:
        """Number of records."""
        return self.only.records

    def column(self, name: str) -> ColumnValues:
        """Return the column."""
        if name != self.only.name:
            raise DataError(f"there is no column {name!r}")
        return self.only


def three_jobs() -> Changes:
    """Return a clerk, a nurse and a priest of whom ``clerk,nurse`` and ``nurse`` are published."""
    before = ColumnValues(
        name="job",
        value_type=ValueType.TEXT,
        codes=np.array([1, 2, 3], dtype=np.int32),
        texts=(None, "clerk", "nurse", "priest"),
    )
    after = ColumnValues(
        name="job",
        value_type=ValueType.TEXT,
        codes=np.array([1, 2], dtype=np.int32),
        texts=(None, "clerk,nurse", "nurse"),
    )
    return Changes(before=OneColumn(before), after=OneColumn(after), kept=np.array([True, True, False]))


class OfOriginal(MetricScale):
    """The scale of a metric that needs the original."""

    needs_original: bool


SHARE: OfOriginal = {**scale(Unit.SHARE, 0.0, 1.0), "needs_original": True}
RATIO_TO_ONE: OfOriginal = {**scale(Unit.RATIO, 0.0, 1.0), "needs_original": True}
RATIO: OfOriginal = {**scale(Unit.RATIO, 0.0, math.inf), "needs_original": True}
"""Neither way is safer: that is for a policy to say."""

BY_CELLS: MetricEdges = {"missing": MISSING, "empty": EMPTY}
BY_NUMBERS: MetricEdges = {"missing": NUMBERS_MISSING, "empty": EMPTY}
"""Of metrics of cells, and of their numbers."""
