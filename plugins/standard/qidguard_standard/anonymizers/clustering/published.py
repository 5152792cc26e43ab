"""What a column is published as, class by class: means and modes, or sets and intervals."""

from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import ColumnValues, Original, Recoded, ValueType, interval_text, set_text
from qidguard_standard.anonymizers.clustering.classes import Members

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qidguard.sdk import PublishedValue


_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - the table's moments carry no zone


def published_means(column: ColumnValues, classes: Members, mark: str) -> Recoded:
    """Return what a column is published as when each class shows its center."""
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
            values.append(_center(float(mean[one]), column))
    return Recoded(codes=classes.by_record(place), values=tuple(values))


def modes(classes: Members, column: ColumnValues) -> "NDArray[np.int64]":
    """Return the most frequent code of each class, the smallest of equally frequent ones.

    Shape (classes,).

    Example:
        >>> from qidguard_standard.anonymizers.clustering.classes import members
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
    modes_of: NDArray[np.int64] = keys[best][np.append(True, owner[1:] != owner[:-1])] % span
    return modes_of


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


def _center(mean: float, column: ColumnValues) -> "int | float | date | datetime":
    if column.value_type is ValueType.INTEGER:
        return int(np.rint(mean))
    if column.value_type is ValueType.DATE:
        return (_EPOCH + timedelta(days=int(np.rint(mean)))).date()
    if column.value_type is ValueType.TIMESTAMP:
        return _EPOCH + timedelta(seconds=int(np.rint(mean * 86400)))
    return mean


_BITS = 64


def published_sets(column: ColumnValues, classes: Members, mark: str) -> Recoded:
    """Return what a column is published as when each class shows all values that occur in it."""
    marked = np.array([text == mark for text in column.texts])
    class_values = _intervals(column, classes) if column.is_numeric else _sets(column, classes)
    values = tuple(_published(column, codes, marked, mark) for codes in class_values[1])
    return Recoded(codes=classes.by_record(class_values[0]), values=values)


def _published(
    column: ColumnValues, codes: tuple[int, ...], marked: "NDArray[np.bool_]", mark: str
) -> "PublishedValue":
    """Return the published value of a class with these codes, of numbers the smallest and largest last."""
    if len(codes) == 1:
        return Original(codes[0])
    if any(marked[code] for code in codes):
        return mark
    if not column.is_numeric or column.numbers is None:
        return set_text([column.texts[code] for code in codes])
    apart = [column.texts[code] for code in codes if not np.isfinite(column.numbers[code])]
    ends = [str(column.texts[code]) for code in codes if np.isfinite(column.numbers[code])]
    return set_text([*apart, interval_text(ends[0], ends[-1])] if ends else apart)


def _intervals(column: ColumnValues, classes: Members) -> "tuple[NDArray[np.int64], list[tuple[int, ...]]]":
    """Return for each class the place of its codes, and these: what is no finite number, and both ends."""
    codes, span, starts = column.codes[classes.order], len(column.texts), classes.starts
    finite = np.isfinite(np.asarray(column.numbers))
    is_number = finite[codes]
    low = np.minimum.reduceat(np.where(is_number, codes, span), starts).astype(np.int64)
    high = np.maximum.reduceat(np.where(is_number, codes, -1), starts).astype(np.int64)
    # NULL, NaN, the infinite and the mark: few, and each stands by itself
    apart = np.flatnonzero(~finite)
    bit = np.zeros(span, dtype=np.int64)
    bit[apart] = 1 << np.arange(len(apart))
    others = np.bitwise_or.reduceat(bit[codes], starts)
    keys = (low * (span + 1) + high + 1) * (1 << len(apart)) + others
    first, place = np.unique(keys, return_index=True, return_inverse=True)[1:]
    sets = []
    for position in first.tolist():
        ends = sorted({int(low[position]), int(high[position])}) if high[position] >= 0 else []
        sets.append((*(int(code) for code in apart if bit[code] & others[position]), *ends))
    return place.reshape(-1), sets


def _sets(column: ColumnValues, classes: Members) -> "tuple[NDArray[np.int64], list[tuple[int, ...]]]":
    """Return for each class the place of its set, and the codes of each set."""
    codes, span = column.codes[classes.order], len(column.texts)
    if span <= _BITS:
        masks = np.bitwise_or.reduceat(np.left_shift(np.uint64(1), codes.astype(np.uint64)), classes.starts)
        sets, place = np.unique(masks, return_inverse=True)
        return place.reshape(-1), [_codes_of(int(mask)) for mask in sets]
    keys = np.sort(classes.owner * span + codes)
    keys = keys[np.append(True, keys[1:] != keys[:-1])]
    ends = np.searchsorted(keys // span, np.arange(1, classes.count))
    places: dict[tuple[int, ...], int] = {}
    parts = (tuple(part.tolist()) for part in np.split(keys % span, ends))
    return np.array([places.setdefault(part, len(places)) for part in parts]), list(places)


def _codes_of(mask: int) -> tuple[int, ...]:
    return tuple(code for code in range(_BITS) if mask >> code & 1)
