"""t-closeness with ordered distance: how far a class's sensitive values are shifted against the table's."""

from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import (
    Arguments,
    Cells,
    Direction,
    Explanation,
    Grouping,
    Metric,
    NotMeasurable,
    TableFunction,
    TableView,
    Unit,
)
from qidguard_standard.metrics.wording import EMPTY, ENTITY_SHARES, NO_LIMIT, QID_NULL

if TYPE_CHECKING:
    from numpy.typing import NDArray


def ordered_distances(cells: Cells) -> "NDArray[np.float64]":
    """Compute every class's Earth Mover's Distance to the table, moving along the order of the values.

    D = 1/(m−1) · Σᵢ |Σⱼ≤ᵢ (pⱼ − qⱼ)| over the m values of the table (Li, Li & Venkatasubramanian 2007,
    "t-closeness", ICDE, section 5.1). Only cells that exist are looked at: up to the next one the class's
    cumulative share p stays the same while the table's rises, so the gap's sum follows from sums of the
    table's cumulative shares and the one place where it overtakes p.

    One distance a class, 0..1, without a unit; shape (classes,).
    """
    values, classes = len(cells.table_n), len(cells.size)
    if values == 1:
        return np.zeros(classes)
    table = np.cumsum(cells.table_n) / cells.table_n.sum()
    before = np.concatenate(([0.0], np.cumsum(table)))  # before[i] = sum of the first i cumulative shares

    order = np.argsort(cells.class_id * values + cells.value)
    owner, value, n = cells.class_id[order], cells.value[order], cells.n[order]
    is_first = np.diff(owner, prepend=-1) != 0
    is_last = np.append(is_first[1:], True)
    # persons so far, counted anew in each class
    running = np.cumsum(n)
    earlier = np.maximum.accumulate(np.where(is_first, running - n, 0))
    so_far = (running - earlier) / np.bincount(owner, weights=n)[owner]

    # from each cell to the next cell of its class, or to the end of the order
    end = np.append(value[1:], values)
    end[is_last] = values
    crossing = np.clip(np.searchsorted(table, so_far), value, end)
    above = so_far * (crossing - value) - (before[crossing] - before[value])
    below = (before[end] - before[crossing]) - so_far * (end - crossing)
    # ahead of the first cell the class has nobody yet
    ahead = np.where(is_first, before[value], 0.0)
    moved = np.bincount(owner, weights=above + below + ahead, minlength=classes)
    # sums of millions of shares may leave a last digit outside the range
    return np.clip(moved / (values - 1), 0.0, 1.0)


def _measure(view: TableView, grouping: Grouping, _: Arguments) -> float:
    """Return the largest distance; cumulative sums along the values are a window, no group-by aggregate."""
    cells = view.cells(grouping)
    if not len(cells.size):
        raise NotMeasurable("The table has no records, so no class can be compared with it.")
    if cells.has_missing:
        raise NotMeasurable(
            f"Column {grouping.sensitive!r} has missing values, which have no place in an order; "
            "use t_closeness with equal distance, or give them a value."
        )
    return float(ordered_distances(cells).max())


T_CLOSENESS_ORDERED = Metric(
    name="t_closeness_ordered",
    title="t-closeness (ordered distance)",
    unit=Unit.RATIO,
    minimum=0.0,
    maximum=1.0,
    direction=Direction.LOWER_IS_SAFER,
    method=TableFunction(measure=_measure),
    is_sensitive=True,
    needs_order=True,
    # merging classes mixes their records, but an entity in both is counted once: entities can break the rule
    is_monotone=False,
    explanation=Explanation(
        meaning="The furthest that any class's sensitive values are shifted against the whole table's, where "
        "moving from one value to the next in order costs 1/(m−1) and from the first to the last costs 1. "
        "Numbers and dates are ordered by size, texts as somebody declares it: the policy (order: {severity: "
        "[low, medium, high]}), an ordered Categorical of pandas or Arrow, an Enum of polars or DuckDB. "
        f"{ENTITY_SHARES}",
        formula="max over classes of 1/(m−1) · Σᵢ |Σⱼ≤ᵢ (pⱼ − qⱼ)|; p the class's shares, q the table's, "
        "m the number of values",
        source="Li, Li & Venkatasubramanian 2007, t-closeness: privacy beyond k-anonymity and l-diversity, "
        "ICDE, section 5.1",
        good_value=f"{NO_LIMIT} Lower is safer, and 0 means that every class mirrors the table.",
        missing="Not measurable where the sensitive attribute has NULL, for it has no place in an order and "
        "either end would be a guess that changes the figure; nor where its values have no order, as texts "
        f"have none unless it is declared. {QID_NULL}",
        empty=EMPTY,
        single_class="0: the class is the table. A sensitive attribute with one value gives 0 as well.",
    ),
)
"""The largest Earth Mover's Distance with ordered distance between a class and the table."""
