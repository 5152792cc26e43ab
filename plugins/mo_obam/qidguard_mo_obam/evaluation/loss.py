"""What one column loses: (10) and (11) of the paper, cell by cell."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import ColumnValues, NotMeasurable, shown_name

if TYPE_CHECKING:
    from numpy.typing import NDArray

MARK = "*"
"""What a suppressed cell shows unless a policy says otherwise."""


@dataclass(frozen=True, kw_only=True)
class ColumnLoss:
    """The column's part of (10), and of (11)."""

    lost: float
    deviation: float


def loss_of_column(
    before: ColumnValues, after: ColumnValues, kept: "NDArray[np.bool_]", mark: str | None
) -> ColumnLoss:
    """Return what a column loses; a suppressed cell or record counts as its mean or mode."""
    own = _own_deviations(before)
    width = len(before.texts)
    pairs, records = np.unique(after.codes.astype(np.int64) * width + before.codes[kept], return_counts=True)
    published, original = pairs // width, pairs % width
    is_mark = np.array([text in {mark, MARK} and text is not None for text in after.texts])
    # a value may itself look like the mark
    is_mark &= ~np.isin(np.array(after.texts, dtype=object), np.array(before.texts, dtype=object))
    costs = _numbers_cost if before.is_numeric else _categories_cost
    cells = np.where(is_mark[published], own[original], costs(before, after, is_mark, (published, original)))
    return ColumnLoss(
        lost=float(cells @ records) + float(own[before.codes[~kept]].sum()),
        deviation=float(own[before.codes].sum()),
    )


def _own_deviations(column: ColumnValues) -> "NDArray[np.float64]":
    """Return for each value its squared distance from the column's mean, or whether it is not the mode."""
    records = np.bincount(column.codes, minlength=len(column.texts))
    if not column.is_numeric:
        deviations = np.ones(len(records))
        deviations[int(records.argmax())] = 0.0
        return deviations
    numbers = _numbers(column)
    known = np.isfinite(numbers)
    mean = np.average(numbers[known], weights=records[known]) if records[known].any() else 0.0
    return np.where(known, (numbers - mean) ** 2, 0.0)


_Pairs = tuple["NDArray[np.int64]", "NDArray[np.int64]"]


def _categories_cost(
    before: ColumnValues, after: ColumnValues, _: "NDArray[np.bool_]", pairs: _Pairs
) -> "NDArray[np.float64]":
    """Return 1 where a category is another one, else 0."""
    place = {text: code for code, text in enumerate(before.texts)}
    same = np.array([place.get(text, -1) for text in after.texts])
    published, original = pairs
    return np.where(same[published] == original, 0.0, 1.0)


def _numbers_cost(
    before: ColumnValues, after: ColumnValues, is_mark: "NDArray[np.bool_]", pairs: _Pairs
) -> "NDArray[np.float64]":
    """Return the squared differences; the variance where only one side is a number."""
    old, new = _numbers(before), _numbers(after)
    is_text = np.array([text is not None for text in after.texts]) & ~np.isfinite(new) & ~is_mark
    is_text &= ~np.isin(np.array(after.texts, dtype=object), np.array(before.texts, dtype=object))
    if is_text.any():
        raise NotMeasurable(
            f"column {shown_name(before.name)} holds numbers and is published as {int(is_text.sum()):,} texts"
            " that are none, such as intervals; equation (10) needs a number: take an anonymizer that"
            " publishes centers, or the metric information_loss"
        )
    published, original = pairs
    x, y = old[original], new[published]
    records = np.bincount(before.codes, minlength=len(before.texts))[np.isfinite(old)].sum()
    variance = float(_own_deviations(before)[before.codes].sum()) / max(int(records), 1)
    cells = np.where(np.isfinite(x) & np.isfinite(y), (x - y) ** 2, variance)
    return np.where(~np.isfinite(x) & ~np.isfinite(y), 0.0, cells)


def _numbers(column: ColumnValues) -> "NDArray[np.float64]":
    if column.numbers is None:
        return np.full(len(column.texts), np.nan)
    return np.where(np.isfinite(column.numbers), column.numbers, np.nan)
