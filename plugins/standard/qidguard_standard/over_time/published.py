"""The columns of a table beside those of the release before it.

What is kept of a release is keyed numbers, not group-bys of the table, so the metrics over columns are
functions of the table's history.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from qidguard.sdk import PublishedColumn, TableView
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
