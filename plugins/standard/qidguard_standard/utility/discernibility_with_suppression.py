"""Discernibility as Bayardo & Agrawal define it, suppressed records charged.

It is no group-by: it charges records that are no longer in the table.

Example:
    >>> from types import SimpleNamespace
    >>> from qidguard.sdk import Grouping
    >>> from qidguard_standard.utility.example import three_jobs
    >>> view = SimpleNamespace(changes=three_jobs())
    >>> DISCERNIBILITY_WITH_SUPPRESSION.method.measure(view, Grouping(qids=("job",)), {})  # 1 + 1 + 3·1
    5
"""

import math

import numpy as np

from qidguard.sdk import (
    Arguments,
    Direction,
    Explanation,
    Grouping,
    Metric,
    TableFunction,
    TableView,
    Unit,
    class_numbers,
)
from qidguard_standard.metrics.wording import QID_NULL
from qidguard_standard.utility.changed_columns import changed_columns
from qidguard_standard.utility.wording import EMPTY, NO_NUMBER


def _measure(view: TableView, grouping: Grouping, _: Arguments) -> int:
    """Return the penalty; it charges records that are no longer there, so it is no group-by."""
    columns = changed_columns(view, grouping)
    # the same values under other codes make the same classes
    classes = class_numbers(np.stack([column.after.codes for column in columns], axis=1))
    sizes = np.bincount(classes).astype(object)  # n² of a large table leaves 64 bits
    return int((sizes * sizes).sum()) + columns[0].before.records * columns[0].suppressed


DISCERNIBILITY_WITH_SUPPRESSION = Metric(
    name="discernibility_with_suppression",
    title="discernibility with suppression penalty",
    unit=Unit.SCORE,
    minimum=0,
    maximum=math.inf,
    direction=Direction.NEITHER,
    method=TableFunction(measure=_measure),
    needs_original=True,
    explanation=Explanation(
        meaning="What anonymization costs in detail: every published record pays one point for each record "
        "in its class, every suppressed one a point for each record of the original. It counts records, "
        "also where persons are entities.",
        formula="C_DM = Σ size² over published classes + n·(records suppressed), n the original's records. "
        "The metric discernibility, of the published table alone, is its first part.",
        source="Bayardo & Agrawal 2005, Data privacy through optimal k-anonymization, ICDE, metric C_DM",
        good_value="Lower keeps more detail, from n (all records differ) to n² (all alike, or suppressed). "
        f"{NO_NUMBER}",
        missing=QID_NULL,
        empty=EMPTY,
        single_class="n², the largest possible.",
    ),
)
"""The sum of squared class sizes and the penalty of suppressed records."""
