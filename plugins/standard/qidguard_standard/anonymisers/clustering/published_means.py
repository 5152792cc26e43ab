"""Publish a class by its centre, as microaggregation does: means of numbers, modes of categories."""

from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

import numpy as np

from qidguard import ColumnValues, Original, Recoded, ValueType
from qidguard_standard.anonymisers.clustering.members import Members

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qidguard import PublishedValue

_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - the table's moments carry no zone


def published_means(column: ColumnValues, classes: Members, mark: str) -> Recoded:
    """Return what a column is published as when each class shows its centre.

    Args:
        column: The original column.
        classes: The records of each class.
        mark: The text of a suppressed cell; such a cell of a number counts as missing.

    Returns:
        The mean of numbers, rounded (halves to even) where the column is integral, of dates the mean day, of
        moments the mean second; the missing are left out, and where they are more than half of the class the
        cell is missing. The most frequent category, NULL being one; of equally frequent ones the first in
        the column's order. A class with a single value keeps it.

    Units:
        Those of the column.

    Raises:
        Nothing.

    Example:
        >>> from qidguard_standard.anonymisers.clustering.members import members
        >>> age = ColumnValues(
        ...     name="age",
        ...     value_type=ValueType.INTEGER,
        ...     codes=np.array([1, 2]),
        ...     texts=(None, "20", "23"),
        ...     numbers=np.array([np.nan, 20.0, 23.0]),
        ... )
        >>> published_means(age, members(np.array([0, 0])), "*").values
        (22,)
    """
    codes, starts = column.codes[classes.order], classes.starts
    if not column.is_numeric or column.numbers is None:
        shown, place = np.unique(modes(classes, column), return_inverse=True)
        values: list[PublishedValue] = [Original(code) for code in shown.tolist()]
        return Recoded(codes=classes.by_record(place.reshape(-1)), values=tuple(values))
    numbers = column.numbers[codes]
    known = np.isfinite(numbers)
    there = np.add.reduceat(known, starts, dtype=np.int64)
    total = np.add.reduceat(np.where(known, numbers, 0.0), starts)
    mean = np.where(2 * there < classes.sizes, np.nan, total / np.maximum(there, 1))
    low = np.minimum.reduceat(codes, starts)
    has_null = low == 0
    exact = np.where(low == np.maximum.reduceat(codes, starts), low, -1)
    shown = np.where(exact >= 0, 0.0, _rounded(mean, column))
    first, place = _distinct(np.stack([exact, has_null, np.isnan(shown), np.nan_to_num(shown)], axis=1))
    values = []
    for one in first.tolist():
        if exact[one] >= 0:
            values.append(Original(int(exact[one])))
        elif np.isnan(mean[one]):
            values.append(None if has_null[one] else mark)
        else:
            values.append(_centre(float(mean[one]), column))
    return Recoded(codes=classes.by_record(place), values=tuple(values))


def modes(classes: Members, column: ColumnValues) -> "NDArray[np.int64]":
    """Return the most frequent code of each class, the smallest of equally frequent ones.

    Args:
        classes: The records of each class.
        column: The column.

    Returns:
        Shape (classes,).

    Units:
        None.

    Raises:
        Nothing.

    Example:
        >>> from qidguard_standard.anonymisers.clustering.members import members
        >>> sex = ColumnValues(
        ...     name="sex", value_type=ValueType.TEXT, codes=np.array([2, 1, 2]), texts=(None, "f", "m")
        ... )
        >>> modes(members(np.array([0, 0, 0])), sex).tolist()
        [2]
    """
    span = len(column.texts)
    keys, times = np.unique(classes.owner * span + column.codes[classes.order], return_counts=True)
    best = np.lexsort((-times, keys // span))
    owner = keys[best] // span
    found: NDArray[np.int64] = keys[best][np.append(True, owner[1:] != owner[:-1])] % span
    return found


def _distinct(rows: "NDArray[np.float64]") -> "tuple[NDArray[np.int64], NDArray[np.int64]]":
    """Return where each distinct row first stands, and for each row which one it is."""
    order = np.lexsort(rows.T)
    is_new = np.append(True, (rows[order][1:] != rows[order][:-1]).any(axis=1))
    place = np.empty(len(rows), dtype=np.int64)
    place[order] = np.cumsum(is_new) - 1
    return order[is_new], place


def _rounded(mean: "NDArray[np.float64]", column: ColumnValues) -> "NDArray[np.float64]":
    if column.value_type in {ValueType.INTEGER, ValueType.DATE}:
        return np.rint(mean)
    return np.rint(mean * 86400) if column.value_type is ValueType.TIMESTAMP else mean


def _centre(mean: float, column: ColumnValues) -> "int | float | date | datetime":
    if column.value_type is ValueType.INTEGER:
        return int(np.rint(mean))
    if column.value_type is ValueType.DATE:
        return (_EPOCH + timedelta(days=int(np.rint(mean)))).date()
    if column.value_type is ValueType.TIMESTAMP:
        return _EPOCH + timedelta(seconds=int(np.rint(mean * 86400)))
    return mean
