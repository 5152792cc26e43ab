"""What a column is published as, class by class: means and modes, or sets and intervals."""

from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import (
    ColumnValues,
    Original,
    Recoded,
    ShortSets,
    ValueType,
    interval_text,
    published_number,
)
from qidguard_standard.anonymizers.clustering.classes import Members, modes_by_class

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qidguard.sdk import PublishedValue


def published_means(column: ColumnValues, classes: Members, short: ShortSets) -> Recoded:
    """Return what a column is published as when each class shows its center.

    A class in which a value is missing beside others shows the mark in a column of text, and a missing value
    in one of numbers, dates or Booleans, which keeps its type so.
    """
    codes, starts = column.codes[classes.order], classes.starts
    low, high = np.minimum.reduceat(codes, starts), np.maximum.reduceat(codes, starts)
    is_mark = np.array([text == short.mark for text in column.texts])
    has_mark = np.logical_or.reduceat(is_mark[codes], starts)
    if not column.is_numeric or column.numbers is None:
        shown = np.where((low < high) & ((low == 0) | has_mark), -1, modes_by_class(classes.owner, codes))
        first, place = np.unique(shown, return_inverse=True)
        is_typed = column.value_type is not ValueType.TEXT and not is_mark.any()
        neither = None if is_typed else short.mark
        modes_of: list[PublishedValue] = [neither if code < 0 else Original(code) for code in first.tolist()]
        return _recoded(column, classes, place, modes_of)
    numbers = column.numbers[codes]
    known = np.isfinite(numbers)
    total = np.add.reduceat(np.where(known, numbers, 0.0), starts)
    mean = np.where(np.logical_and.reduceat(known, starts), total / classes.sizes, np.nan)
    exact = np.where(low == high, low, -1)
    shown = np.where(exact >= 0, 0.0, _rounded(mean, column))
    first, place = _distinct(np.stack([exact, has_mark, np.isnan(shown), np.nan_to_num(shown)], axis=1))
    values: list[PublishedValue] = []
    for one in first.tolist():
        if exact[one] >= 0:
            values.append(Original(int(exact[one])))
        elif np.isnan(mean[one]):
            values.append(short.mark if has_mark[one] else None)
        else:
            values.append(published_number(float(mean[one]), column.value_type))
    return Recoded(codes=classes.by_record(place), values=tuple(values))


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


_BITS = 64


def published_sets(column: ColumnValues, classes: Members, short: ShortSets) -> Recoded:
    """Return what a column is published as when each class shows what values occur in it.

    Numbers and dates show the interval of the lowest and the highest, or the mark where some are missing or
    no finite numbers; categories what ``ShortSets`` says.
    """
    place, found = _intervals(column, classes) if column.is_numeric else _sets(column, classes)
    show = _interval if column.is_numeric else _categories
    return _recoded(column, classes, place, [show(column, codes, short) for codes in found])


def _categories(_: ColumnValues, codes: tuple[int, ...], short: ShortSets) -> "PublishedValue":
    return short.of(codes)


def _interval(column: ColumnValues, codes: tuple[int, ...], short: ShortSets) -> "PublishedValue":
    """Return the published value of a class with these codes, the smallest and largest number last."""
    if len(codes) == 1:
        return Original(codes[0])
    if not np.isfinite(np.asarray(column.numbers)[list(codes)]).all():
        return short.mark
    return interval_text(str(column.texts[codes[0]]), str(column.texts[codes[-1]]))


def _recoded(
    column: ColumnValues, classes: Members, place: "NDArray[np.int64]", values: "list[PublishedValue]"
) -> Recoded:
    """Return values by class, those once that are published as the same text."""
    seen: dict[str | None, int] = {}
    kept: list[PublishedValue] = []
    position = np.empty(len(values), dtype=np.int64)
    for at, value in enumerate(values):
        text = column.texts[value.code] if isinstance(value, Original) else value
        position[at] = seen.setdefault(None if text is None else str(text), len(kept))
        if position[at] == len(kept):
            kept.append(value)
    return Recoded(codes=classes.by_record(position[place.reshape(-1)]), values=tuple(kept))


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
