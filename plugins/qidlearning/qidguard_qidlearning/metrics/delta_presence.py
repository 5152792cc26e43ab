"""δ-presence as QIDLearningLib defines it: the largest difference of one sensitive value's share.

It is no group-by: the value that differs most may be one that the class lacks, and cells are only of values
that occur.
"""

from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import Cells, Direction, Explanation, Grouping, Metric, Role, TableFunction, TableView, Unit
from qidguard_qidlearning.metrics.class_function import ClassFunction
from qidguard_qidlearning.metrics.class_headline import MAXIMUM, statistic_parameter
from qidguard_qidlearning.metrics.wording import (
    ATTRIBUTE_NULL,
    EMPTY,
    ENTITY_SHARES,
    HEADLINE,
    NO_LIMIT,
    PAPER,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray


def largest_differences(cells: Cells) -> "NDArray[np.float64]":
    """Return max over all values s of |P(s in class) − P(s in table)|, 0..1; shape (classes,)."""
    classes = len(cells.size)
    if not classes:
        return np.zeros(0)
    total = np.bincount(cells.class_id, weights=cells.n, minlength=classes)
    table_share = cells.table_n / cells.table_n.sum()
    found = np.zeros(classes)
    present = np.abs(cells.n / total[cells.class_id] - table_share[cells.value])
    np.maximum.at(found, cells.class_id, present)
    # of the values that a class lacks only the most frequent can differ most
    by_frequency = np.argsort(-cells.table_n, kind="stable")
    place = np.empty_like(by_frequency)
    place[by_frequency] = np.arange(len(place))
    absent = _first_absent(cells.class_id, place[cells.value], classes)
    shares = np.append(table_share[by_frequency], 0.0)
    differences: NDArray[np.float64] = np.maximum(found, shares[absent])
    return differences


def _first_absent(
    class_id: "NDArray[np.int64]", place: "NDArray[np.int64]", classes: int
) -> "NDArray[np.int64]":
    """Return for each class the smallest place that none of its cells has."""
    order = np.lexsort((place, class_id))
    ids, places = class_id[order], place[order]
    start = np.searchsorted(ids, np.arange(classes))
    # places rise within a class, so those before the first gap equal their position
    is_in_a_row = places == np.arange(len(ids)) - start[ids]
    return np.bincount(ids[is_in_a_row], minlength=classes)


def _class_values(view: TableView, grouping: Grouping) -> "tuple[NDArray[np.float64], NDArray[np.int64]]":
    cells = view.cells(grouping)
    return largest_differences(cells), cells.size


DELTA_PRESENCE = Metric(
    name="delta_presence",
    title="δ-presence (largest difference from the table)",
    unit=Unit.SHARE,
    minimum=0.0,
    maximum=1.0,
    direction=Direction.LOWER_IS_SAFER,
    method=TableFunction(measure=ClassFunction(class_values=_class_values)),
    parameters=(statistic_parameter(MAXIMUM),),
    attribute=Role.SENSITIVE,
    explanation=Explanation(
        meaning="By how much the share of any one sensitive value in a class differs from its share in the "
        "table. It is no δ-presence of Nergiz, Atzori & Clifton 2007, which asks whether someone is in the "
        "table at all and needs a population table.",
        formula="δ_g = max over all values of |p − q|, p a value's share in the class, q in the table, "
        f"values that the class lacks included; the headline is the maximum. {HEADLINE} {ENTITY_SHARES}",
        source=f"{PAPER}, Table 1, where the name is given to this difference",
        good_value=f"{NO_LIMIT} Lower is safer.",
        missing=ATTRIBUTE_NULL,
        empty=EMPTY,
        single_class="0: the class is the table.",
    ),
)
"""Largest difference of a class from the table."""
