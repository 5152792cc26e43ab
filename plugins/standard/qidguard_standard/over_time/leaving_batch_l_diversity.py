"""l-diversity of leaving batches: the fewest sensitive values among persons who left one class together.

Whoever holds two releases subtracts the later from the earlier and is left with those who went. They may be
k, and still all have one illness, which no measure of either release sees.

Example:
    >>> LEAVING_BATCH_L_DIVERSITY.unit.value, LEAVING_BATCH_L_DIVERSITY.needs_history
    ('values', True)
"""

import math

import numpy as np

from qidguard.sdk import (
    Arguments,
    Direction,
    Explanation,
    Grouping,
    Metric,
    NotMeasurable,
    TableFunction,
    TableView,
    Unit,
)
from qidguard_standard.metrics.wording import EMPTY
from qidguard_standard.over_time.joint import DIFFERENCING_SOURCE, FOLLOWED, MOST_RECENT, history_of


def _fewest(view: TableView, grouping: Grouping, arguments: Arguments) -> int:
    """Return the fewest values of a batch; batches are no group-by of one table."""
    history = history_of(view)
    cells = view.cells(grouping)
    if not len(cells.size):
        raise NotMeasurable("The table has no records, so there is nothing to measure.")
    if grouping.sensitive is None:
        raise NotMeasurable("it is measured beside a sensitive attribute, and none is declared")
    left = history.left(grouping.qids, grouping.sensitive, most_recent=arguments["most_recent"] or None)
    if not len(left.batch):
        return int(np.count_nonzero(cells.table_n))
    pairs = np.unique(np.stack([left.batch, left.value], axis=1), axis=0)
    return int(np.unique(pairs[:, 0], return_counts=True)[1].min())


LEAVING_BATCH_L_DIVERSITY = Metric(
    name="leaving_batch_l_diversity",
    title="l-diversity of leaving batches",
    unit=Unit.VALUES,
    minimum=1,
    maximum=math.inf,
    direction=Direction.HIGHER_IS_SAFER,
    is_whole=True,
    method=TableFunction(measure=_fewest),
    parameters=(MOST_RECENT,),
    is_sensitive=True,
    needs_history=True,
    # coarser QIDs may be answered by another combination of an earlier release, whose classes are finer
    is_monotone=False,
    explanation=Explanation(
        meaning="Those who left one class together since the release before have at least so many different "
        "sensitive values. Who holds both releases subtracts one from the other and reads what the leavers "
        "had; l-diversity of each release does not see it, for it looks at who is shown.",
        formula="min over the joint classes of the earlier releases of the number of distinct sensitive "
        "values, as the latest release shows them, of its persons who are not in the table. Where nobody "
        "left, and before the first release, it is the number of distinct values of the table",
        source=f"{DIFFERENCING_SOURCE}; Machanavajjhala, Kifer, Gehrke & Venkitasubramaniam 2007, "
        "l-diversity: privacy beyond k-anonymity",
        good_value="The l that each release must have by itself.",
        missing=f"{FOLLOWED} A missing sensitive value is a value; the values of an entity with several "
        "records are one value together.",
        empty=EMPTY,
        single_class="The distinct values of all who left.",
    ),
)
"""The fewest distinct sensitive values of persons who left the same classes."""
