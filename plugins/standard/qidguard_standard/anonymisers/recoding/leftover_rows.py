"""Rows that found no class of their own join others: whichever costs least."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from qidguard import Progress
from qidguard_standard.anonymisers.recoding.class_cells import class_cells
from qidguard_standard.anonymisers.recoding.column_levels import ColumnLevels
from qidguard_standard.anonymisers.recoding.row_rule import RowRule

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_ALONE = 500
"""Leftover rows that each look for the cheapest class; beyond, they start as one class together."""
TITLE = "local recoding: records left over"


def join_leftover(
    columns: Sequence[ColumnLevels],
    codes: "NDArray[np.int32]",
    class_of: "NDArray[np.int64]",
    rule: RowRule,
    progress: Progress,
) -> "NDArray[np.int64] | None":
    """Return classes in which every row has one, all keeping the rule.

    A row joins the class whose records and itself lose least by it; where the two do not keep the rule
    together, they join the next one, and so on. In the end that is the class of all records.

    Args:
        columns: The levels of each column.
        codes: Shape (rows, columns), the code of each value.
        class_of: Shape (rows,), the class of each row from 0 without gaps, −1 for the rows left over.
        rule: What a class has to keep.
        progress: Hears of the rows.

    Returns:
        The class of each row, from 0 without gaps; None where not even all records together keep the rule.

    Units:
        None.

    Raises:
        Nothing.

    Example:
        >>> join_leftover.__name__
        'join_leftover'
    """
    class_of = class_of.copy()
    left = np.flatnonzero(class_of < 0)
    starts = [left] if len(left) > MOST_ALONE else [left[i : i + 1] for i in range(len(left))]
    for done, start in enumerate(starts):
        progress.step(TITLE, done, len(starts))
        if class_of[start[0]] >= 0:
            continue  # it went with another row that was left over
        number = int(class_of.max(initial=-1)) + 1
        class_of[start] = number
        while not _keeps(rule, class_of == number):
            found = _cheapest(columns, codes, rule.weight, class_of, number)
            if found is None:
                return None
            class_of[class_of == found] = number
        occurring = np.unique(class_of[class_of >= 0])
        class_of[class_of >= 0] = np.searchsorted(occurring, class_of[class_of >= 0])
    if starts:
        progress.step(TITLE, len(starts), len(starts))
    return class_of


def _keeps(rule: RowRule, members: "NDArray[np.bool_]") -> bool:
    rows = np.flatnonzero(members)
    return bool(rule.keeps(np.zeros(len(rows), dtype=np.int64), 1, rows)[0])


def _cheapest(
    columns: Sequence[ColumnLevels],
    codes: "NDArray[np.int32]",
    weight: "NDArray[np.int64]",
    class_of: "NDArray[np.int64]",
    number: int,
) -> int | None:
    """Return the class that it costs least to put together with class ``number``; None when it is alone."""
    others = np.unique(class_of[(class_of >= 0) & (class_of != number)])
    waiting = class_of < 0
    if not len(others):
        # only rows that are left over themselves remain: they are one class with it
        return -1 if waiting.any() else None
    classes = int(class_of.max()) + 1
    size = np.bincount(class_of[~waiting], weights=weight[~waiting], minlength=classes)
    # a class that was emptied has no cells; it is no candidate either
    there = np.append(others, number)
    place = np.searchsorted(there, class_of)
    cells = class_cells(columns, codes, np.where(waiting, -1, place), len(there))
    level = np.maximum(cells.joined(columns, cells.code[-1]), cells.level[-1])
    joined = [one.loss[level[:, j], cells.code[:, j]] for j, one in enumerate(columns)]
    own = cells.loss(columns).sum(axis=1)
    lost = np.sum(joined, axis=0) if joined else np.zeros(len(there))
    cost = size[there] * (lost - own) + size[number] * (lost - own[-1])
    return int(others[np.argmin(cost[:-1])])
